import type { Position } from "@orthant/core";
import {
  comparePositions,
  getOrAdd,
  PositionMap,
  positionsLexicographic,
  regionBox,
} from "@orthant/core/lattice";
import {
  CHUNK_TICK_KINDS_MAX,
  CHUNK_TICKS_MAX,
  compareTicks,
  type ScheduledTick,
} from "@orthant/save/content";
import type { ChunkTickChanges, TickChange } from "@orthant/save/journal";

/** Stands for a voxel without a tick. */
const NONE = -1;

/** A list of voxels that grows and is used again. */
class VoxelList {
  voxels: Uint32Array = new Uint32Array(16);
  count = 0;

  push(index: number): void {
    if (this.count === this.voxels.length) {
      const larger = new Uint32Array(this.count * 2);
      larger.set(this.voxels);
      this.voxels = larger;
    }
    this.voxels[this.count++] = index;
  }
}

/** The ticks of one kind in a chunk. Remembers what changed, so that a step can be undone or logged. */
class KindTicks {
  readonly kind: string;
  /** The step of each voxel that has a tick, and of those whose tick was taken since the last call of `settle`. */
  readonly #steps = new Map<number, number>();
  /** Up to this step all ticks were taken; `NONE` if none was since the last call of `settle`. */
  #takenTo = NONE;
  /** Number of the voxels in `#steps` whose tick was taken. */
  #gone = 0;
  /** The voxels by step. Some have no tick there any more if `#hasMoved`. */
  readonly #byStep = new Map<number, VoxelList>();
  #hasMoved = false;
  /** The list of `#byStep` that got the last voxel: most ticks of a step are due together. */
  #lastPut: VoxelList | undefined;
  #lastStep = NONE;
  /** A list that is not in use. */
  #spare: VoxelList | undefined;
  /** For each change: the voxel, and its step before or `NONE`. */
  #log: number[] = [];

  constructor(kind: string) {
    this.kind = kind;
  }

  /** Number of ticks. */
  get size(): number {
    return this.#steps.size - this.#gone;
  }

  /** Returns the step in which the tick of a voxel is due; `undefined` if it has none. */
  stepOf(index: number): number | undefined {
    const step = this.#steps.get(index);
    return step === undefined || step <= this.#takenTo ? undefined : step;
  }

