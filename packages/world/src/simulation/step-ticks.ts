import { type ChunkShape, OrthantError, type Position } from "@orthant/core";
import { chunkOfVoxel, PositionMap, voxelIndex, voxelOfIndex } from "@orthant/core/engine";
import { compareTicks, isTickKind } from "@orthant/save/content";
import type { ChunkTickChanges, TickChange } from "@orthant/save/journal";
import { type ChunkTicks, requireRoomForTicks, type TickStore } from "./tick-store.ts";

/** The ticks that a step takes and schedules. Nothing changes in the store before the step is applied. */
export class StepTicks {
  readonly #step: number;
  readonly #shape: ChunkShape;
  readonly #store: TickStore;
  /** Active chunks in which something is due, in order. */
  readonly #due: readonly ChunkTicks[];
  /** By chunk and kind: the new step of a voxel's tick, `undefined` for none. */
  readonly #changes = new PositionMap<Map<string, Map<number, number | undefined>>>();

  constructor(step: number, shape: ChunkShape, store: TickStore, due: readonly ChunkTicks[]) {
    this.#step = step;
    this.#shape = shape;
    this.#store = store;
    this.#due = due;
  }

  /** Takes the ticks of a kind that are due, and calls `visit` with each voxel, in the order of chunks and voxels. */
  takeDue(kind: string, visit: (voxel: Position) => void): void {
    for (const chunk of this.#due) {
      const ofKind = chunk.kinds.get(kind);
      if (ofKind === undefined) continue;
      const changes = this.#changesOf(chunk.position, kind);
      for (const index of ofKind.dueIn(this.#step)) {
        // Taken before in this step, or moved by it.
        if (changes.has(index)) continue;
        changes.set(index, undefined);
        visit(voxelOfIndex(this.#shape, chunk.position, index));
      }
    }
  }

  /** Schedules a tick. One that is due earlier stays. */
  add(voxel: Position, kind: string, step: number): void {
    requireTickKind(kind);
    const position = chunkOfVoxel(this.#shape, voxel);
    const index = voxelIndex(this.#shape, ...voxel);
    const changes = this.#changesOf(position, kind);
    const known = changes.has(index) ? changes.get(index) : this.#store.find(position)?.stepOf(kind, index);
    if (known === undefined || known > step) changes.set(index, step);
  }

  /** Removes a tick that is scheduled. */
  cancel(voxel: Position, kind: string): void {
    const position = chunkOfVoxel(this.#shape, voxel);
    this.#changesOf(position, kind).set(voxelIndex(this.#shape, ...voxel), undefined);
  }

  /** Returns the step in which a tick is due; `undefined` if it is not scheduled. */
  stepOf(voxel: Position, kind: string): number | undefined {
    const position = chunkOfVoxel(this.#shape, voxel);
    const index = voxelIndex(this.#shape, ...voxel);
    const changes = this.#changes.get(...position)?.get(kind);
    return changes?.has(index) === true
      ? changes.get(index)
      : this.#store.find(position)?.stepOf(kind, index);
  }

  /** Returns all changes. Throws `ORT_LIMIT` if a chunk would have too many ticks. */
  changes(): readonly ChunkTickChanges[] {
    const all: ChunkTickChanges[] = [];
    for (const [position, kinds] of this.#changes) {
      const before = this.#store.find(position);
      const changes: TickChange[] = [];
      let size = before?.size ?? 0;
      for (const [kind, voxels] of kinds)
        for (const [index, step] of voxels) {
          const known = before?.stepOf(kind, index);
          if (step === known) continue;
          changes.push({ kind, index, step });
          size += Number(step !== undefined) - Number(known !== undefined);
        }
      if (changes.length === 0) continue;
      requireRoomForTicks(position, size, new Set([...(before?.kinds.keys() ?? []), ...kinds.keys()]).size);
      all.push({ position, changes: changes.sort(compareTicks) });
    }
    return all;
  }

  #changesOf(position: Position, kind: string): Map<number, number | undefined> {
    let kinds = this.#changes.get(...position);
    if (kinds === undefined) {
      kinds = new Map();
      this.#changes.set(...position, kinds);
    }
    let voxels = kinds.get(kind);
    if (voxels === undefined) {
      voxels = new Map();
      kinds.set(kind, voxels);
    }
    return voxels;
  }
}

/** Throws `ORT_ARGUMENT` unless a string can name a kind of ticks. */
export function requireTickKind(kind: unknown): asserts kind is string {
  if (typeof kind === "string" && isTickKind(kind)) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `kind is ${JSON.stringify(kind)}; it is a name of 1 to 64 letters, digits and _ : . -, such as "my-game:fall"`,
  );
}
