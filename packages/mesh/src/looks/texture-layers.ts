import { OrthantError } from "@orthant/core";
import type { TextureLayers } from "./block-looks.ts";
import { CLEAR_OPACITY } from "./look-pack.ts";

/** Maximum number of layers of a pack: what every WebGL 2 program can count on. */
const TEXTURE_LAYERS_MAX = 2_048;
const PIXEL_BYTES = 4;
const OPAQUE = 255;

/** Collects square textures of one size as layers, after the two of blocks without a texture. */
export class TextureStack {
  readonly edge: number;
  readonly #layers: Uint8Array[];

  constructor(edge: number) {
    this.edge = edge;
    this.#layers = [OPAQUE, CLEAR_OPACITY].map((opacity) => whiteLayer(edge, opacity));
  }

  /** Adds a picture of this size, and returns its layer. */
  add(pixels: Uint8Array): number {
    if (this.#layers.length >= TEXTURE_LAYERS_MAX)
      throw new OrthantError("ORT_LIMIT", `a pack has more than ${TEXTURE_LAYERS_MAX} textures`);
    return this.#layers.push(pixels) - 1;
  }

  /** Returns all layers as one array. */
  textures(): TextureLayers {
    const layerBytes = this.edge * this.edge * PIXEL_BYTES;
    const pixels = new Uint8Array(this.#layers.length * layerBytes);
    for (const [layer, bytes] of this.#layers.entries()) pixels.set(bytes, layer * layerBytes);
    return { edge: this.edge, count: this.#layers.length, pixels };
  }
}

function whiteLayer(edge: number, opacity: number): Uint8Array {
  const pixels = new Uint8Array(edge * edge * PIXEL_BYTES).fill(OPAQUE);
  for (let at = PIXEL_BYTES - 1; at < pixels.length; at += PIXEL_BYTES) pixels[at] = opacity;
  return pixels;
}
