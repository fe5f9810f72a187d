import { getOrAdd } from "@orthant/core/lattice";
import type { Account } from "./account.ts";
import { type PlayerBudget, PlayerBudgets } from "./budget/player-budget.ts";
import { type Disconnect, limitExceeded } from "./disconnect.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** What a set knows of its sessions. */
interface Session {
  readonly network: string | undefined;
  /** `undefined` before the client has joined. */
  readonly budget: PlayerBudget | undefined;
  goodbye(disconnect: Disconnect): void;
}

/** The client of a joined session. */
interface Member {
  readonly clientId: bigint;
  readonly playerId: bigint;
  /** The budget that the session counts against; `undefined` if it exceeded the budget. */
  budget: PlayerBudget | undefined;
}

/** All sessions, with the joined ones by client (each client once) and by player (any number of clients). */
export class SessionSet<S extends Session> implements Iterable<S> {
  readonly #limits: SyncLimits;
  readonly #budgets: PlayerBudgets;
  readonly #sessions = new Set<S>();
  readonly #members = new Map<S, Member>();
  readonly #byClient = new Map<bigint, S>();
  readonly #byPlayer = new Map<bigint, Set<S>>();
  /** The sessions of each player, until a session joins or leaves. */
  #turns: readonly (readonly S[])[] | undefined;

  constructor(limits: SyncLimits) {
    this.#limits = limits;
    this.#budgets = new PlayerBudgets(limits);
  }

  /** Number of sessions, joined or not. */
  get size(): number {
    return this.#sessions.size;
  }

  [Symbol.iterator](): Iterator<S> {
    return this.#sessions.values();
  }

  /** Returns the joined sessions. */
  joined(): readonly S[] {
    return [...this.#members.keys()];
  }

  /** Returns the joined sessions of one player. */
  ofPlayer(playerId: bigint): readonly S[] {
    return [...(this.#byPlayer.get(playerId) ?? [])];
  }

  /** Adds a new connection. */
  add(session: S): void {
    this.#turns = undefined;
    this.#sessions.add(session);
  }

  /**
   * Binds a session to its client, and disconnects an earlier session of the same client. Returns the
   * budget that the session counts against, or why it must not join.
   */
  join(session: S, clientId: bigint, account: Account, nowMs: number): PlayerBudget | Disconnect {
    const { playerId } = account;
    this.#turns = undefined;
    const other = this.#byClient.get(clientId);
    if (other !== undefined && this.#members.get(other)?.playerId !== playerId) {
      return { reason: "credentials", detail: "the client belongs to another player" };
    }
    other?.goodbye({ reason: "replaced", detail: "the client has connected again" });
    const member: Member = { clientId, playerId, budget: undefined };
    this.#members.set(session, member);
    this.#byClient.set(clientId, session);
    const sessions = this.#byPlayer.get(playerId) ?? new Set();
    this.#byPlayer.set(playerId, sessions.add(session));
    const budget = this.#budgets.of(account, session.network, nowMs);
    const exceeded = this.#budgets.enter(budget);
    if (exceeded !== undefined) return limitExceeded(exceeded, this.#limits);
    member.budget = budget;
    return budget;
  }

  /** Removes a session. Returns its client's id if it had joined. */
  leave(session: S): bigint | undefined {
    this.#turns = undefined;
    this.#sessions.delete(session);
    const member = this.#members.get(session);
    if (member === undefined) return undefined;
    const { clientId, playerId, budget } = member;
    budget?.leave();
    this.#members.delete(session);
    this.#byClient.delete(clientId);
    const sessions = this.#byPlayer.get(playerId);
    sessions?.delete(session);
    if (sessions?.size === 0) this.#byPlayer.delete(playerId);
    return clientId;
  }

  /**
   * Returns all sessions in the order of a tick: one of each player, then a second one of those who have
   * more, and so on. Each tick starts with another player, and with another session of that player.
   */
  inTurn(tickCount: number): readonly S[] {
    this.#turns ??= turnsByPlayer(this.#sessions);
    let players = rotated(this.#turns, tickCount);
    const order: S[] = [];
    for (let round = 0; players.length > 0; round++) {
      for (const own of players) order.push(own[(round + tickCount) % own.length] as S);
      players = players.filter(({ length }) => length > round + 1);
    }
    return order;
  }

  /** Drops the budgets of players who left and whose budgets are full again. */
  clean(nowMs: number): void {
    this.#budgets.clean(nowMs);
  }
}

/** Groups sessions by player, or by network for anonymous players; those before the join are one group. */
export function turnsByPlayer<S extends Session>(sessions: Iterable<S>): S[][] {
  const byPlayer = new Map<PlayerBudget | undefined, S[]>();
  for (const session of sessions) {
    const player = session.budget?.shared;
    getOrAdd(byPlayer, player, () => []).push(session);
  }
  return [...byPlayer.values()];
}

function rotated<Item>(items: readonly Item[], steps: number): readonly Item[] {
  const first = steps % Math.max(1, items.length);
  return first === 0 ? items : [...items.slice(first), ...items.slice(0, first)];
}
