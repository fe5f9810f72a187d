import { OrthantError, type Position } from "@orthant/core";
import { comparePositions, PositionMap, positionsLexicographic, regionBox } from "@orthant/core/engine";
import {
  CHUNK_TICK_KINDS_MAX,
  CHUNK_TICKS_MAX,
  compareTicks,
  type ScheduledTick,
} from "@orthant/save/content";
import type { ChunkTickChanges, TickChange } from "@orthant/save/journal";

/** The ticks of one kind in a chunk. */
class KindTicks {
  /** The step of each voxel that has a tick. */
  readonly steps: Map<number, number> = new Map();
  /** The voxels by step. May name voxels whose tick was moved or removed since. */
  readonly #byStep = new Map<number, number[]>();

  set(index: number, step: number): void {
    this.steps.set(index, step);
    const voxels = this.#byStep.get(step);
    if (voxels === undefined) this.#byStep.set(step, [index]);
    else voxels.push(index);
  }

  /** Returns the voxels whose tick is due in `step` or before, ascending. */
  dueIn(step: number): Uint32Array {
    const found: number[] = [];
    for (const [due, voxels] of this.#byStep) {
      if (due > step) continue;
      for (const index of voxels) if (this.steps.get(index) === due) found.push(index);
      if (voxels.every((index) => this.steps.get(index) !== due)) this.#byStep.delete(due);
    }
    // A voxel that was taken and scheduled for the same step again is listed twice.
    return Uint32Array.from(new Set(found)).sort();
  }

  /** The steps in which something is due. */
  dueSteps(): Iterable<number> {
    return this.#byStep.keys();
  }
}

/** The scheduled ticks of one chunk. */
export class ChunkTicks {
  readonly position: Position;
  readonly kinds: Map<string, KindTicks> = new Map();
  #size = 0;

  constructor(position: Position) {
    this.position = position;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the step in which a tick is due. */
  stepOf(kind: string, index: number): number | undefined {
    return this.kinds.get(kind)?.steps.get(index);
  }

  /** Schedules a tick, or removes it. */
  set({ kind, index, step }: TickChange): void {
    const known = this.kinds.get(kind);
    if (step === undefined) {
      if (known?.steps.delete(index) === true) this.#size--;
      return;
    }
    const ofKind = known ?? new KindTicks();
    if (known === undefined) this.kinds.set(kind, ofKind);
    if (!ofKind.steps.has(index)) this.#size++;
    ofKind.set(index, step);
  }

  /** Returns all ticks in the order in which they are stored. */
  list(): readonly ScheduledTick[] {
    const ticks: ScheduledTick[] = [];
    for (const [kind, { steps }] of this.kinds)
      for (const [index, step] of steps) ticks.push({ kind, index, step });
    return ticks.sort(compareTicks);
  }
}

/** The scheduled ticks of all regions in memory, and which of them are due in the active chunks. */
export class TickStore {
  readonly #chunks = new PositionMap<ChunkTicks>();
  /** Chunks in which something is due, by step. May name chunks in which nothing is due any more. */
  readonly #due = new Map<number, Set<ChunkTicks>>();

  /** Whether no chunk in memory has ticks. */
  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  /** Adds the ticks of a chunk that was read. They count when their region becomes active. */
  add(position: Position, ticks: readonly ScheduledTick[]): void {
    const chunk = this.#chunkAt(position);
    for (const tick of ticks) chunk.set(tick);
  }

  /** Forgets the ticks of a region that leaves the memory. */
  removeRegion(region: Position): void {
    for (const position of positionsLexicographic(regionBox(region))) this.#chunks.delete(...position);
  }

  /** Returns the ticks of a chunk in the order in which they are stored; `undefined` if it has none. */
  listOf(position: Position): readonly ScheduledTick[] | undefined {
    const chunk = this.#chunks.get(...position);
    return chunk === undefined || chunk.size === 0 ? undefined : chunk.list();
  }

  /** Returns the ticks of a chunk; `undefined` if it has none. */
  find(position: Position): ChunkTicks | undefined {
    return this.#chunks.get(...position);
  }

  /** Applies the changes of a step. */
  apply({ position, changes }: ChunkTickChanges): void {
    const chunk = this.#chunkAt(position);
    for (const change of changes) {
      chunk.set(change);
      if (change.step !== undefined) this.#plan(chunk, change.step);
    }
    if (chunk.size === 0) this.#chunks.delete(...position);
  }

  /** Makes everything that is due in a region count in the next step: it may have been inactive for long. */
  activate(region: Position, step: number): void {
    for (const position of positionsLexicographic(regionBox(region))) {
      const chunk = this.#chunks.get(...position);
      if (chunk === undefined) continue;
      for (const ofKind of chunk.kinds.values())
        for (const due of ofKind.dueSteps()) this.#plan(chunk, Math.max(due, step + 1));
    }
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

  #plan(chunk: ChunkTicks, step: number): void {
    const chunks = this.#due.get(step);
    if (chunks === undefined) this.#due.set(step, new Set([chunk]));
    else chunks.add(chunk);
  }

  #chunkAt(position: Position): ChunkTicks {
    const known = this.#chunks.get(...position);
    if (known !== undefined) return known;
    const chunk = new ChunkTicks(position);
    this.#chunks.set(...position, chunk);
    return chunk;
  }
}

/** Throws `ORT_LIMIT` if a chunk would have more ticks or kinds of ticks than a save can store. */
export function requireRoomForTicks(position: Position, ticks: number, kinds: number): void {
  if (ticks <= CHUNK_TICKS_MAX && kinds <= CHUNK_TICK_KINDS_MAX) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `chunk [${position}] would have ${ticks} ticks of ${kinds} kinds, at most ${CHUNK_TICKS_MAX} of ${CHUNK_TICK_KINDS_MAX} may be`,
  );
}