  /**
   * Removes and returns the voxels whose tick is due in `step` or before, ascending. The result is valid until the next change.
   */
  take(step: number): Uint32Array {
    let found: VoxelList | undefined;
    for (const [due, list] of this.#byStep) {
      if (due > step) continue;
      // Nothing is scheduled for a step that has begun.
      this.#byStep.delete(due);
      this.#lastPut = undefined;
      found ??= this.#emptyList();
      for (let at = 0; at < list.count; at++) {
        const index = list.voxels[at] as number;
        if (this.#hasMoved && this.#steps.get(index) !== due) continue;
        found.push(index);
        this.#log.push(index, due);
        if (this.#hasMoved) this.#steps.set(index, NONE);
      }
      this.#spare = list;
    }
    if (found === undefined) return NO_VOXELS;
    this.#spare = found;
    this.#hasMoved &&= this.#byStep.size > 0;
    if (found.count === 0) return NO_VOXELS;
    this.#gone += found.count;
    this.#takenTo = step;
    const voxels = found.voxels.subarray(0, found.count);
    return isAscending(voxels) ? voxels : voxels.sort();
  }

  /** Schedules a tick, or removes it. */
  set(index: number, step: number | undefined): void {
    this.replace(index, this.stepOf(index), step);
  }

  /** Does the same for a tick that is due in a known step, `undefined` if there is none. */
  replace(index: number, known: number | undefined, step: number | undefined): void {
    this.#log.push(index, known ?? NONE);
    this.#put(index, known, step);
  }

  /** Whether a tick is due in `step` or before. */
  isDue(step: number): boolean {
    for (const [due, { voxels, count }] of this.#byStep)
      if (due <= step)
        for (let at = 0; at < count; at++) if (this.#steps.get(voxels[at] as number) === due) return true;
    return false;
  }

  /** The steps in which something is due. */
  dueSteps(): Iterable<number> {
    return this.#byStep.keys();
  }

  /** Yields the voxels with ticks, and the step of each. */
  *ticks(): Generator<readonly [index: number, step: number]> {
    for (const tick of this.#steps) if (tick[1] > this.#takenTo) yield tick;
  }

  /** Returns what changed since the last call of `settle`, ascending by voxel. */
  changes(): readonly TickChange[] {
    const before = new Map<number, number>();
    for (let at = 0; at < this.#log.length; at += 2) {
      const index = this.#log[at] as number;
      if (!before.has(index)) before.set(index, this.#log[at + 1] as number);
    }
    const changes: TickChange[] = [];
    for (const [index, old] of before) {
      const step = this.stepOf(index);
      if ((step ?? NONE) !== old) changes.push({ kind: this.kind, index, step });
    }
    return changes.sort((a, b) => a.index - b.index);
  }

  /** Whether anything changed since the last call of `settle`. */
  get hasChanges(): boolean {
    return this.#log.length > 0;
  }

  /** Forgets what the ticks were before. */
  settle(): void {
    if (this.#gone > 0)
      for (let at = 0; at < this.#log.length; at += 2) {
        const index = this.#log[at] as number;
        if (this.stepOf(index) === undefined) this.#steps.delete(index);
      }
    this.#forget();
  }

  /** Takes back what changed since the last call of `settle`. */
  undo(): void {
    for (let at = this.#log.length - 2; at >= 0; at -= 2) {
      const [index, old] = [this.#log[at] as number, this.#log[at + 1] as number];
      this.#put(index, this.stepOf(index), old === NONE ? undefined : old);
    }
    // Everything that was taken is there again, and lists may name what was not there before.
    this.#forget();
    this.#hasMoved = true;
  }

  #forget(): void {
    this.#takenTo = NONE;
    this.#gone = 0;
    if (this.#log.length > 0) this.#log = [];
  }

  #put(index: number, known: number | undefined, step: number | undefined): void {
    if (known !== undefined) this.#hasMoved = true;
    if (step === undefined) {
      if (this.#steps.delete(index) && known === undefined) this.#gone--;
      return;
    }
    const { size } = this.#steps;
    this.#steps.set(index, step);
    if (known === undefined && this.#steps.size === size) this.#gone--;
    if (this.#lastPut === undefined || this.#lastStep !== step) {
      this.#lastPut = getOrAdd(this.#byStep, step, () => this.#emptyList());
      this.#lastStep = step;
    }
    this.#lastPut.push(index);
  }

  #emptyList(): VoxelList {
    const list = this.#spare ?? new VoxelList();
    this.#spare = undefined;
    list.count = 0;
    return list;
  }
}

const NO_VOXELS = new Uint32Array(0);

function isAscending(values: Uint32Array): boolean {
  for (let at = 1; at < values.length; at++)
    if ((values[at] as number) < (values[at - 1] as number)) return false;
  return true;
}

/** The scheduled ticks of one chunk. */
export class ChunkTicks {
  readonly position: Position;
  readonly kinds: Map<string, KindTicks> = new Map();
  /** The last step for which the chunk was planned. */
  plannedFor: number = NONE;

  constructor(position: Position) {
    this.position = position;
  }

  /** Number of ticks. */
  get size(): number {
    let size = 0;
    for (const ofKind of this.kinds.values()) size += ofKind.size;
    return size;
  }

  /** Returns the ticks of a kind, perhaps none. */
  ofKind(kind: string): KindTicks {
    return getOrAdd(this.kinds, kind, () => new KindTicks(kind));
  }

  /** Whether a tick is due in `step` or before. */
  isDue(step: number): boolean {
    for (const ofKind of this.kinds.values()) if (ofKind.isDue(step)) return true;
    return false;
  }

  /** Returns all ticks in the order in which they are stored. */
  list(): readonly ScheduledTick[] {
    const ticks: ScheduledTick[] = [];
    for (const ofKind of this.kinds.values())
      for (const [index, step] of ofKind.ticks()) ticks.push({ kind: ofKind.kind, index, step });
    return ticks.sort(compareTicks);
  }

  /** Returns what a step changed, in the order in which it is logged. */
  changes(): readonly TickChange[] {
    const changed = [...this.kinds.values()].filter(({ hasChanges }) => hasChanges);
    return changed.flatMap((ofKind) => ofKind.changes()).sort(compareTicks);
  }

  /** Whether a save can store another tick of a kind. */
  hasRoomFor(ofKind: KindTicks): boolean {
    // Most chunks have ticks of one kind.
    if (this.kinds.size === 1) return ofKind.size < CHUNK_TICKS_MAX;
    let ticks = 0;
    let otherKinds = 0;
    for (const { kind, size } of this.kinds.values()) {
      ticks += size;
      if (size > 0 && kind !== ofKind.kind) otherKinds++;
    }
    return ticks < CHUNK_TICKS_MAX && otherKinds < CHUNK_TICK_KINDS_MAX;
  }
}

/** The scheduled ticks of all regions in memory, and the steps in which something is due. */
export class LoadedTicks {
  readonly #chunks = new PositionMap<ChunkTicks>();
  /** Chunks in which something is due, by step. May name chunks in which nothing is due any more. */
  readonly #due = new Map<number, Set<ChunkTicks>>();

  /** Whether no chunk in memory has ticks. */
  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  /** Returns the ticks of a chunk; `undefined` if it has none. */
  find(position: Position): ChunkTicks | undefined {
    return this.#chunks.get(...position);
  }

  /** Returns the ticks of a chunk, perhaps none, to be changed. */
  open(position: Position): ChunkTicks {
    return this.#chunks.getOrAdd(...position, () => new ChunkTicks(position));
  }

  /** Adds the ticks of a chunk that was read. They count when their region becomes active. */
  add(position: Position, ticks: readonly ScheduledTick[]): void {
    this.apply({ position, changes: ticks });
  }

  /** Applies changes that were logged. They count when their region becomes active. */
  apply({ position, changes }: ChunkTickChanges): void {
    const chunk = this.open(position);
    for (const { kind, index, step } of changes) chunk.ofKind(kind).set(index, step);
    this.settle(chunk);
  }

  /** Makes the changes of a chunk final. */
  settle(chunk: ChunkTicks): void {
    for (const ofKind of chunk.kinds.values()) ofKind.settle();
    if (chunk.size === 0) this.#chunks.delete(...chunk.position);
  }

  /** Takes back the changes of a chunk, and makes what is due in it count in the step after `step`. */
  undo(chunk: ChunkTicks, step: number): void {
    for (const ofKind of chunk.kinds.values()) ofKind.undo();
    this.settle(chunk);
    this.#planAll(chunk, step);
  }

  /** Forgets the ticks of a region that leaves the memory. */
  removeRegion(region: Position): void {
    if (this.isEmpty) return;
    for (const position of positionsLexicographic(regionBox(region))) this.#chunks.delete(...position);
  }

  /** Makes what is due in a region count in the step after `step`: the region may have been inactive for long. */
  activate(region: Position, step: number): void {
    if (this.isEmpty) return;
    for (const position of positionsLexicographic(regionBox(region))) {
      const chunk = this.#chunks.get(...position);
      if (chunk !== undefined) this.#planAll(chunk, step);
    }
  }

  /** Makes a chunk count in a step. */
  plan(chunk: ChunkTicks, step: number): void {
    if (chunk.plannedFor === step) return;
    chunk.plannedFor = step;
    getOrAdd(this.#due, step, () => new Set()).add(chunk);
  }

  /** Returns the chunks in which something may be due in a step, in order, and forgets that step. */
  takeDue(step: number): readonly ChunkTicks[] {
    const chunks = this.#due.get(step);
    if (chunks === undefined) return [];
    this.#due.delete(step);
    return [...chunks]
      .filter((chunk) => this.#chunks.get(...chunk.position) === chunk)
      .sort((a, b) => comparePositions(a.position, b.position));
  }

  /** Makes everything that is due up to `step` count in the step after it, as if no region had been active meanwhile. */
  skipTo(step: number): void {
    for (const [due, chunks] of [...this.#due]) {
      if (due > step) continue;
      this.#due.delete(due);
      for (const chunk of chunks) this.plan(chunk, step + 1);
    }
  }

  #planAll(chunk: ChunkTicks, step: number): void {
    for (const ofKind of chunk.kinds.values())
      for (const due of ofKind.dueSteps()) {
        chunk.plannedFor = NONE;
        this.plan(chunk, Math.max(due, step + 1));
      }
  }
}
