import { type Codec, encodeUtf8, list, OrthantError, requireInteger, U8_MAX } from "@orthant/core";
import { LAYER_NAME_BYTES_MAX, LAYERS_MAX } from "../limits.ts";

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

/**
 * Throws `ORT_ARGUMENT` unless a world can have these layers: the first is kept whole, and names are unique.
 */
function requireLayers(layers: readonly PixelLayer[]): void {
  requireInteger(layers.length, 1, LAYERS_MAX);
  for (const { name, kept } of layers) {
    requireInteger(encodeUtf8(name).length, 1, LAYER_NAME_BYTES_MAX);
    requireInteger(kept, 0, U8_MAX);
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
