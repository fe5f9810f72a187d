import { GeneratorRef } from "@orthant/core/generate";
import type { PixelGenerator } from "@orthant/pixel-world";
import { Prng } from "@orthant/testkit";

/** Pixels along the edge of a chunk. */
export const EDGE = 512;
/** Bytes of a chunk. */
export const CHUNK_BYTES: number = EDGE * EDGE * 4;

/**
 * Hills of one block, with caves, whose color follows the depth and varies from pixel to pixel, like the
 * original's terrain.
 */
export const terrain: PixelGenerator = {
  ref: new GeneratorRef("bench-terrain", new Uint8Array(0), 42n, 1n),
  fill(chunkX, _chunkY, pixels) {
    for (let y = 0; y < EDGE; y++) {
      for (let x = 0; x < EDGE; x++) {
        const across = x + EDGE * chunkX;
        const height = 256 + 60 * triangle(across / 190) + 20 * triangle(across / 47);
        const cave = triangle(across / 61) + triangle(y / 43) > 1.3;
        if (y >= height || cave) continue;
        const grain = (Math.imul(across * 7_919 + y, 0x9e37_79b1) >>> 28) & 3;
        const color = Math.min(255, Math.floor((height - y) / 2) + grain);
        pixels.set([3, color, 0, 2], (y * EDGE + x) * 4);
      }
    }
  },
};

/** Returns the chunks of the size table on the original's page. */
export function patterns(): readonly (readonly [name: string, originalBytes: number, pixels: Uint8Array])[] {
  const prng = new Prng(1);
  return [
    ["empty", 4_000, new Uint8Array(CHUNK_BYTES)],
    ["uniform", 4_000, uniform()],
    ["sparse 1 %", 18_000, sparse(0.01, prng)],
    ["sparse 5 %", 67_000, sparse(0.05, prng)],
    ["terrain", 187_000, generated()],
    ["sparse 25 %", 202_000, sparse(0.25, prng)],
    ["random", 1_053_000, prng.bytes(CHUNK_BYTES)],
  ];
}

/** Returns the terrain at chunk [0, 0]. */
export function generated(): Uint8Array {
  const pixels = new Uint8Array(CHUNK_BYTES);
  terrain.fill(0, 0, pixels);
  return pixels;
}

/** Returns the terrain with this share of its pixels changed at random. */
export function scattered(share: number): Uint8Array {
  const prng = new Prng(2);
  const pixels = generated();
  for (let edits = Math.round(EDGE * EDGE * share); edits > 0; edits--) {
    pixels.set([1 + prng.below(8), prng.below(256), 0, 2], prng.below(EDGE * EDGE) * 4);
  }
  return pixels;
}

/** Returns the terrain with a rectangle dug out of it. */
export function dug(width: number, height: number): Uint8Array {
  const pixels = generated();
  for (let y = 20; y < 20 + height; y++) pixels.fill(0, y * EDGE * 4, (y * EDGE + width) * 4);
  return pixels;
}

function uniform(): Uint8Array {
  const pixels = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < CHUNK_BYTES; at += 4) pixels.set([1, 100, 0, 2], at);
  return pixels;
}

function sparse(share: number, prng: Prng): Uint8Array {
  const pixels = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < CHUNK_BYTES; at += 4) {
    if (prng.chance(share)) pixels.set([1 + prng.below(8), prng.below(256), 0, 2], at);
  }
  return pixels;
}

/** A triangle wave from 0 to 1. */
function triangle(at: number): number {
  return Math.abs((at % 2) - 1);
}
