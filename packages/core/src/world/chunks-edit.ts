import { requireFunction } from "../arguments/checks.ts";
import { type Chunk, diffChunks } from "../chunk/chunk.ts";
import { diffVoxelData } from "../chunk/voxel-data.ts";
import type { Axes, VoxelBox } from "../lattice/axes.ts";
import { boxAt, unionBox } from "../lattice/box.ts";
import { type ChunkShape, voxelOfIndex, voxelsOfChunks } from "../lattice/chunk-shape.ts";
import type { Dimensions, Position } from "../lattice/position.ts";
import { type DataCodec, publicData } from "./data-codec.ts";
import type { BlockChange, BlockChanges, EditEvent } from "./voxel-world.ts";

/** The chunks of an edit before and after it. */
interface Difference {
  readonly before: (chunk: Position) => Chunk;
  readonly after: (chunk: Position) => Chunk;
  readonly author: bigint | undefined;
  readonly codec: DataCodec;
}

/** Changes that are made while they are read. */
export class LazyChanges<D extends Dimensions> implements BlockChanges<D> {
  readonly #read: () => Iterator<BlockChange<D>>;

  /** `read` starts at the first change with each call. */
  constructor(read: () => Iterator<BlockChange<D>>) {
    this.#read = read;
  }

  [Symbol.iterator](): Iterator<BlockChange<D>> {
    return this.#read();
  }

  some(test: (change: BlockChange<D>) => boolean): boolean {
    requireFunction("test", test);
    for (const change of this) if (test(change)) return true;
    return false;
  }

  every(test: (change: BlockChange<D>) => boolean): boolean {
    requireFunction("test", test);
    return !this.some((change) => !test(change));
  }
}

/** An edit as listeners see it. */
export class ChunksEdit<D extends Dimensions> implements EditEvent<D> {
  readonly chunks: readonly Position<D>[];
  readonly box: VoxelBox<D>;
  readonly author: bigint | undefined;
  readonly changes: BlockChanges<D>;
  readonly #count: () => number;
  #counted: number | undefined;

  constructor(axes: Axes<D>, shape: ChunkShape, chunks: readonly Position[], difference: Difference) {
    const { before, after, author, codec } = difference;
    this.chunks = chunks.map((chunk) => axes.publicPosition(chunk));
    this.box = axes.publicVoxels(voxelsOfChunks(shape, chunks.map(boxAt).reduce(unionBox)));
    this.author = author;
    this.changes = new LazyChanges(function* () {
      for (const chunk of chunks) {
        const old = before(chunk);
        const young = after(chunk);
        for (const index of changedVoxels(old, young)) {
          yield {
            position: axes.publicPosition(voxelOfIndex(shape, chunk, index)),
            block: young.get(index),
            before: old.get(index),
            ...publicDataChange(codec, old.data.at(index), young.data.at(index)),
          };
        }
      }
    });
    this.#count = () =>
      chunks.reduce((sum, chunk) => sum + changedVoxels(before(chunk), after(chunk)).length, 0);
  }

  get count(): number {
    this.#counted ??= this.#count();
    return this.#counted;
  }
}

/** Returns the data of a voxel before and after a change; omits fields that are absent. */
export function publicDataChange(
  codec: DataCodec,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): Pick<BlockChange<Dimensions>, "data" | "dataBefore"> {
  return {
    ...(after && { data: publicData(codec, after) }),
    ...(before && { dataBefore: publicData(codec, before) }),
  };
}

function changedVoxels(before: Chunk, after: Chunk): readonly number[] {
  const blocks = diffChunks(before, after).map(({ index }) => index);
  const data = diffVoxelData(before.data, after.data).map(({ index }) => index);
  return data.length === 0 ? blocks : [...new Set([...blocks, ...data])].sort((a, b) => a - b);
}
