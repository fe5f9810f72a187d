import { OrthantError } from "@orthant/core";
import {
  convertList,
  requireBytes,
  requireChoice,
  requireInteger,
  requireList,
  requireObject,
  requireText,
  requireWhole,
  wrongArgument,
} from "@orthant/core/arguments";
import { type Codec, encodeUtf8, I32_MAX, I32_MIN, list, U8_MAX } from "@orthant/core/bytes";
import type { GeneratorRef } from "@orthant/core/generate";
import { CHUNK_EDGE_MAX, LAYER_NAME_BYTES_MAX, LAYERS_MAX } from "./limits.ts";

/** Ways to store a chunk. The numbers are those of the original format. */
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
export interface PixelChunkShape {
  readonly chunkEdge: number;
  readonly layers: readonly PixelLayer[];
}

/** Returns the name of a stored number, or `undefined` if it is unknown. */
export function storageNamed(storage: number): PixelStorage | undefined {
  return (Object.keys(STORAGE) as PixelStorage[]).find((name) => STORAGE[name] === storage);
}

/** Size of a chunk in memory. */
export function chunkBytes({ chunkEdge, layers }: PixelChunkShape): number {
  return chunkEdge * chunkEdge * layers.length;
}

/** Returns a generated chunk, with the bits that are not kept set to 0. */
export function generatedPixels(
  form: PixelChunkShape,
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
  form: PixelChunkShape,
  generator: PixelGenerator | undefined,
  x: number,
  y: number,
): Uint8Array {
  requireStored(stored);
  if (generator !== undefined && typeof generator?.fill !== "function")
    throw wrongArgument("generator", generator, "it has the method fill");
  requireObject("form", form, "it is { chunkEdge, layers }");
  checkedLayers("form.layers", form.layers);
  requireWhole("form.chunkEdge", form.chunkEdge, 1, CHUNK_EDGE_MAX);
  requireWhole("x", x, I32_MIN, I32_MAX);
  requireWhole("y", y, I32_MIN, I32_MAX);
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

function requireStored(stored: StoredPixelChunk): void {
  requireObject("stored", stored, "it is a stored chunk");
  requireChoice("stored.storage", stored.storage, ["empty", "delta", "full"]);
  if (stored.storage === "full") requireBytes("stored.pixels", stored.pixels);
  if (stored.storage !== "delta") return;
  requireObject("stored.delta", stored.delta, "it is { positions, pixels }");
  const { positions, pixels } = stored.delta;
  if (!(positions instanceof Uint32Array))
    throw wrongArgument("stored.delta.positions", positions, "it is a Uint32Array");
  requireBytes("stored.delta.pixels", pixels);
}

/** One byte of every pixel. */
export interface PixelLayer {
  readonly name: string;
  /** Bits that are stored: 255 for all, 0 for none. The others load as 0; the game recomputes them. */
  readonly kept: number;
}

/** The layers of the original with the bits that its design keeps: of the flags only `pixel_body`. */
export const DEFAULT_LAYERS: readonly PixelLayer[] = [
  { name: "material", kept: 0xff },
  { name: "color", kept: 0xff },
  { name: "damage", kept: 0xff },
  { name: "flags", kept: 0x20 },
];

/** The layers of version 1, which keeps every bit. */
export const VERSION1_LAYERS: readonly PixelLayer[] = DEFAULT_LAYERS.map(({ name }) => ({
  name,
  kept: 0xff,
}));

/** Returns copies of layers. Throws `ORT_ARGUMENT` for a field of the wrong kind. */
export function checkedLayers(name: string, layers: unknown): readonly PixelLayer[] {
  requireList(name, layers, "it is a list of { name, kept }");
  requireWhole(`${name}.length`, layers.length, 1, LAYERS_MAX);
  return convertList(name, layers, "it is a list of { name, kept }", (layer, index) => {
    const at = `${name}[${index}]`;
    requireObject(at, layer, "it is { name, kept }");
    const { name: layerName, kept } = layer as Partial<PixelLayer>;
    return { name: requireText(`${at}.name`, layerName), kept: requireWhole(`${at}.kept`, kept, 0, U8_MAX) };
  });
}

/**
 * Throws `ORT_ARGUMENT` unless a world can have these layers: the first is kept whole, and names are unique.
 */
function requireLayers(layers: readonly PixelLayer[]): void {
  requireInteger(layers.length, 1, LAYERS_MAX, "the number of layers");
  for (const { name, kept } of layers) {
    requireInteger(encodeUtf8(name).length, 1, LAYER_NAME_BYTES_MAX, "the length of the name of a layer");
    requireInteger(kept, 0, U8_MAX, "kept");
  }
  const fault = faultOf(layers);
  if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", fault);
}

/** Encodes the layers in a version 2 header. */
export const layersCodec: Codec<readonly PixelLayer[]> = {
  write(out, layers) {
    requireLayers(layers);
    itemsCodec.write(out, layers);
  },
  read(input) {
    const layers = itemsCodec.read(input);
    const fault = layers.length === 0 ? "no layer at all" : faultOf(layers);
    if (fault !== undefined) throw input.fail("ORT_INDEX", fault);
    return layers;
  },
};

const itemsCodec = list<PixelLayer>(
  {
    write(out, { name, kept }) {
      out.string(name, LAYER_NAME_BYTES_MAX);
      out.u8(kept);
    },
    read: (input) => ({ name: input.string(LAYER_NAME_BYTES_MAX), kept: input.u8() }),
  },
  LAYERS_MAX,
);

function faultOf(layers: readonly PixelLayer[]): string | undefined {
  if (layers[0]?.kept !== U8_MAX) return "the first layer says what a pixel is, and is kept whole";
  const names = new Set(layers.map(({ name }) => name));
  if (names.has("") || names.size !== layers.length) return "a layer without a name of its own";
  return undefined;
}

/** Returns a copy of pixels with the bits that are not kept set to 0. */
export function keptPixels(pixels: Uint8Array, layers: readonly PixelLayer[]): Uint8Array {
  const kept = pixels.slice();
  layers.forEach(({ kept: mask }, layer) => {
    if (mask === U8_MAX) return;
    for (let at = layer; at < kept.length; at += layers.length) kept[at] = (kept[at] as number) & mask;
  });
  return kept;
}

/** Converts pixels to planes, one layer after another, without the layers that keep nothing. */
export function planesOf(pixels: Uint8Array, layers: readonly PixelLayer[]): Uint8Array {
  const stride = layers.length;
  const count = pixels.length / stride;
  const planes = new Uint8Array(count * keptLayers(layers).length);
  keptLayers(layers).forEach((layer, plane) => {
    let end = plane * count;
    for (let at = layer; at < pixels.length; at += stride) planes[end++] = pixels[at] as number;
  });
  return planes;
}

/** Converts planes to pixels; bits that are not kept are 0. Throws `ORT_BLOB` if such a bit is set. */
export function pixelsOfPlanes(planes: Uint8Array, layers: readonly PixelLayer[]): Uint8Array {
  const stride = layers.length;
  const kept = keptLayers(layers);
  const count = planes.length / kept.length;
  const pixels = new Uint8Array(count * stride);
  let strange = 0;
  kept.forEach((layer, plane) => {
    const dropped = ~(layers[layer]?.kept ?? 0) & U8_MAX;
    let from = plane * count;
    for (let at = layer; at < pixels.length; at += stride) {
      const byte = planes[from++] as number;
      strange |= byte & dropped;
      pixels[at] = byte;
    }
  });
  if (strange !== 0) throw new OrthantError("ORT_BLOB", "bits of a layer are set that it does not keep");
  return pixels;
}

/** Returns the indexes of the layers that keep at least one bit. */
export function keptLayers(layers: readonly PixelLayer[]): readonly number[] {
  return layers.flatMap(({ kept }, layer) => (kept === 0 ? [] : [layer]));
}

/** Pixels of a chunk that differ from its generator's output. */
export interface PixelDelta {
  /** Indexes of the pixels, `y * edge + x`, ascending. */
  readonly positions: Uint32Array;
  /** Values of the pixels, one byte per layer. */
  readonly pixels: Uint8Array;
}

/** Returns the pixels of `after` that differ from `before`; both have the same length. */
export function pixelDelta(before: Uint8Array, after: Uint8Array, pixelBytes: number): PixelDelta {
  const count = after.length / pixelBytes;
  let changed = 0;
  const positions = new Uint32Array(count);
  const [olds, news] = [wordsOf(before, pixelBytes), wordsOf(after, pixelBytes)];
  for (let position = 0; position < count; position++) {
    const isChanged =
      olds !== undefined && news !== undefined
        ? olds[position] !== news[position]
        : differs(before, after, position * pixelBytes, pixelBytes);
    if (isChanged) positions[changed++] = position;
  }
  const pixels = new Uint8Array(changed * pixelBytes);
  for (let index = 0; index < changed; index++) {
    const from = (positions[index] as number) * pixelBytes;
    for (let byte = 0; byte < pixelBytes; byte++) {
      pixels[index * pixelBytes + byte] = after[from + byte] as number;
    }
  }
  return { positions: positions.slice(0, changed), pixels };
}

/** Applies a delta to the pixels of a chunk. */
function applyDelta(chunk: Uint8Array, { positions, pixels }: PixelDelta, pixelBytes: number): void {
  for (let index = 0; index < positions.length; index++) {
    const to = (positions[index] as number) * pixelBytes;
    for (let byte = 0; byte < pixelBytes; byte++) {
      chunk[to + byte] = pixels[index * pixelBytes + byte] as number;
    }
  }
}

/** Returns pixels of four bytes as numbers, which are faster to compare; `undefined` for others. */
function wordsOf({ buffer, byteOffset, length }: Uint8Array, pixelBytes: number): Uint32Array | undefined {
  return pixelBytes === 4 && byteOffset % 4 === 0
    ? new Uint32Array(buffer, byteOffset, length / 4)
    : undefined;
}

function differs(before: Uint8Array, after: Uint8Array, start: number, bytes: number): boolean {
  for (let at = start; at < start + bytes; at++) if (before[at] !== after[at]) return true;
  return false;
}
