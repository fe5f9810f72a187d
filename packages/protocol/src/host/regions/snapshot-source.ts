import { CLOCK_NEVER, regionAnew } from "@orthant/core";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { HostWorld } from "../host-world.ts";
import { type ChangeBlock, changeBlock, type Telling } from "./change-block.ts";
import type { WatchedRegion } from "./holding.ts";
import type { RegionListener, WatchedRegions } from "./watched-regions.ts";

/** How much may be made in one tick, for all clients together. */
const WORK_PER_TICK = 4_096;
/** What it costs of the work to look whether a region is blank. */
const LOOK_WORK = 1;
/** What a region costs of which people's work is told. */
const SYMBOLIC_WORK = 32;
/** What each chunk costs besides that was built on: comparing it with what was generated. */
const TOLD_CHUNK_WORK = 2;
/** What a region costs whose every chunk has to be generated: eight of them in a tick. */
const CONCRETE_WORK = 512;
/** Bytes of snapshots that are kept for the next client who comes to the region. */
const CACHE_BYTES_MAX = 67_108_864;
/** What a snapshot takes besides its bytes. */
const ENTRY_BYTES = 256;

/** All of a region for somebody who holds nothing of it: a change, or the word that there is nothing to tell. */
export type Snapshot = ChangeBlock | "air" | "generated";

interface Entry {
  readonly clock: number;
  readonly snapshot: Snapshot;
  readonly bytes: number;
}

/** Makes the snapshots of regions, each once for each way of telling it, and not too many in one tick. */
export class SnapshotSource implements RegionListener {
  readonly #world: HostWorld;
  /** For each way of telling, the snapshots in the order of their last use. */
  readonly #entries: readonly Map<WatchedRegion, Entry>[] = [new Map(), new Map(), new Map(), new Map()];
  readonly #pieceBytesMax: number;
  /** Besides the work, which is only an estimate: some generators take long for what others do at once. */
  readonly #work: WorkBudget;
  #bytes = 0;
  #workLeft = WORK_PER_TICK;

  constructor(world: HostWorld, regions: WatchedRegions, pieceBytesMax: number, work: WorkBudget) {
    this.#world = world;
    this.#pieceBytesMax = pieceBytesMax;
    this.#work = work;
    regions.listen(this);
  }

  regionWatched(): void {
    // A snapshot is made when it is asked for.
  }

  regionLeft(region: WatchedRegion): void {
    for (const entries of this.#entries) this.#drop(entries, region);
  }

  /** Lets as much be made as one tick may. */
  startTick(): void {
    this.#workLeft = WORK_PER_TICK;
  }

  /**
   * Whether a loaded region was never changed and holds nothing that would have to be told; `false` also when no more
   * may be looked at in this tick.
   */
  isBlank(region: WatchedRegion, telling: Telling): boolean {
    const clock = this.#world.clockOf(region.place);
    const known = this.#entriesOf(telling).get(region);
    if (known?.clock === clock) return typeof known.snapshot === "string";
    if (clock !== CLOCK_NEVER || this.#isUsedUp) return false;
    this.#workLeft -= LOOK_WORK;
    return this.#work.run(() => this.#looksBlank(region, telling));
  }

  /** A loaded region as it is now; `undefined` when no more may be made in this tick. */
  of(region: WatchedRegion, telling: Telling): Snapshot | undefined {
    const clock = this.#world.clockOf(region.place);
    const entries = this.#entriesOf(telling);
    const known = entries.get(region);
    if (known?.clock === clock) {
      entries.delete(region);
      entries.set(region, known);
      return known.snapshot;
    }
    if (this.#isUsedUp) return undefined;
    const snapshot = this.#work.run(() => this.#make(region, telling, clock));
    this.#drop(entries, region);
    const bytes = ENTRY_BYTES + (typeof snapshot === "string" ? 0 : snapshot.bytes);
    entries.set(region, { clock, snapshot, bytes });
    this.#bytes += bytes;
    this.#evict();
    return snapshot;
  }

  get #isUsedUp(): boolean {
    return this.#workLeft <= 0 || !this.#work.hasTime();
  }

  #make(region: WatchedRegion, telling: Telling, clock: number): Snapshot {
    this.#workLeft -= LOOK_WORK;
    if (clock === CLOCK_NEVER && this.#looksBlank(region, telling)) {
      return telling.mode === "symbolic" ? "generated" : "air";
    }
    this.#workLeft -= telling.mode === "symbolic" ? SYMBOLIC_WORK : CONCRETE_WORK;
    const { field } = this.#world;
    const change = regionAnew(field, { region: region.place, clock }, telling);
    if (telling.mode === "symbolic") {
      this.#workLeft -= TOLD_CHUNK_WORK * (change.leaves.length + change.edits.length);
    }
    const isAir = change.base === "air" && change.leaves.length === 0;
    return isAir && clock === CLOCK_NEVER
      ? "air"
      : changeBlock(change, field.shape.volume, this.#pieceBytesMax);
  }

  #looksBlank({ chunks }: WatchedRegion, { mode }: Telling): boolean {
    const { field } = this.#world;
    if (field.overrides.slice(chunks).bounds() !== undefined) return false;
    return mode === "symbolic" || field.queryContentBounds(chunks) === undefined;
  }

  #entriesOf({ index }: Telling): Map<WatchedRegion, Entry> {
    return this.#entries[index] as Map<WatchedRegion, Entry>;
  }

  #drop(entries: Map<WatchedRegion, Entry>, region: WatchedRegion): void {
    this.#bytes -= entries.get(region)?.bytes ?? 0;
    entries.delete(region);
  }

  #evict(): void {
    for (const entries of this.#entries) {
      for (const region of entries.keys()) {
        if (this.#bytes <= CACHE_BYTES_MAX) return;
        this.#drop(entries, region);
      }
    }
  }
}
