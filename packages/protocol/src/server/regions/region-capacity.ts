import type { PlayerBudget } from "../budget/player-budget.ts";
import { type Disconnect, limitExceeded } from "../disconnect.ts";
import type { ServerContext } from "../server-context.ts";
import type { SyncLimits } from "../sync-limits.ts";

/** Ticks with too many bytes in memory before a client has to leave: a save or a release may free them first. */
const TICKS_OVER_MAX = 20;

/** A client that holds regions. */
interface Holder {
  /** `undefined` before the client has joined. */
  readonly budget: PlayerBudget | undefined;
  readonly regionCount: number;
  /** Memory of these regions. */
  readonly regionBytes: number;
  goodbye(disconnect: Disconnect): void;
}

/** Disconnects clients while all of them hold too many regions, or regions that take too much memory. */
export class RegionCapacity<H extends Holder> {
  readonly #context: Pick<ServerContext, "limits" | "regions" | "world">;
  readonly #holders: Iterable<H>;
  /** Ticks in a row in which the world took too much memory. */
  #ticksOver = 0;

  constructor(context: Pick<ServerContext, "limits" | "regions" | "world">, holders: Iterable<H>) {
    this.#context = context;
    this.#holders = holders;
  }

  /** Disconnects clients of the player or network that holds most, its largest first. Called in every tick. */
  enforce(): void {
    const { limits, regions } = this.#context;
    let watched = regions.size - regions.leavingCount;
    let held = regions.holdings - regions.leavingCount;
    while (watched > limits.watchedRegionsMax || held > limits.heldRegionsMax) {
      const largest = this.#largest(({ regionCount }) => regionCount);
      if (largest === undefined) return;
      const limit: keyof SyncLimits =
        watched > limits.watchedRegionsMax ? "watchedRegionsMax" : "heldRegionsMax";
      watched -= largest.regionCount;
      held -= largest.regionCount;
      largest.goodbye(limitExceeded(limit, limits));
    }
    this.#enforceBytes();
  }

  /** Does the same by bytes, one client at a time: only afterwards it is known how much memory that frees. */
  #enforceBytes(): void {
    const { limits, regions, world } = this.#context;
    const isOver = (world.loadedBytes?.() ?? 0) > limits.watchedBytesMax && regions.leavingCount === 0;
    this.#ticksOver = isOver ? this.#ticksOver + 1 : 0;
    if (this.#ticksOver < TICKS_OVER_MAX) return;
    this.#ticksOver = 0;
    this.#largest(({ regionBytes }) => regionBytes)?.goodbye(limitExceeded("watchedBytesMax", limits));
  }

  /** Returns the client that holds most among those of the player or network that holds most. */
  #largest(amountOf: (holder: H) => number): H | undefined {
    const own = new Map<H, number>();
    const all = new Map<PlayerBudget, number>();
    for (const holder of this.#holders) {
      const amount = amountOf(holder);
      const shared = holder.budget?.shared;
      if (amount === 0 || shared === undefined) continue;
      own.set(holder, amount);
      all.set(shared, (all.get(shared) ?? 0) + amount);
    }
    const rank = (holder: H): readonly [number, number] => [
      all.get(holder.budget?.shared as PlayerBudget) ?? 0,
      own.get(holder) ?? 0,
    ];
    let most: H | undefined;
    for (const holder of own.keys()) {
      const [ofAll, ofOwn] = rank(holder);
      const [mostOfAll, mostOfOwn] = most === undefined ? [0, 0] : rank(most);
      if (ofAll > mostOfAll || (ofAll === mostOfAll && ofOwn > mostOfOwn)) most = holder;
    }
    return most;
  }
}
