import { type Chunk, diffChunks } from "../chunk/chunk.ts";
import { diffVoxelData } from "../chunk/voxel-data.ts";
import type { Axes } from "../lattice/axes.ts";
import { type ChunkShape, voxelOfIndex } from "../lattice/chunk-shape.ts";
import type { Dimensions, Position } from "../lattice/position.ts";
import { type DataCodec, shownData } from "./data-codec.ts";
import type { BlockChange, EditEvent } from "./voxel-world.ts";

/** The chunks of an edit before and after it. */
interface Difference {
  readonly before: (chunk: Position) => Chunk;
  readonly after: (chunk: Position) => Chunk;
  readonly author: bigint | undefined;
  readonly codec: DataCodec;
}

/** An edit as listeners see it. */
export class ChunksEdit<D extends Dimensions> implements EditEvent<D> {
  readonly chunks: readonly Position<D>[];
  readonly author: bigint | undefined;
  readonly #compare: () => readonly BlockChange<D>[];
  #changes: readonly BlockChange<D>[] | undefined;

  constructor(axes: Axes<D>, shape: ChunkShape, chunks: readonly Position[], difference: Difference) {
    const { before, after, author, codec } = difference;
    this.chunks = chunks.map((chunk) => axes.shown(chunk));
    this.author = author;
    this.#compare = () =>
      chunks.flatMap((chunk) => {
        const old = before(chunk);
        const young = after(chunk);
        return changedVoxels(old, young).map((index) => ({
          position: axes.shown(voxelOfIndex(shape, chunk, index)),
          block: young.get(index),
          before: old.get(index),
          ...shownChange(codec, old.data.at(index), young.data.at(index)),
        }));
      });
  }

  get changes(): readonly BlockChange<D>[] {
    this.#changes ??= this.#compare();
    return this.#changes;
  }
}

/** Returns the data of a voxel before and after a change, without what there is not. */
export function shownChange(
  codec: DataCodec,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): Pick<BlockChange<Dimensions>, "data" | "dataBefore"> {
  return {
    ...(after && { data: shownData(codec, after) }),
    ...(before && { dataBefore: shownData(codec, before) }),
  };
}

function changedVoxels(before: Chunk, after: Chunk): readonly number[] {
  const blocks = diffChunks(before, after).map(({ index }) => index);
  const data = diffVoxelData(before.data, after.data).map(({ index }) => index);
  return data.length === 0 ? blocks : [...new Set([...blocks, ...data])].sort((a, b) => a - b);
}
