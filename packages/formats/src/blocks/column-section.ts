import { requireFunction, wrongArgument } from "@orthant/core/arguments";
import type { Triple, VoxelPart } from "../part/voxel-part.ts";

const WORDS = 512;

/** Where the voxels of a section are: packed indices, or numbers of blocks. */
export interface SectionVoxels {
  /** Returns the indices of all voxels, as {@link VoxelPart} has them. */
  unpack(): Uint16Array;
  /** Writes the indices as four bits each, eight in a word, the first one lowest. Returns `false` if they do not fit. */
  packInto(words: Uint32Array): boolean;
  /** Returns whether a voxel has one of the states that are `true`. */
  holds(wanted: readonly boolean[]): boolean;
}

/** A section of a column: 16 x 16 x 16 voxels, which are unpacked when they are first used. */
export class ColumnSection implements VoxelPart {
  readonly min: Triple;
  readonly size: Triple;
  readonly palette: readonly string[];
  readonly #voxels: SectionVoxels | undefined;
  #indices: Uint16Array | undefined;

  /** Use `openRegion`. Without voxels, all of them have the first state. */
  constructor(min: Triple, size: Triple, palette: readonly string[], voxels: SectionVoxels | undefined) {
    this.min = min;
    this.size = size;
    this.palette = palette;
    this.#voxels = voxels;
  }

  get indices(): Uint16Array | undefined {
    this.#indices ??= this.#voxels?.unpack();
    return this.#indices;
  }

  /**
   * Writes the place of each voxel in the palette to an array of 512: four bits each, the first one lowest. Returns `false`
   * if a place takes more, or if a voxel is not stored. Much faster than {@link indices}.
   */
  packInto(words: Uint32Array): boolean {
    if (!(words instanceof Uint32Array) || words.length !== WORDS)
      throw wrongArgument("words", words, `it is a Uint32Array of ${WORDS}`);
    if (this.#voxels !== undefined) return this.#voxels.packInto(words);
    words.fill(0);
    return true;
  }

  /** Returns whether a voxel has a state for which `isWanted` returns `true`. Much faster than {@link indices}. */
  holds(isWanted: (state: string) => boolean): boolean {
    const wanted = this.palette.map(requireFunction("isWanted", isWanted));
    if (this.#voxels === undefined) return wanted[0] === true;
    return wanted.includes(true) && this.#voxels.holds(wanted);
  }
}
