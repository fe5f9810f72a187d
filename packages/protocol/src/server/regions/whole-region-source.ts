import type { Position } from "@orthant/core";
import { regionBox } from "@orthant/core/lattice";
import {
  CLOCK_NEVER,
  type RegionTree,
  regionChange,
  type WorldState,
  wholeRegionChange,
} from "@orthant/core/tree";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { SyncWorld } from "../sync-world.ts";
import { GeneratedRegions } from "./generated-regions.ts";
import {
  type EncodedChange,
  encodeChange,
  isLarge,
  REGION_ENCODINGS,
  type RegionEncoding,
} from "./region-changes.ts";
import type { RegionFeed, RegionState } from "./region-feed.ts";
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
/** Maximum number of regions that are prepared after a tick that had no time for them. */
const WANTED_MAX = 64;
/** Maximum memory of whole regions cached for other clients, also for those who come after all have left. */
const CACHE_BYTES_MAX = 134_217_728;
/** Overhead of a cached region besides its bytes. */
const ENTRY_BYTES = 256;
/** A region is packed again when what changed since would add more than this share of its bytes. */
const CHANGED_SHARE_MAX = 1 / 16;

/** A complete region for a client that holds nothing of it: a change, or a word if it is blank. */
type WholeRegion = EncodedChange | "air" | "generated";

/** All of a region at one clock. */
interface WholeRegionAt {
  readonly clock: number;
  readonly whole: WholeRegion;
}

/** A large region as it was packed. */
interface Packed extends WholeRegionAt {
  readonly whole: EncodedChange;
  /** The chunks of the region at this clock that are not as generated. */
  readonly made: Pick<WorldState, "overrides">;
  /** Memory of both. */
  readonly bytes: number;
}

/** The region at the latest clock that was needed: as it was packed, and what has changed since. */
interface Entry extends WholeRegionAt {
  /** Only of a large region. Others are packed again when they change. */
  readonly packed: Packed | undefined;
  readonly bytes: number;
}

/** Returns the patches of a region that was never edited. */
function encodedPatches(region: Position, bodies: readonly Uint8Array[]): WholeRegion {
  if (bodies.length === 0) return "air";
  const patches = bodies.map((body) => ({ body, regions: [region] }));
  const bytes = bodies.reduce((sum, { length }) => sum + length, 0);
  return { region, change: undefined, patches, bytes };
}

/** What a source of whole regions needs of its server. */
interface WholeRegionContext {
  readonly world: SyncWorld;
  readonly regions: WatchedRegions;
  readonly feed: RegionFeed;
  readonly pieceBytesMax: number;
  /** Limits time as well as work units, which are only an estimate: some generators are slow. */
  readonly work: WorkBudget;
  readonly nowMs: () => number;
  /** A region could not be generated. It is tried again. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Makes whole regions, each once per encoding, and a limited number per tick. A large region that has changed a little
 * is not packed again: the change follows it as a patch of its own. Those for which a tick has no time are made
 * after it, in slices. Where the world generates off the main thread, chunks for clients without the
 * generator come from there, and are encoded as they arrive.
 */
export class WholeRegionSource implements RegionListener {
  readonly #world: SyncWorld;
  readonly #feed: RegionFeed;
  /** For each encoding, the whole regions by their positions, in order of last use. */
  readonly #entries: readonly Map<string, Entry>[] = [new Map(), new Map(), new Map(), new Map()];
  readonly #pieceBytesMax: number;
  readonly #work: WorkBudget;
  readonly #generated: GeneratedRegions;
  /** Regions that this tick had no time for, by encoding. */
  readonly #wanted: readonly Set<WatchedRegion>[] = [new Set(), new Set(), new Set(), new Set()];
  /** Regions that were not generated yet in this tick, by encoding. */
  readonly #awaited: readonly Set<WatchedRegion>[] = [new Set(), new Set(), new Set(), new Set()];
  #bytes = 0;
  #workLeft = WORK_PER_TICK;

