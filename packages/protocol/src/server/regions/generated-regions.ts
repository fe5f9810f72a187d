import type { GenerationJob } from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import type { RegionTree } from "@orthant/core/tree";
import type { SyncWorld } from "../sync-world.ts";
import type { RegionListener, WatchedRegion, WatchedRegions } from "./watched-regions.ts";

/** Maximum number of regions that are being generated at a time. More wait for the next tick. */
const JOBS_MAX = 16;
/** Maximum number of generated regions in memory, for regions that are edited before they are sent. */
const READY_MAX = 64;
/** Time before a failed region is generated again. */
const RETRY_MS = 1_000;

/** What happens outside of ticks. */
interface GeneratedRegionEvents {
  readonly onReady: (region: WatchedRegion) => void;
  readonly onFailure: (error: unknown) => void;
}

/** A generated region: its contents, or the bodies of its patches if it was never edited. */
type Generated =
  | { readonly kind: "tree"; readonly value: RegionTree }
  | { readonly kind: "patches"; readonly value: readonly Uint8Array[] };

/**
 * Generates regions off the main thread, for clients that cannot generate them. Generated content never changes, so
 * a result is valid whatever is edited meanwhile.
 */
export class GeneratedRegions implements RegionListener {
  readonly #world: SyncWorld;
  readonly #pieceBytesMax: number;
  readonly #nowMs: () => number;
  readonly #events: GeneratedRegionEvents;
  readonly #jobs = new Map<WatchedRegion, Pick<GenerationJob<unknown>, "cancel">>();
  /** In order of last use. */
  readonly #ready = new Map<WatchedRegion, Generated>();
  readonly #retryMs = new WeakMap<WatchedRegion, number>();

  constructor(
    world: SyncWorld,
    regions: WatchedRegions,
    pieceBytesMax: number,
    nowMs: () => number,
    events: GeneratedRegionEvents,
  ) {
    this.#world = world;
    this.#pieceBytesMax = pieceBytesMax;
    this.#nowMs = nowMs;
    this.#events = events;
    regions.listen(this);
  }

  regionLeft(region: WatchedRegion): void {
    this.#ready.delete(region);
    this.#jobs.get(region)?.cancel();
    this.#jobs.delete(region);
  }

  /** Drops all regions, and those that are being generated. */
  clear(): void {
    this.#ready.clear();
    for (const job of this.#jobs.values()) job.cancel();
    this.#jobs.clear();
  }

  /** True when no further region can be started now. */
  get isFull(): boolean {
    return this.#jobs.size >= JOBS_MAX;
  }

  /** Returns the generated contents of a region, or `undefined` and starts to generate it if there is room. */
  tree(region: WatchedRegion): RegionTree | undefined {
    const ready = this.#use(region);
    if (ready?.kind === "tree") return ready.value;
    this.#start(region, () => {
      const { result, cancel } = this.#world.state.generateBox(regionBox(region.position));
      return { result: result.then((value) => ({ kind: "tree", value })), cancel };
    });
    return undefined;
  }

  /** Like {@link tree}, but returns the bodies of the patches of a region that was never edited. */
  patches(region: WatchedRegion): readonly Uint8Array[] | undefined {
    const ready = this.#use(region);
    if (ready?.kind === "patches") return ready.value;
    this.#start(region, () => {
      const { result, cancel } = this.#world.state.generateRegion(region.position, this.#pieceBytesMax);
      return { result: result.then((value) => ({ kind: "patches", value })), cancel };
    });
    return undefined;
  }

  #use(region: WatchedRegion): Generated | undefined {
    const ready = this.#ready.get(region);
    if (ready !== undefined) this.#add(region, ready);
    return ready;
  }

  #add(region: WatchedRegion, generated: Generated): void {
    this.#ready.delete(region);
    this.#ready.set(region, generated);
    for (const oldest of this.#ready.keys()) {
      if (this.#ready.size <= READY_MAX) return;
      this.#ready.delete(oldest);
    }
  }

  #start(region: WatchedRegion, begin: () => GenerationJob<Generated>): void {
    const isFailing = (this.#retryMs.get(region) ?? 0) > this.#nowMs();
    if (this.isFull || isFailing || this.#jobs.has(region)) return;
    const job = begin();
    this.#jobs.set(region, job);
    void job.result.then(
      (generated) => {
        if (this.#jobs.get(region) !== job) return;
        this.#jobs.delete(region);
        this.#add(region, generated);
        this.#events.onReady(region);
      },
      (error: unknown) => {
        // A cancelled one has no clients any more. Others are not sent before another attempt succeeds.
        if (this.#jobs.get(region) !== job) return;
        this.#jobs.delete(region);
        this.#retryMs.set(region, this.#nowMs() + RETRY_MS);
        this.#events.onFailure(error);
      },
    );
  }
}
