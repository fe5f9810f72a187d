import type { TextureLayers } from "@orthant/mesh/looks";
import {
  CompressedArrayTexture,
  type CompressedPixelFormat,
  LinearFilter,
  LinearMipmapLinearFilter,
  RepeatWrapping,
  RGBAFormat,
  SRGBColorSpace,
  UnsignedByteType,
} from "three";

const PIXEL_BYTES = 4;
/** Samples of a texture that is seen at a flat angle. */
const ANISOTROPY = 4;

/** One size of all layers. */
interface Level {
  readonly data: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** Linear light of each byte of an sRGB colour. */
const LINEAR = Float32Array.from({ length: 256 }, (_, byte) => {
  const part = byte / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
});

/**
 * Returns the layers of a look pack as a texture, with smaller levels that have the mean light of the larger ones: neither
 * browsers nor drivers promise that, and holes of leaves must not darken them.
 */
export function textureArray({ edge, count, pixels }: TextureLayers): CompressedArrayTexture {
  const levels: Level[] = [{ data: withoutHoles(pixels, edge, count), width: edge, height: edge }];
  for (let size = edge; size % 2 === 0; ) {
    const { data } = levels[levels.length - 1] as Level;
    size /= 2;
    levels.push({ data: halved(data, size, count), width: size, height: size });
  }
  // The only array texture of three.js that takes its own levels; it also takes plain pixels.
  const texture = new CompressedArrayTexture(
    levels,
    edge,
    edge,
    count,
    RGBAFormat as unknown as CompressedPixelFormat,
    UnsignedByteType,
  );
  texture.colorSpace = SRGBColorSpace;
  texture.wrapS = RepeatWrapping;
  texture.wrapT = RepeatWrapping;
  // The shader keeps pixels sharp. With the nearest one only, three.js would not use anisotropy.
  texture.magFilter = LinearFilter;
  texture.minFilter = levels.length > 1 ? LinearMipmapLinearFilter : LinearFilter;
  texture.anisotropy = ANISOTROPY;
  texture.needsUpdate = true;
  return texture;
}

/** Returns a copy whose holes have the mean colour of their layer, which shows where pixels are mixed. */
function withoutHoles(pixels: Uint8Array, edge: number, count: number): Uint8Array<ArrayBuffer> {
  const filled = Uint8Array.from(pixels);
  const layerBytes = edge * edge * PIXEL_BYTES;
  for (let layer = 0; layer < count; layer++) {
    const one = filled.subarray(layer * layerBytes, (layer + 1) * layerBytes);
    const mean = new MeanPixel();
    let hasHoles = false;
    for (let at = 0; at < layerBytes; at += PIXEL_BYTES) {
      mean.add(one, at);
      hasHoles ||= one[at + 3] === 0;
    }
    if (!hasHoles) continue;
    for (let at = 0; at < layerBytes; at += PIXEL_BYTES) if (one[at + 3] === 0) mean.write(one, at, 0);
  }
  return filled;
}

/** Returns layers of half the edge, `size`. */
function halved(larger: Uint8Array, size: number, count: number): Uint8Array<ArrayBuffer> {
  const smaller = new Uint8Array(size * size * count * PIXEL_BYTES);
  const rowBytes = size * 2 * PIXEL_BYTES;
  let to = 0;
  for (let row = 0; row < size * count; row++)
    for (let column = 0; column < size; column++, to += PIXEL_BYTES) {
      const from = row * 2 * rowBytes + column * 2 * PIXEL_BYTES;
      const mean = new MeanPixel();
      for (const at of [from, from + PIXEL_BYTES, from + rowBytes, from + rowBytes + PIXEL_BYTES])
        mean.add(larger, at);
      mean.write(smaller, to);
    }
  return smaller;
}

/** The mean of pixels, in linear light, of which clear ones count little. */
class MeanPixel {
  #red = 0;
  #green = 0;
  #blue = 0;
  #weight = 0;
  #opacity = 0;
  #count = 0;

  add(pixels: Uint8Array, at: number): void {
    const opacity = pixels[at + 3] as number;
    const weight = opacity + 1e-3;
    this.#red += (LINEAR[pixels[at] as number] as number) * weight;
    this.#green += (LINEAR[pixels[at + 1] as number] as number) * weight;
    this.#blue += (LINEAR[pixels[at + 2] as number] as number) * weight;
    this.#weight += weight;
    this.#opacity += opacity;
    this.#count++;
  }

  write(pixels: Uint8Array, at: number, opacity: number = Math.round(this.#opacity / this.#count)): void {
    pixels[at] = byteOf(this.#red / this.#weight);
    pixels[at + 1] = byteOf(this.#green / this.#weight);
    pixels[at + 2] = byteOf(this.#blue / this.#weight);
    pixels[at + 3] = opacity;
  }
}

function byteOf(linear: number): number {
  const part = linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(part * 255);
}
