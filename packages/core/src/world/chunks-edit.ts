import type { Chunk } from "../chunk/chunk.ts";
import { diffChunks } from "../chunk/chunk.ts";
import type { Axes } from "../lattice/axes.ts";
import { type ChunkShape, voxelOfIndex } from "../lattice/chunk-shape.ts";
import type { Dimensions, Position } from "../lattice/position.ts";
import type { BlockChange, EditEvent } from "./voxel-world.ts";

/** The chunks of an edit before and after it. */
interface Difference {
  readonly before: (chunk: Position) => Chunk;
  readonly after: (chunk: Position) => Chunk;
  readonly author: bigint | undefined;
}

/** An edit as listeners see it. */
export class ChunksEdit<D extends Dimensions> implements EditEvent<D> {
  readonly chunks: readonly Position<D>[];
  readonly author: bigint | undefined;
  readonly #compare: () => readonly BlockChange<D>[];
  #changes: readonly BlockChange<D>[] | undefined;

  constructor(axes: Axes<D>, shape: ChunkShape, chunks: readonly Position[], difference: Difference) {
    const { before, after, author } = difference;
    this.chunks = chunks.map((chunk) => axes.shown(chunk));
    this.author = author;
    this.#compare = () =>
      chunks.flatMap((chunk) => {
        const old = before(chunk);
        return diffChunks(old, after(chunk)).map(({ index, block }) => ({
          position: axes.shown(voxelOfIndex(shape, chunk, index)),
          block,
          before: old.get(index),
        }));
      });
  }

  get changes(): readonly BlockChange<D>[] {
    this.#changes ??= this.#compare();
    return this.#changes;
  }
}
