import { type Box, type Chunk, type ChunkShape, isOrthantError, type Position } from "@orthant/core";
import { type BlockEdit, editBlocks, fillBlocks, type IsSameType } from "@orthant/core/chunk";
import {
  boxAt,
  boxBetween,
  boxVolume,
  chunkOfVoxel,
  chunksOfVoxels,
  intersectBoxes,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  voxelIndex,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { RequestedEdit } from "../message/requested-edit.ts";

/** No world fills more chunks than these in one edit. */
const FILLED_CHUNKS_MAX = 65_536;

/** One predicted change of a chunk: a voxel, or a box of voxels relative to the chunk's corner. */
type PredictedStep = { readonly number: number } & (
  | BlockEdit
  | { readonly box: Box; readonly block: number }
);

/** The predicted changes of one chunk at one moment: the first `length` of `steps`, which later layers may share. */
export interface PredictedLayer {
  readonly steps: readonly PredictedStep[];
  readonly length: number;
}

interface Layer extends PredictedLayer {
  readonly steps: PredictedStep[];
  /** The latest result, and how many steps it contains. */
  seen?: { readonly base: Chunk; readonly result: Chunk; readonly length: number } | undefined;
}

/** A chunk whose predictions change, and those before. */
export type PredictionChange = readonly [chunk: Position, before: PredictedLayer | undefined];

/** A client's own edits without results, applied in order over the state from the server. */
export class Predictions {
  readonly #shape: ChunkShape;
  readonly #isSameType: IsSameType;
  readonly #layers = new PositionMap<Layer>();
  readonly #chunksByEdit = new Map<number, readonly Position[]>();

  /** `isSameType` tells whether a voxel that changes from one block to another keeps its data. */
  constructor(shape: ChunkShape, isSameType: IsSameType) {
    this.#shape = shape;
    this.#isSameType = isSameType;
  }

  /** Returns the chunks that have predictions. */
  chunks(): Iterable<Position> {
    return this.#layers.positions();
  }

  /** Returns the predictions over a chunk. */
  layerAt([x, y, z, w]: Position): PredictedLayer | undefined {
    return this.#layers.get(x, y, z, w);
  }

  /**
   * Applies an edit over earlier ones and returns its chunks. Throws `ORT_POSITION_RANGE` off the lattice. A copy is
   * not predicted: its source may not be held, and is what the server has when the edit's turn comes. Neither is a fill that
   * every server refuses for its size.
   */
  lay(number: number, edit: RequestedEdit): readonly PredictionChange[] {
    const stepsByChunk = this.#stepsOf(number, edit);
    const changes: PredictionChange[] = [];
    for (const [chunk, steps] of stepsByChunk) {
      const below = this.#layers.get(...chunk);
      changes.push([chunk, below]);
      this.#layers.set(...chunk, grown(below, steps));
    }
    this.#chunksByEdit.set(number, [...stepsByChunk.positions()]);
    return changes;
  }

  /** Removes edits from between the others. Returns their chunks. */
  takeBack(numbers: ReadonlySet<number>): readonly PredictionChange[] {
    const layersBefore = new PositionMap<Layer | undefined>();
    for (const number of numbers) {
      for (const chunk of this.#chunksByEdit.get(number) ?? [])
        layersBefore.set(...chunk, this.#layers.get(...chunk));
      this.#chunksByEdit.delete(number);
    }
    for (const [chunk, layer] of layersBefore) {
      const steps = stepsIn(layer).filter((step) => !numbers.has(step.number));
      if (steps.length === 0) this.#layers.delete(...chunk);
      else this.#layers.set(...chunk, { steps, length: steps.length });
    }
    return [...layersBefore];
  }

  /** Returns a chunk with its predictions applied. */
  over([x, y, z, w]: Position, base: Chunk): Chunk {
    const layer = this.#layers.get(x, y, z, w);
    if (layer === undefined) return base;
    const seen = layer.seen?.base === base ? layer.seen : { base, result: base, length: 0 };
    if (seen.length < layer.length || layer.seen !== seen) {
      const result = this.#applied(seen.result, layer.steps.slice(seen.length, layer.length));
      layer.seen = { base, result, length: layer.length };
      return result;
    }
    return seen.result;
  }

  /** Returns a chunk with the predictions of an earlier moment applied. */
  overLayer(layer: PredictedLayer | undefined, base: Chunk): Chunk {
    return this.#applied(base, stepsIn(layer));
  }

  #stepsOf(number: number, edit: RequestedEdit): PositionMap<PredictedStep[]> {
    if (edit.kind === "voxels") return this.#voxelSteps(number, edit.placements);
    const stepsByChunk = new PositionMap<PredictedStep[]>();
    if (edit.kind === "copy") return stepsByChunk;
    const chunks = chunksOfVoxels(this.#shape, edit.box);
    if (boxVolume(chunks) > FILLED_CHUNKS_MAX) return stepsByChunk;
    for (const chunk of positionsLexicographic(chunks)) {
      const { min } = voxelsOfChunks(this.#shape, boxAt(chunk));
      const part = intersectBoxes(edit.box, voxelsOfChunks(this.#shape, boxAt(chunk))) ?? edit.box;
      const local = boxBetween(minus(part.min, min), minus(part.max, min));
      stepsByChunk.set(...chunk, [{ number, box: local, block: edit.block }]);
    }
    return stepsByChunk;
  }

  #voxelSteps(number: number, placements: readonly VoxelPlacement[]): PositionMap<PredictedStep[]> {
    const stepsByChunk = new PositionMap<PredictedStep[]>();
    for (const { voxel, block, data } of placements) {
      const chunk = chunkOfVoxel(this.#shape, voxel);
      const step = { number, index: voxelIndex(this.#shape, ...voxel), block, data };
      stepsByChunk.getOrAdd(...chunk, () => []).push(step);
    }
    return stepsByChunk;
  }

  /** Returns a chunk after some steps, with all voxels between two boxes applied at once. */
  #applied(base: Chunk, steps: readonly PredictedStep[]): Chunk {
    const isSameType = this.#isSameType;
    let chunk = base;
    let voxels: BlockEdit[] = [];
    for (const step of steps) {
      if ("index" in step) voxels.push(step);
      else {
        const edited = editedChunk(chunk, voxels, isSameType);
        chunk = fillBlocks(edited, this.#shape, step.box, step.block, isSameType);
        voxels = [];
      }
    }
    return editedChunk(chunk, voxels, isSameType);
  }
}

/** Returns a layer with more steps. Shares the array with the newest layer, so that a long series of edits is cheap. */
function grown(below: Layer | undefined, steps: readonly PredictedStep[]): Layer {
  if (below === undefined) return { steps: [...steps], length: steps.length };
  const shared = below.length === below.steps.length ? below.steps : below.steps.slice(0, below.length);
  for (const step of steps) shared.push(step);
  return { steps: shared, length: shared.length, seen: below.seen };
}

function stepsIn(layer: PredictedLayer | undefined): readonly PredictedStep[] {
  return layer === undefined ? [] : layer.steps.slice(0, layer.length);
}

/** Returns a chunk after edits. Data that the chunk has no room for is left out: the server will reject it. */
function editedChunk(chunk: Chunk, edits: readonly BlockEdit[], isSameType: IsSameType): Chunk {
  try {
    return editBlocks(chunk, edits, isSameType);
  } catch (error) {
    if (!isOrthantError(error, "ORT_LIMIT")) throw error;
    const [only, ...others] = edits;
    if (only === undefined || others.length > 0) {
      return edits.reduce((edited, edit) => editedChunk(edited, [edit], isSameType), chunk);
    }
    return editBlocks(chunk, [{ index: only.index, block: only.block }], isSameType);
  }
}

function minus(position: Position, from: Position): Position {
  return positionFrom((axis) => position[axis] - from[axis]);
}
