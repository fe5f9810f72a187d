import { type GeneratorRef, OrthantError } from "@orthant/core";
import { applyDelta, type PixelDelta } from "./pixel-delta.ts";
import { keptPixels, type PixelLayer } from "./pixel-layers.ts";

/** Ways to store a chunk. The numbers are those of the seed. */
export const STORAGE = { empty: 0, delta: 1, full: 2 } as const;

/** Name of a way to store a chunk. */
export type PixelStorage = keyof typeof STORAGE;

/** A chunk in its stored form. */
export type StoredPixelChunk =
  | { readonly storage: "empty" }
  | { readonly storage: "delta"; readonly delta: PixelDelta }
  | { readonly storage: "full"; readonly pixels: Uint8Array };

/** Generates the chunks that are not modified. */
export interface PixelGenerator {
  /** Identifies the generator and everything its chunks depend on. */
  readonly ref: GeneratorRef;
  /** Fills a chunk, which is initially all zeros: one byte per layer for each pixel, row 0 at the bottom. */
  fill(x: number, y: number, pixels: Uint8Array): void;
}

/** Properties shared by all chunks of a world. */
export interface ChunkForm {
  readonly chunkEdge: number;
  readonly layers: readonly PixelLayer[];
}

/** Returns the name of a stored number, or `undefined` if it is unknown. */
export function storageNamed(storage: number): PixelStorage | undefined {
  return (Object.keys(STORAGE) as PixelStorage[]).find((name) => STORAGE[name] === storage);
}

/** Size of a chunk in memory. */
export function chunkBytes({ chunkEdge, layers }: ChunkForm): number {
  return chunkEdge * chunkEdge * layers.length;
}

/** Returns a generated chunk, with the bits that are not kept set to 0. */
export function generatedPixels(
  form: ChunkForm,
  generator: PixelGenerator,
  x: number,
  y: number,
): Uint8Array {
  const pixels = new Uint8Array(chunkBytes(form));
  generator.fill(x, y, pixels);
  return keptPixels(pixels, form.layers);
}

/** Returns the pixels of a stored chunk. Throws `ORT_GENERATOR_UNKNOWN` for a delta without a generator. */
export function pixelsOf(
  stored: StoredPixelChunk,
  form: ChunkForm,
  generator: PixelGenerator | undefined,
  x: number,
  y: number,
): Uint8Array {
  if (stored.storage === "full") return stored.pixels;
  if (stored.storage === "empty") return new Uint8Array(chunkBytes(form));
  if (generator === undefined) {
    const detail = `chunk [${x}, ${y}] is stored as changes to what a generator makes; give the generator to read it`;
    throw new OrthantError("ORT_GENERATOR_UNKNOWN", detail);
  }
  const pixels = generatedPixels(form, generator, x, y);
  applyDelta(pixels, stored.delta, form.layers.length);
  return pixels;
}
