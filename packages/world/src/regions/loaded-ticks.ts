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

/** The ticks of one kind in a chunk. Remembers what changed, so that a step can be undone or logged. */
class KindTicks {
  readonly kind: string;
  /** The step of each voxel that has a tick. */
  readonly steps: Map<number, number> = new Map();
  /** The voxels by step. May name voxels whose tick is due in another step by now. */
  readonly #byStep = new Map<number, number[]>();
  /** For each change: the voxel, and its step before or `NONE`. */
  #log: number[] = [];

  constructor(kind: string) {
    this.kind = kind;
  }

  /** Removes and returns the voxels whose tick is due in `step` or before, ascending. */
  take(step: number): Uint32Array {
    const found: number[] = [];
    for (const [due, voxels] of this.#byStep) {
      if (due > step) continue;
      for (const index of voxels) {
        if (this.steps.get(index) !== due) continue;
        found.push(index);
        this.steps.delete(index);
        this.#log.push(index, due);
      }
      this.#byStep.delete(due);
    }
    return Uint32Array.from(found).sort();
  }

  /** Schedules a tick, or removes it. */
  set(index: number, step: number | undefined): void {
    this.#log.push(index, this.steps.get(index) ?? NONE);
    this.#put(index, step);
  }

  /** Whether a tick is due in `step` or before. */
  isDue(step: number): boolean {
    for (const [due, voxels] of this.#byStep)
      if (due <= step && voxels.some((index) => this.steps.get(index) === due)) return true;
    return false;
  }

  /** The steps in which something is due. */
  dueSteps(): Iterable<number> {
    return this.#byStep.keys();
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
      const step = this.steps.get(index);
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
    if (this.#log.length > 0) this.#log = [];
  }

  /** Takes back what changed since the last call of `settle`. */
  undo(): void {
    for (let at = this.#log.length - 2; at >= 0; at -= 2) {
      const old = this.#log[at + 1] as number;
      this.#put(this.#log[at] as number, old === NONE ? undefined : old);
    }
    this.#log = [];
  }

  #put(index: number, step: number | undefined): void {
    if (step === undefined) {
      this.steps.delete(index);
      return;
    }
    this.steps.set(index, step);
    getOrAdd(this.#byStep, step, () => []).push(index);
  }
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
    for (const { steps } of this.kinds.values()) size += steps.size;
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
    for (const { kind, steps } of this.kinds.values())
      for (const [index, step] of steps) ticks.push({ kind, index, step });
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
    if (this.kinds.size === 1) return ofKind.steps.size < CHUNK_TICKS_MAX;
    let ticks = 0;
    let otherKinds = 0;
    for (const { kind, steps } of this.kinds.values()) {
      ticks += steps.size;
      if (steps.size > 0 && kind !== ofKind.kind) otherKinds++;
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
