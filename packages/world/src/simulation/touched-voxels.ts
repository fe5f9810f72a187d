import type { DataCodec, Dimensions, Position } from "@orthant/core";
import type { Axes } from "@orthant/core/lattice";
import { onShownEdit } from "../engine/shown-edits.ts";
import type { WorldEngine } from "../engine/world-engine.ts";
import type { Step } from "./step.ts";

/** Voxels of players' edits that one step takes notice of. */
const VOXELS_MAX = 16_384;

/** Schedules ticks where players have edited, and beside it: what is there may have to fall, flow or grow now. */
export class TouchedVoxels<D extends Dimensions> {
  /** Stops to listen to the world. */
  readonly close: () => void;
  readonly #kinds: readonly (readonly [kind: string, inSteps: number])[];
  readonly #voxels: Position<D>[] = [];
  #scheduled = 0;

  /** `kinds` are the ticks, with their delays in steps. */
  constructor(engine: WorldEngine, axes: Axes<D>, codec: DataCodec, kinds: Readonly<Record<string, number>>) {
    this.#kinds = Object.entries(kinds);
    this.close = onShownEdit(engine, { axes, codec }, ({ author, changes }) => {
      if (author === undefined) return;
      for (const { position } of changes) {
        if (this.#voxels.length >= VOXELS_MAX) return;
        this.#voxels.push(position);
      }
    });
  }

  /** Schedules the ticks in a step. */
  schedule({ schedule }: Step<D>): void {
    this.#scheduled = this.#voxels.length;
    for (const voxel of this.#voxels)
      for (const place of withNeighbours(voxel))
        for (const [kind, inSteps] of this.#kinds) schedule.add(place, kind, inSteps);
  }

  /** Forgets what the last step has scheduled: the step was made. */
  settle(): void {
    this.#voxels.splice(0, this.#scheduled);
    this.#scheduled = 0;
  }
}

function* withNeighbours<D extends Dimensions>(voxel: Position<D>): Generator<Position<D>> {
  yield voxel;
  for (const axis of voxel.keys())
    for (const distance of [-1, 1])
      yield voxel.map((coordinate, at) =>
        at === axis ? coordinate + distance : coordinate,
      ) as readonly number[] as Position<D>;
}
