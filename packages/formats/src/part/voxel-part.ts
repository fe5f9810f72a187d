/** Three coordinates: x, y (up) and z. */
export type Triple = readonly [x: number, y: number, z: number];

/** Index of a voxel about which a file says nothing that can be read. */
export const NOT_STORED = 0xffff;

/** Maximum number of states in a palette: indices have 16 bits, and one is {@link NOT_STORED}. */
export const PALETTE_MAX = 0xffff;

/**
 * A box of voxels of another game. A state is `name[property=value,...]` with the properties that the file lists,
 * sorted by name, or `id:data` in files from before Minecraft 1.13.
 */
export interface VoxelPart {
  /** Lowest corner. */
  readonly min: Triple;
  readonly size: Triple;
  readonly palette: readonly string[];
  /**
   * For each voxel its place in the palette, or {@link NOT_STORED}; x runs fastest, then z, then y. `undefined` if all
   * voxels have the first state.
   */
  readonly indices: Uint16Array | undefined;
}

/** Data of a block, such as a chest's content. */
export interface ImportedBlockData {
  readonly position: Triple;
  readonly id: string;
  /** A compound of NBT, for `readNbtCompound`. */
  readonly nbt: Uint8Array;
}

/** An entity of another game. */
export interface ImportedEntity {
  /** In voxels; fractions count. `undefined` if the file does not say it. */
  readonly position: Triple | undefined;
  readonly id: string;
  /** A compound of NBT, for `readNbtCompound`. */
  readonly nbt: Uint8Array;
}
