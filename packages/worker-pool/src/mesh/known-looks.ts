import { U16_MAX } from "@orthant/core/bytes";
import type { BlockLook, BlockLooks, TextureLayers } from "@orthant/mesh/looks";

/** Looks that a worker has been told of. It asks for those of other blocks when it meets them. */
export class KnownLooks implements BlockLooks {
  /** Meshes do not need the pixels. */
  readonly textures: TextureLayers = { edge: 1, count: 0, pixels: new Uint8Array(0) };
  readonly #looks = new Map<number, BlockLook>();
  readonly #isKnown = new Uint8Array(U16_MAX + 1);

  lookOf(block: number): BlockLook {
    return this.#looks.get(block) as BlockLook;
  }

  /** Remembers looks. */
  learn(looks: Iterable<readonly [block: number, look: BlockLook]> = []): void {
    for (const [block, look] of looks) {
      this.#looks.set(block, look);
      this.#isKnown[block] = 1;
    }
  }

  /** Returns the blocks of voxels whose looks are not known. */
  missingIn(voxels: Uint16Array): readonly number[] {
    const missing = new Set<number>();
    for (let index = 0; index < voxels.length; index++) {
      const block = voxels[index] as number;
      if (this.#isKnown[block] === 0) missing.add(block);
    }
    return [...missing];
  }
}
