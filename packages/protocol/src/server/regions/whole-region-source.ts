import { CLOCK_NEVER, wholeRegionChange } from "@orthant/core";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { SyncWorld } from "../sync-world.ts";
import { type EncodedChange, encodeChange, type RegionEncoding } from "./region-changes.ts";
import type { RegionListener, WatchedRegion, WatchedRegions } from "./watched-regions.ts";

/** Work units per tick, for all clients together. */
const WORK_PER_TICK = 4_096;
/** Cost of checking whether a region is blank. */
const CHECK_WORK = 1;
/** Cost of a region for which only edits are encoded. */
const SYMBOLIC_WORK = 32;
/** Additional cost of each edited chunk, for comparing it with the generated one. */
const EDITED_CHUNK_WORK = 2;
/** Cost of a region whose chunks must all be generated: eight of them per tick. */
const CONCRETE_WORK = 512;
/** Maximum bytes of whole regions cached for other clients. */
const CACHE_BYTES_MAX = 67_108_864;
/** Overhead of a cached region besides its bytes. */
const ENTRY_BYTES = 256;

/** A complete region for a client that holds nothing of it: a change, or a word if it is blank. */
export type WholeRegion = EncodedChange | "air" | "generated";

interface Entry {
  readonly clock: number;
  readonly whole: WholeRegion;
  readonly bytes: number;
}

/** Makes whole regions, each once per encoding, and a limited number per tick. */
export class WholeRegionSource implements RegionListener {
  readonly #world: SyncWorld;
  /** For each encoding, the whole regions in order of last use. */
  readonly #entries: readonly Map<WatchedRegion, Entry>[] = [new Map(), new Map(), new Map(), new Map()];
  readonly #pieceBytesMax: number;
  /** Limits time as well, because the work units are only an estimate and some generators are slow. */
  readonly #work: WorkBudget;
  #bytes = 0;
  #workLeft = WORK_PER_TICK;

  constructor(world: SyncWorld, regions: WatchedRegions, pieceBytesMax: number, work: WorkBudget) {
    this.#world = world;
    this.#pieceBytesMax = pieceBytesMax;
    this.#work = work;
    regions.listen(this);
  }

  regionWatched(): void {
    // Whole regions are encoded on demand.
  }

  regionLeft(region: WatchedRegion): void {
    for (const entries of this.#entries) this.#drop(entries, region);
  }

  /** Resets the work units for a tick. */
  startTick(): void {
    this.#workLeft = WORK_PER_TICK;
  }

  /**
   * Returns true when a loaded region was never changed and has no contents to send. Also returns false when
   * the work units of this tick are used up.
   */
  isBlank(region: WatchedRegion, encoding: RegionEncoding): boolean {
    const clock = this.#world.clockOf(region.position);
    const known = this.#entriesOf(encoding).get(region);
    if (known?.clock === clock) return typeof known.whole === "string";
    if (clock !== CLOCK_NEVER || this.#isUsedUp) return false;
    this.#workLeft -= CHECK_WORK;
    return this.#work.run(() => this.#isBlankNow(region, encoding));
  }

  /** Returns all of a loaded region, or `undefined` when no more can be made in this tick. */
  of(region: WatchedRegion, encoding: RegionEncoding): WholeRegion | undefined {
    const clock = this.#world.clockOf(region.position);
    const entries = this.#entriesOf(encoding);
    const known = entries.get(region);
    if (known?.clock === clock) {
      entries.delete(region);
      entries.set(region, known);
      return known.whole;
    }
    if (this.#isUsedUp) return undefined;
    const whole = this.#work.run(() => this.#make(region, encoding, clock));
    this.#drop(entries, region);
    const bytes = ENTRY_BYTES + (typeof whole === "string" ? 0 : whole.bytes);
    entries.set(region, { clock, whole, bytes });
    this.#bytes += bytes;
    this.#evict();
    return whole;
  }

  get #isUsedUp(): boolean {
    return this.#workLeft <= 0 || !this.#work.hasTime();
  }

  #make(region: WatchedRegion, encoding: RegionEncoding, clock: number): WholeRegion {
    this.#workLeft -= CHECK_WORK;
    if (clock === CLOCK_NEVER && this.#isBlankNow(region, encoding)) {
      return encoding.mode === "symbolic" ? "generated" : "air";
    }
    this.#workLeft -= encoding.mode === "symbolic" ? SYMBOLIC_WORK : CONCRETE_WORK;
    const { state } = this.#world;
    const change = wholeRegionChange(state, { region: region.position, clock }, encoding);
    if (encoding.mode === "symbolic") {
      this.#workLeft -= EDITED_CHUNK_WORK * (change.leaves.length + change.edits.length);
    }
    const isAir = change.base === "air" && change.leaves.length === 0;
    return isAir && clock === CLOCK_NEVER
      ? "air"
      : encodeChange(change, state.shape.volume, this.#pieceBytesMax);
  }

  #isBlankNow({ chunks }: WatchedRegion, { mode }: RegionEncoding): boolean {
    const { state } = this.#world;
    if (state.overrides.slice(chunks).bounds() !== undefined) return false;
    return mode === "symbolic" || state.queryContentBounds(chunks) === undefined;
  }

  #entriesOf({ index }: RegionEncoding): Map<WatchedRegion, Entry> {
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
