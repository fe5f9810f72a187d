import { type Position, PositionMap, PositionSet, regionBox } from "@orthant/core";
import type { SyncWorld } from "../../server/sync-world.ts";

/** Maximum number of concurrent reads. Callers repeat a request that exceeds it. */
const LOADS_MAX = 16;
/** Time before a failed read is tried again. */
const RETRY_MS = 1_000;
/** Maximum number of failed regions to remember. */
const FAILED_MAX = 1_024;

/** Reads regions from disk for callers that repeat their requests. */
export class RegionLoads {
  readonly #world: Pick<SyncWorld, "load">;
  readonly #nowMs: () => number;
  readonly #loading = new PositionSet();
  readonly #retryMs = new PositionMap<number>();

  constructor(world: Pick<SyncWorld, "load">, nowMs: () => number) {
    this.#world = world;
    this.#nowMs = nowMs;
  }

  /** Starts to read a region, unless too many reads are in progress. */
  want(region: Position): void {
    if (this.#loading.size >= LOADS_MAX || this.#loading.has(...region)) return;
    if ((this.#retryMs.get(...region) ?? 0) > this.#nowMs()) return;
    this.#loading.add(...region);
    void this.#load(region);
  }

  async #load(region: Position): Promise<void> {
    try {
      await this.#world.load(regionBox(region));
      this.#retryMs.delete(...region);
    } catch {
      // The world reports its own failures. Clients receive only regions that are loaded.
      if (this.#retryMs.size < FAILED_MAX) this.#retryMs.set(...region, this.#nowMs() + RETRY_MS);
    }
    this.#loading.delete(...region);
  }
}
