import { type Place, PlaceMap, PlaceSet, regionBox } from "@orthant/core";
import type { HostWorld } from "../../host/host-world.ts";

/** So many regions are read at the same time; who wants another one asks again. */
const LOADS_MAX = 16;
/** A region that could not be read is tried again after so long. */
const RETRY_MS = 1_000;
/** So many regions that could not be read are remembered. */
const FAILED_MAX = 1_024;

/** Reads regions from the disk for whoever keeps asking. */
export class RegionLoads {
  readonly #world: Pick<HostWorld, "load">;
  readonly #nowMs: () => number;
  readonly #loading = new PlaceSet();
  readonly #retryMs = new PlaceMap<number>();

  constructor(world: Pick<HostWorld, "load">, nowMs: () => number) {
    this.#world = world;
    this.#nowMs = nowMs;
  }

  /** Begins to read a region, unless too many are being read. */
  want(region: Place): void {
    if (this.#loading.size >= LOADS_MAX || this.#loading.has(...region)) return;
    if ((this.#retryMs.get(...region) ?? 0) > this.#nowMs()) return;
    this.#loading.add(...region);
    void this.#load(region);
  }

  async #load(region: Place): Promise<void> {
    try {
      await this.#world.load(regionBox(region));
      this.#retryMs.delete(...region);
    } catch {
      // The world reports its own failures. Nobody is sent what is not there.
      if (this.#retryMs.size < FAILED_MAX) this.#retryMs.set(...region, this.#nowMs() + RETRY_MS);
    }
    this.#loading.delete(...region);
  }
}
