import { GeneratorRef } from "@orthant/core";
import type { PixelGenerator } from "@orthant/pixel-world";

/** Stripes that depend on the position, so that a chunk differs from its neighbour. */
export const stripes: PixelGenerator = {
  ref: new GeneratorRef("stripes", Uint8Array.of(1), 7n, 1n),
  fill(chunkX, chunkY, pixels) {
    const edge = Math.sqrt(pixels.length / 4);
    for (let y = 0; y < edge; y++) {
      for (let x = 0; x < edge; x++)
        pixels.set([1 + ((x + chunkX + y * chunkY) & 3), y & 255, 0, 2], (y * edge + x) * 4);
    }
  },
};
