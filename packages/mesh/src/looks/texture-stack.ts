import { OrthantError } from "@orthant/core";
import { requireObject, requireWhole, wrongArgument } from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import type { DrawPass, TextureLayers } from "./block-looks.ts";
import { CLEAR_OPACITY } from "./look-pack.ts";

/** Maximum number of layers of a pack: what every program for WebGL 2 can count on. */
const TEXTURE_LAYERS_MAX = 2_048;
/** The largest texture, in pixels on each edge. */
export const TEXTURE_EDGE_MAX = 64;
const PIXEL_BYTES = 4;
const OPAQUE = 255;
/** Pixels with less opacity are holes of a texture that is cut out, and those with more are whole. */
const HOLE_OPACITY_MAX = 25;
const WHOLE_OPACITY_MIN = 230;

/** Pixels of a decoded picture. */
export interface TexturePicture {
  readonly width: number;
  readonly height: number;
  /** Four bytes for each pixel: red, green, blue (sRGB) and opacity; row by row from the top. */
  readonly pixels: Uint8Array | Uint8ClampedArray;
}

/** Returns the fields of a picture, if they are numbers and bytes. `name` says which one it is. */
export function requirePicture(name: string, value: unknown): TexturePicture {
  requireObject(name, value, "it is an object with width, height and pixels");
  const { width, height, pixels } = value as Partial<TexturePicture>;
  if (!(pixels instanceof Uint8Array || pixels instanceof Uint8ClampedArray))
    throw wrongArgument(`${name}.pixels`, pixels, "they are a Uint8Array with four bytes for each pixel");
  return {
    width: requireWhole(`${name}.width`, width, 1, Number.MAX_SAFE_INTEGER),
    height: requireWhole(`${name}.height`, height, 1, Number.MAX_SAFE_INTEGER),
    pixels,
  };
}

/** Layers of callers as they were read: always the same for the same ones, so that renderers load them once. */
const checked = new WeakMap<TextureLayers, TextureLayers>();

/** Returns the layers of a caller if they have as many pixels as their numbers say. `name` says which ones they are. */
export function requireLayers(name: string, layers: TextureLayers): TextureLayers {
  requireObject(name, layers, "they are an object with edge, count and pixels");
  return getOrAdd(checked, layers, () => readLayers(name, layers));
}

function readLayers(name: string, layers: TextureLayers): TextureLayers {
  const edge = requireWhole(`${name}.edge`, layers.edge, 1, TEXTURE_EDGE_MAX);
  const count = requireWhole(`${name}.count`, layers.count, 1, TEXTURE_LAYERS_MAX);
  const { pixels } = layers;
  const bytes = edge * edge * count * PIXEL_BYTES;
  if (!(pixels instanceof Uint8Array) || pixels.length !== bytes)
    throw wrongArgument(`${name}.pixels`, pixels, `they are a Uint8Array of ${bytes} bytes`);
  return Object.freeze({ edge, count, pixels });
}

/** What follows from the pixels of a layer. */
interface LayerFacts {
  readonly pass: DrawPass;
  /** The mean colour of what is not a hole. */
  readonly colour: number;
}

/** Collects square textures of one size as layers, after the two of blocks without a texture. */
export class TextureStack {
  readonly edge: number;
  readonly #layers: Uint8Array[] = [];
  readonly #facts: LayerFacts[] = [];

  constructor(edge: number) {
    this.edge = edge;
    for (const opacity of [OPAQUE, CLEAR_OPACITY]) this.add(whiteLayer(edge, opacity));
  }

  /** Adds the pixels of a texture of this size, and returns its layer. */
  add(pixels: Uint8Array): number {
    if (this.#layers.length >= TEXTURE_LAYERS_MAX)
      throw new OrthantError("ORT_LIMIT", `more than ${TEXTURE_LAYERS_MAX} textures are used`);
    this.#facts.push(factsOf(pixels));
    return this.#layers.push(pixels) - 1;
  }

  /** Returns what a layer's pixels need to be drawn. */
  passOf(layer: number): DrawPass {
    return this.#facts[layer]?.pass ?? "opaque";
  }

  /** Returns the mean colour of a layer. */
  colourOf(layer: number): number {
    return this.#facts[layer]?.colour ?? 0;
  }

  /** Returns all layers as one array. Frozen, because all looks of a pack share it. */
  textures(): TextureLayers {
    const layerBytes = this.edge * this.edge * PIXEL_BYTES;
    const pixels = new Uint8Array(this.#layers.length * layerBytes);
    for (const [layer, bytes] of this.#layers.entries()) pixels.set(bytes, layer * layerBytes);
    return Object.freeze({ edge: this.edge, count: this.#layers.length, pixels });
  }
}

/** Returns a square picture, or the square at the top of a higher one, with each pixel repeated up to an edge. */
export function enlarged({ width, pixels }: TexturePicture, edge: number): Uint8Array {
  const factor = edge / width;
  const source = new Uint32Array(pixels.slice(0, width * width * PIXEL_BYTES).buffer);
  const target = new Uint32Array(edge * edge);
  for (let at = 0; at < target.length; at++) {
    const [row, column] = [Math.floor(at / edge / factor), Math.floor((at % edge) / factor)];
    target[at] = source[row * width + column] as number;
  }
  return new Uint8Array(target.buffer);
}

/** Returns the product of two colours, part by part. */
export function multiplied(one: number, two: number): number {
  const part = (shift: number): number =>
    Math.round((((one >>> shift) & 0xff) * ((two >>> shift) & 0xff)) / 255) << shift;
  return part(16) | part(8) | part(0);
}

function whiteLayer(edge: number, opacity: number): Uint8Array {
  const pixels = new Uint8Array(edge * edge * PIXEL_BYTES).fill(OPAQUE);
  for (let at = PIXEL_BYTES - 1; at < pixels.length; at += PIXEL_BYTES) pixels[at] = opacity;
  return pixels;
}

function factsOf(pixels: Uint8Array): LayerFacts {
  let [holes, mixed, weight] = [0, 0, 0];
  const sums = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += PIXEL_BYTES) {
    const opacity = pixels[at + 3] as number;
    if (opacity <= HOLE_OPACITY_MAX) holes++;
    else if (opacity < WHOLE_OPACITY_MIN) mixed++;
    weight += opacity;
    // Squares are near enough to linear light.
    for (let part = 0; part < 3; part++) {
      sums[part] = (sums[part] as number) + (pixels[at + part] as number) ** 2 * opacity;
    }
  }
  const [red = 0, green = 0, blue = 0] = sums.map((sum) => Math.round(Math.sqrt(sum / Math.max(1, weight))));
  return {
    pass: mixed > 0 ? "blended" : holes > 0 ? "cutout" : "opaque",
    colour: (red << 16) | (green << 8) | blue,
  };
}
