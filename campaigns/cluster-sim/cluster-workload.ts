import { BlockCatalog, type Box, type Chunk, chunkShape, type Position } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import { PositionMap, voxelOfIndex, voxelsOfChunks } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Prng } from "@orthant/testkit";

/** Shape of the chunks of the world. */
export const SHAPE = chunkShape([4, 4, 1, 1]);
/** More blocks than edits, so that every edit changes something. */
const BLOCKS = 260;
/** Blocks below this one are used by the generator. */
const FIRST_BLOCK = 20;
/** The blocks of the world. */
export const CATALOG = new BlockCatalog(
  Array.from({ length: BLOCKS }, (_, id) => ({
    id,
    name: id === 0 ? "air" : `m${id}`,
    colour: 0,
    solid: id > 0,
  })),
);
const DATA_BYTES_MAX = 300;
/** Bytes of data that make it unique, so that no edit repeats what is there. */
const STAMP_BYTES = 8;
/** Voxels that were edited last, which are edited again, so that edits conflict and are joined in records. */
const RECENT_VOXELS = 6;

/** The data that a voxel may have; `undefined` for none. */
type Data = Uint8Array | undefined;

/** Draws edits, and knows which data they put on which block. */
export class ClusterWorkload {
  readonly #prng: Prng;
  readonly #voxels: Box;
  readonly #recent: Position[] = [];
  /** The data that came with a block, for every placement of the block. */
  readonly #dataOfBlock = new Map<number, Data[]>();
  /** The data that came to a voxel without a block. */
  readonly #dataOfVoxel = new PositionMap<Data[]>();
  /** Blocks that were defined while the world was played. */
  readonly #newBlocks: number[] = [];
  #placements = 0;

  /** Draws edits in a box of chunks. */
  constructor(prng: Prng, arena: Box) {
    this.#prng = prng;
    this.#voxels = voxelsOfChunks(SHAPE, arena);
  }

  /** Uses a block that was defined meanwhile in later edits. */
  addBlock(block: number): void {
    this.#newBlocks.push(block);
  }

  /** Draws an edit of a few voxels. It changes something, whatever the world contains. */
  edit(): readonly VoxelPlacement[] {
    const count = this.#prng.pick([1, 1, 1, 2, 4]);
    const placements = Array.from({ length: count }, () => this.#placement());
    // A removal at the end could undo the only change of the edit.
    return this.#prng.chance(0.1) ? [this.#removal(), ...placements] : placements;
  }

  /** Describes a voxel that has data of another edit than its block, or lost its data; `undefined` if none has. */
  faultOf(position: Position, chunk: Chunk): string | undefined {
    for (let index = 0; index < SHAPE.volume; index++) {
      const voxel = voxelOfIndex(SHAPE, position, index);
      const block = chunk.get(index);
      const data = chunk.data.at(index);
      const allowed = [
        ...(this.#dataOfBlock.get(block) ?? [undefined]),
        ...(this.#dataOfVoxel.get(...voxel) ?? []),
      ];
      if (!allowed.some((known) => isSame(known, data)))
        return `voxel [${voxel}] has block ${block} with ${data?.length ?? "no"} bytes of data, which never came together`;
    }
    return undefined;
  }

  #placement(): VoxelPlacement {
    const voxel = this.#voxel();
    if (this.#prng.chance(0.2)) {
      const data = this.#data();
      this.#allow(voxel, data);
      return { voxel, data };
    }
    const isNew = this.#newBlocks.length > 0 && this.#prng.chance(0.2);
    const block = isNew
      ? this.#prng.pick(this.#newBlocks)
      : FIRST_BLOCK + (this.#placements++ % (BLOCKS - FIRST_BLOCK));
    // There are few new blocks, so only its data makes sure that the edit changes something.
    const data = isNew || this.#prng.chance(0.4) ? this.#data() : undefined;
    this.#dataOfBlock.set(block, [...(this.#dataOfBlock.get(block) ?? []), data]);
    return data === undefined ? { voxel, block } : { voxel, block, data };
  }

  #removal(): VoxelPlacement {
    const voxel = this.#voxel();
    this.#allow(voxel, undefined);
    return { voxel, data: null };
  }

  #allow(voxel: Position, data: Data): void {
    this.#dataOfVoxel.set(...voxel, [...(this.#dataOfVoxel.get(...voxel) ?? []), data]);
  }

  #data(): Uint8Array {
    return this.#prng.bytes(this.#prng.pick([STAMP_BYTES, STAMP_BYTES, 40, DATA_BYTES_MAX]));
  }

  #voxel(): Position {
    const { min, max } = this.#voxels;
    const prng = this.#prng;
    if (this.#recent.length > 0 && prng.chance(0.4)) return prng.pick(this.#recent);
    const voxel: Position = [prng.between(min[0], max[0] - 1), prng.between(min[1], max[1] - 1), 0, 0];
    this.#recent.unshift(voxel);
    this.#recent.splice(RECENT_VOXELS);
    return voxel;
  }
}

function isSame(one: Data, other: Data): boolean {
  return one && other ? bytesEqual(one, other) : one === other;
}
