import type { SyncLimits } from "../sync-limits.ts";
import type { Account } from "../sync-server-options.ts";
import { PlayerBudget } from "./player-budget.ts";

/**
 * The budgets of all connected players, and of those who left until their budgets are full again. A player
 * who reconnects, or connects with other clients, continues with the same budget.
 */
export class PlayerBudgets {
  readonly #limits: SyncLimits;
  readonly #players = new Map<bigint, PlayerBudget>();
  readonly #networks = new Map<string, PlayerBudget>();

  constructor(limits: SyncLimits) {
    this.#limits = limits;
  }

  /** Returns the budget of a player whose clients come from `network`, if that is known. */
  of({ playerId, isAnonymous }: Account, network: string | undefined, nowMs: number): PlayerBudget {
    const known = this.#players.get(playerId);
    if (known !== undefined) return known;
    const shared =
      isAnonymous === true && network !== undefined ? this.#networkOf(network, nowMs) : undefined;
    const budget = new PlayerBudget(this.#limits, 1, nowMs, shared);
    this.#players.set(playerId, budget);
    return budget;
  }

  /** Counts a client of a player, or returns the name of the limit that this would exceed. */
  enter(budget: PlayerBudget): keyof SyncLimits | undefined {
    const { clientsPerPlayer, budgetsPerNetwork } = this.#limits;
    if (budget.clients >= clientsPerPlayer) return "clientsPerPlayer";
    const { shared } = budget;
    if (shared !== budget && shared.clients >= budgetsPerNetwork * clientsPerPlayer)
      return "budgetsPerNetwork";
    budget.enter();
    return undefined;
  }

  /** Drops budgets that are as good as new. */
  clean(nowMs: number): void {
    const networksInUse = new Set<PlayerBudget>();
    for (const [playerId, budget] of this.#players) {
      if (budget.isUnused(nowMs)) this.#players.delete(playerId);
      else networksInUse.add(budget.shared);
    }
    for (const [network, budget] of this.#networks) {
      if (!networksInUse.has(budget) && budget.isUnused(nowMs)) this.#networks.delete(network);
    }
  }

  #networkOf(network: string, nowMs: number): PlayerBudget {
    const known = this.#networks.get(network);
    if (known !== undefined) return known;
    const budget = new PlayerBudget(this.#limits, this.#limits.budgetsPerNetwork, nowMs);
    this.#networks.set(network, budget);
    return budget;
  }
}