  constructor({ world, regions, feed, pieceBytesMax, work, nowMs, onFailure }: WholeRegionContext) {
    this.#world = world;
    this.#feed = feed;
    this.#pieceBytesMax = pieceBytesMax;
    this.#work = work;
    this.#generated = new GeneratedRegions(world, regions, pieceBytesMax, nowMs, {
      onReady: (region) => this.#prepare(region),
      onFailure,
    });
    regions.listen(this);
  }

  regionLeft(region: WatchedRegion): void {
    const key = keyOf(region);
    for (const entries of this.#entries) {
      // The next client may come soon.
      if (entries.get(key)?.packed === undefined) this.#drop(entries, key);
    }
    for (const waiting of [...this.#wanted, ...this.#awaited]) waiting.delete(region);
  }

  /** Drops everything that was made, because untouched space has another generator. */
  clear(): void {
    for (const entries of this.#entries) entries.clear();
    this.#bytes = 0;
    this.#generated.clear();
  }

  /** Resets the work units for a tick. */
  startTick(): void {
    this.#workLeft = WORK_PER_TICK;
    for (const waiting of [...this.#wanted, ...this.#awaited]) waiting.clear();
  }

  /** Makes regions that the tick had no time for. */
  goOn(): void {
    for (const encoding of REGION_ENCODINGS) {
      const wanted = this.#wanted[encoding.index];
      for (const region of wanted ?? []) {
        if (this.#isUsedUp) return;
        wanted?.delete(region);
        if (region.isLoaded) this.of(region, encoding);
      }
    }
  }

  /**
   * Returns true when a loaded region was never changed and has no contents to send. Also returns false when
   * the work units of this tick are used up.
   */
  isBlank(region: WatchedRegion, encoding: RegionEncoding): boolean {
    const clock = this.#world.clockOf(region.position);
    const known = this.#entriesOf(encoding).get(keyOf(region));
    if (known?.clock === clock) return typeof known.whole === "string";
    if (clock !== CLOCK_NEVER || this.#isUsedUp) return false;
    this.#workLeft -= CHECK_WORK;
    return this.#work.run(() => this.#isBlankNow(region, encoding, this.#world.state));
  }

  /** Returns all of a loaded region as it was at the last tick, or `undefined` when no more can be made in this one. */
  of(region: WatchedRegion, encoding: RegionEncoding): WholeRegionAt | undefined {
    const last = this.#feed.lastState(region);
    if (last === undefined) return undefined;
    const entries = this.#entriesOf(encoding);
    const key = keyOf(region);
    const known = entries.get(key);
    if (known?.clock === last.clock) {
      entries.delete(key);
      entries.set(key, known);
      return known;
    }
    if (this.#isUsedUp) {
      const wanted = this.#wanted[encoding.index];
      if (wanted !== undefined && wanted.size < WANTED_MAX) wanted.add(region);
      return undefined;
    }
    return this.#work.run(() => this.#makeEntry(region, encoding, last));
  }

  /** Encodes a region that was generated, if there is time; otherwise the next tick does it. */
  #prepare(region: WatchedRegion): void {
    // The next one is generated meanwhile.
    for (const next of this.#awaited.flatMap((awaited) => [...awaited])) {
      if (this.#generated.isFull) break;
      const last = next === region ? undefined : this.#feed.lastState(next);
      if (last !== undefined) this.#generate(next, last);
    }
    for (const encoding of REGION_ENCODINGS) {
      const isAwaited = this.#awaited[encoding.index]?.delete(region) === true;
      if (isAwaited && region.isLoaded) this.of(region, encoding);
    }
  }

  #makeEntry(region: WatchedRegion, encoding: RegionEncoding, last: RegionState): WholeRegionAt | undefined {
    const entries = this.#entriesOf(encoding);
    const key = keyOf(region);
    const known = entries.get(key)?.packed;
    const entry =
      (known && this.#updated(region, encoding, known, last)) ?? this.#packed(region, encoding, last);
    if (entry === undefined) {
      this.#awaited[encoding.index]?.add(region);
      return undefined;
    }
    this.#drop(entries, key);
    entries.set(key, entry);
    this.#bytes += entry.bytes;
    this.#evict();
    return entry;
  }

  /** Returns a packed region with what changed since, or `undefined` if the region had better be packed again. */
  #updated(
    { position: region }: WatchedRegion,
    encoding: RegionEncoding,
    packed: Packed,
    { clock, state }: RegionState,
  ): Entry | undefined {
    const { whole, made } = packed;
    if (packed.clock > clock) return undefined;
    const change = regionChange(made, state, { region, before: packed.clock, after: clock }, encoding);
    this.#workLeft -= CHECK_WORK + EDITED_CHUNK_WORK * (change.leaves.length + change.edits.length);
    const { bytes, patches } = encodeChange(change, state.shape.volume);
    if (patches.length > 1 || bytes > whole.bytes * CHANGED_SHARE_MAX) return undefined;
    return {
      packed,
      clock,
      whole: {
        region,
        change: undefined,
        patches: [...whole.patches, ...patches],
        bytes: whole.bytes + bytes,
      },
      bytes: packed.bytes + bytes,
    };
  }

  #packed(region: WatchedRegion, encoding: RegionEncoding, { clock, state }: RegionState): Entry | undefined {
    const whole = this.#make(region, encoding, { clock, state });
    if (whole === undefined) return undefined;
    if (typeof whole === "string") return { packed: undefined, clock, whole, bytes: ENTRY_BYTES };
    if (!isLarge(whole)) return { packed: undefined, clock, whole, bytes: ENTRY_BYTES + whole.bytes };
    const { position } = region;
    const made = { overrides: state.overrides.slice(regionBox(position)) };
    const bytes = ENTRY_BYTES + whole.bytes + (this.#world.loadedBytes?.(position) ?? 0);
    return { packed: { clock, whole, made, bytes }, clock, whole, bytes };
  }

  get #isUsedUp(): boolean {
    return this.#workLeft <= 0 || !this.#work.hasTime();
  }

  /** Returns `undefined` while the region is being generated. */
  #make(
    region: WatchedRegion,
    encoding: RegionEncoding,
    { clock, state }: RegionState,
  ): WholeRegion | undefined {
    this.#workLeft -= CHECK_WORK;
    if (clock === CLOCK_NEVER && this.#isBlankNow(region, encoding, state)) {
      return encoding.mode === "symbolic" ? "generated" : "air";
    }
    const isAsynchronous = encoding.mode === "concrete" && state.generatesAsync;
    const generated = isAsynchronous ? this.#generate(region, { clock, state }) : undefined;
    if (isAsynchronous && generated === undefined) return undefined;
    if (Array.isArray(generated)) return encodedPatches(region.position, generated);
    this.#workLeft -= encoding.mode === "symbolic" ? SYMBOLIC_WORK : CONCRETE_WORK;
    const change = wholeRegionChange(state, { region: region.position, clock }, { ...encoding, generated });
    if (encoding.mode === "symbolic") {
      this.#workLeft -= EDITED_CHUNK_WORK * (change.leaves.length + change.edits.length);
    }
    const isAir = change.base === "air" && change.leaves.length === 0;
    return isAir && clock === CLOCK_NEVER
      ? "air"
      : encodeChange(change, state.shape.volume, this.#pieceBytesMax);
  }

  /** Returns what was generated off the main thread: patches if the region was never edited, otherwise a tree. */
  #generate(region: WatchedRegion, { clock, state }: RegionState): RegionTree | Uint8Array[] | undefined {
    const isUntouched =
      clock === CLOCK_NEVER && state.overrides.slice(regionBox(region.position)).bounds() === undefined;
    if (!isUntouched) return this.#generated.tree(region);
    const patches = this.#generated.patches(region);
    return patches && [...patches];
  }

  #isBlankNow({ position }: WatchedRegion, { mode }: RegionEncoding, state: WorldState): boolean {
    const chunks = regionBox(position);
    if (state.overrides.slice(chunks).bounds() !== undefined) return false;
    return mode === "symbolic" || state.queryContentBounds(chunks) === undefined;
  }

  #entriesOf({ index }: RegionEncoding): Map<string, Entry> {
    return this.#entries[index] as Map<string, Entry>;
  }

  #drop(entries: Map<string, Entry>, key: string): void {
    this.#bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  }

  #evict(): void {
    for (const entries of this.#entries) {
      for (const key of entries.keys()) {
        if (this.#bytes <= CACHE_BYTES_MAX) return;
        this.#drop(entries, key);
      }
    }
  }
}

function keyOf({ position }: WatchedRegion): string {
  return position.join();
}
