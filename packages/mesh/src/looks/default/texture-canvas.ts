import { HashSequence } from "@orthant/core/generate";
import type { TexturePicture } from "../texture-stack.ts";

/** Pixels on each edge of our textures. */
export const TEXTURE_EDGE = 16;
const PIXEL_BYTES = 4;
const OPAQUE = 255;
/** Numbers of a noise go up to this one. */
const NOISE_MAX = 255;

/** A picture that goes on at the opposite edge, so that what is painted across an edge tiles. */
export class TextureCanvas implements TexturePicture {
  readonly width: number = TEXTURE_EDGE;
  readonly height: number = TEXTURE_EDGE;
  readonly pixels: Uint8Array = new Uint8Array(TEXTURE_EDGE * TEXTURE_EDGE * PIXEL_BYTES);

  /** Sets one pixel. */
  set(x: number, y: number, colour: number, opacity: number = OPAQUE): void {
    const at = (wrapped(y) * TEXTURE_EDGE + wrapped(x)) * PIXEL_BYTES;
    this.pixels.set([(colour >>> 16) & 0xff, (colour >>> 8) & 0xff, colour & 0xff, opacity], at);
  }

  /** Sets all pixels. */
  fill(colourAt: (x: number, y: number) => number): this {
    for (let y = 0; y < TEXTURE_EDGE; y++)
      for (let x = 0; x < TEXTURE_EDGE; x++) this.set(x, y, colourAt(x, y));
    return this;
  }

  /** Returns a copy to paint something else on. */
  copy(): TextureCanvas {
    const canvas = new TextureCanvas();
    canvas.pixels.set(this.pixels);
    return canvas;
  }
}

/** Returns a sequence of pseudorandom numbers for one texture. */
export function randomOf(seed: number): HashSequence {
  return new HashSequence(Math.imul(seed, 0x9e37_79b1));
}

/** Returns the darker and lighter shades of a colour: shadows are bluer, highlights yellower. 0 is the colour itself. */
export function shadesOf(colour: number, percent: number): (level: number) => number {
  return (level) => {
    // Blue changes less: shadows keep more of it, and highlights get less.
    const parts = [
      [16, percent + (level < 0 && percent > 3 ? 1 : 0)],
      [8, percent],
      [0, Math.max(1, percent - (level < 0 ? 1 : 2))],
    ] as const;
    let shade = 0;
    for (const [shift, change] of parts) {
      const part = (colour >>> shift) & 0xff;
      const changed = Math.floor((part * (100 + level * change) + 50) / 100);
      shade |= Math.min(NOISE_MAX, Math.max(0, changed)) << shift;
    }
    return shade;
  };
}

/** Returns smooth noise from 0 to 255 that tiles, with this many cells along the axes: 1, 2, 4, 8 or 16. */
export function noiseOf(
  random: HashSequence,
  cellsX: number,
  cellsY: number,
): (x: number, y: number) => number {
  const values = Array.from({ length: cellsX * cellsY }, () => random.below(NOISE_MAX + 1));
  const [sizeX, sizeY] = [TEXTURE_EDGE / cellsX, TEXTURE_EDGE / cellsY];
  const at = (column: number, row: number): number =>
    values[(row % cellsY) * cellsX + (column % cellsX)] as number;
  return (x, y) => {
    const [column, row] = [Math.floor(wrapped(x) / sizeX), Math.floor(wrapped(y) / sizeY)];
    const [right, down] = [wrapped(x) - column * sizeX, wrapped(y) - row * sizeY];
    const upper = at(column, row) * (sizeX - right) + at(column + 1, row) * right;
    const lower = at(column, row + 1) * (sizeX - right) + at(column + 1, row + 1) * right;
    return Math.floor((upper * (sizeY - down) + lower * down) / (sizeX * sizeY));
  };
}

/** Where a pixel lies among points: the nearest one, and how much farther the second one is. */
export interface Blob {
  readonly index: number;
  /** The way from the point to the pixel. */
  readonly x: number;
  readonly y: number;
  /** Difference between the squares of both distances: small at the edge between two blobs. */
  readonly gap: number;
}

/** Returns the blobs around points that tile. */
export function blobsOf(
  points: readonly (readonly [x: number, y: number])[],
): (x: number, y: number) => Blob {
  return (x, y) => {
    let nearest = { index: 0, x: 0, y: 0, distance: Number.POSITIVE_INFINITY };
    let second = Number.POSITIVE_INFINITY;
    for (const [index, [pointX, pointY]] of points.entries()) {
      const [right, down] = [around(x - pointX), around(y - pointY)];
      const distance = right * right + down * down;
      if (distance < nearest.distance) {
        second = nearest.distance;
        nearest = { index, x: right, y: down, distance };
      } else if (distance < second) second = distance;
    }
    return { index: nearest.index, x: nearest.x, y: nearest.y, gap: second - nearest.distance };
  };
}

/** Returns points that keep apart: one in each cell of a grid, moved by up to half a cell. */
export function pointsOf(random: HashSequence, columns: number, rows: number): readonly [number, number][] {
  const [sizeX, sizeY] = [TEXTURE_EDGE / columns, TEXTURE_EDGE / rows];
  return Array.from({ length: columns * rows }, (_, index) => {
    const row = Math.floor(index / columns);
    // Every second row is moved by half a cell, so that no columns show.
    const shift = row % 2 === 1 ? sizeX / 2 : 0;
    const x = (index % columns) * sizeX + shift + random.between(0, Math.ceil(sizeX / 2));
    return [Math.floor(x), Math.floor(row * sizeY) + random.between(0, Math.ceil(sizeY / 2))];
  });
}

function wrapped(at: number): number {
  return ((at % TEXTURE_EDGE) + TEXTURE_EDGE) % TEXTURE_EDGE;
}

/** The shortest way around the edge. */
function around(way: number): number {
  return wrapped(way + TEXTURE_EDGE / 2) - TEXTURE_EDGE / 2;
}
