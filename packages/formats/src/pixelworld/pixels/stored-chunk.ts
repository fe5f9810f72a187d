import { type GeneratorRef, OrthantError } from "@orthant/core";
import { applyDelta, type PixelDelta } from "./pixel-delta.ts";
import { keptPixels, type PixelLayer } from "./pixel-layers.ts";

/** How a chunk lies in a file. The numbers are those of the seed. */
export const STORAGE = { empty: 0, delta: 1, full: 2 } as const;

/** The name of a way to store a chunk. */
export type PixelStorage = keyof typeof STORAGE;

/** A chunk as it is stored. */
export type StoredPixelChunk =
  | { readonly storage: "empty" }
  | { readonly storage: "delta"; readonly delta: PixelDelta }
  | { readonly storage: "full"; readonly pixels: Uint8Array };

/** What makes the chunks that nobody has touched. */
export interface PixelGenerator {
  /** Names it and all that its chunks depend on. */
  readonly ref: GeneratorRef;
  /** Fills a chunk, which is all zeros before: as many bytes a pixel as there are layers, row 0 at the bottom. */
  fill(x: number, y: number, pixels: Uint8Array): void;
}

/** What the chunks of a world have in common. */
export interface ChunkForm {
  readonly chunkEdge: number;
  readonly layers: readonly PixelLayer[];
}

/** The name of a stored number; `undefined` when there is no such way. */
export function storageNamed(storage: number): PixelStorage | undefined {
  return (Object.keys(STORAGE) as PixelStorage[]).find((name) => STORAGE[name] === storage);
}

/** Bytes of a chunk in memory. */
export function chunkBytes({ chunkEdge, layers }: ChunkForm): number {
  return chunkEdge * chunkEdge * layers.length;
}

/** What the generator makes of a chunk, without the bits that are not kept. */
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

/** The pixels of a stored chunk. `ORT_GENERATOR_UNKNOWN` for changes to what only a generator knows, without one. */
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
