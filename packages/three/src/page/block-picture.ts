import { requireWhole } from "@orthant/core/arguments";
import type { BlockLooks, FaceTexture, ModelQuad } from "@orthant/mesh/looks";
import { blockQuads } from "../block/block-quads.ts";

/** Sixteenths of a voxel on each edge. */
const FULL = 16;
/** Brightness of faces that look up, along z and along x, as in the world. */
const [LIGHT_TOP, LIGHT_ALONG_Z, LIGHT_ALONG_X] = [1, 0.86, 0.74];
/** Samples of each pixel on each axis. */
const SAMPLES = 2;
const CHANNELS = 4;
/** Pixels with less opacity are holes of a texture that is cut out. */
const HOLE_OPACITY_MAX = 25;
/** Width and height of the picture, in sixteenths of a voxel: a whole cube and a little air. */
const PICTURE_SIXTEENTHS = 35;
/** How far down the picture a voxel goes towards the viewer, and how far up. */
const [SLOPE, RISE] = [0.5, 1.12];
const EDGE_MAX = 1_024;

/**
 * Draws a block as a small picture from the quads of its model, as one sees it from above at an edge. The picture of air
 * is empty. `edge` is its width and height in pixels, at most 1,024.
 *
 * @example
 * slot.append(blockPicture(looksOf(defaultLooks(), world.blocks), world.blocks.id("grass"), 96));
 */
export function blockPicture(looks: BlockLooks, block: number, edge: number): HTMLCanvasElement {
  requireWhole("edge", edge, 1, EDGE_MAX);
  const canvas = document.createElement("canvas");
  canvas.width = edge;
  canvas.height = edge;
  const pixels = new ImageData(blockPixels(looks, block, edge), edge, edge);
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  return canvas;
}

/** Returns the pixels of that picture: red, green, blue and opacity, row by row from the top. */
function blockPixels(looks: BlockLooks, block: number, edge: number): Uint8ClampedArray<ArrayBuffer> {
  const size = edge * SAMPLES;
  const raster: Raster = {
    size,
    colours: new Float32Array(size * size * CHANNELS),
    depths: new Float32Array(size * size).fill(Number.NEGATIVE_INFINITY),
  };
  const look = looks.lookOf(block);
  const quads = look.pass === undefined ? [] : blockQuads(look).map((quad) => projected(quad, size));
  // What is seen through is drawn over the rest, the farthest first.
  const shown = quads.filter(({ winding }) => winding > 0).sort((a, b) => a.middle - b.middle);
  for (const quad of shown) fill(raster, quad, looks, look.pass === "blended");
  return averaged(raster, edge);
}

interface Raster {
  readonly size: number;
  /** Linear enough for a picture: red, green and blue times opacity, and opacity, from 0 to 1. */
  readonly colours: Float32Array;
  readonly depths: Float32Array;
}

/** A quad on the raster: the texture's coordinates and the depth of a sample follow from its place. */
interface ProjectedQuad {
  readonly texture: FaceTexture;
  readonly light: number;
  /** Above 0 when the quad looks towards the viewer. */
  readonly winding: number;
  readonly middle: number;
  /** The first corner, and the edges to the second and the last one: right, down, depth, u, v. */
  readonly origin: readonly number[];
  readonly along: readonly number[];
  readonly across: readonly number[];
}

/** Seen from above, from between east and north, where blocks without a direction have their front. */
function projected({ corners, uvs, texture }: ModelQuad, size: number): ProjectedQuad {
  const scale = size / PICTURE_SIXTEENTHS;
  const at = (corner: number): readonly number[] => {
    const part = (axis: number): number => (corners[corner * 3 + axis] as number) - FULL / 2;
    const [x, y, z] = [part(0), part(1), part(2)];
    return [
      size / 2 - (x + z) * scale,
      size / 2 + ((x - z) * SLOPE - y * RISE) * scale,
      x - z + y,
      uvs[corner * 2] as number,
      uvs[corner * 2 + 1] as number,
    ];
  };
  const [first, second, third, last] = [at(0), at(1), at(2), at(3)];
  const edgeTo = (corner: readonly number[]): readonly number[] =>
    corner.map((part, index) => part - (first[index] as number));
  const [along, across] = [edgeTo(second), edgeTo(last)];
  const winding = (along[1] as number) * (across[0] as number) - (along[0] as number) * (across[1] as number);
  const middle = ((first[2] as number) + (third[2] as number)) / 2;
  return { texture, light: lightOf(corners), winding, middle, origin: first, along, across };
}

/** Mixes the brightness of the axes by the direction in which a quad looks. */
function lightOf(corners: readonly number[]): number {
  const edge = (corner: number, axis: number): number =>
    (corners[corner * 3 + axis] as number) - (corners[axis] as number);
  const normal = [0, 1, 2].map((axis) => {
    const [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
    return edge(1, next) * edge(3, last) - edge(1, last) * edge(3, next);
  });
  const squares = normal.map((part) => part ** 2);
  const sum = squares.reduce((total, part) => total + part, 0) || 1;
  const lights = [LIGHT_ALONG_X, LIGHT_TOP, LIGHT_ALONG_Z];
  return lights.reduce((light, part, axis) => light + (part * (squares[axis] as number)) / sum, 0);
}

/** Draws all samples inside a quad that are nearer than those before. */
function fill(raster: Raster, quad: ProjectedQuad, { textures }: BlockLooks, isBlended: boolean): void {
  const { origin, along, across, winding, texture } = quad;
  const { size, depths, colours } = raster;
  const of = (list: readonly number[], index: number): number => list[index] as number;
  const range = (axis: 0 | 1): readonly [number, number] => {
    const ends = [0, of(along, axis), of(across, axis), of(along, axis) + of(across, axis)];
    const low = Math.floor(of(origin, axis) + Math.min(...ends));
    return [Math.max(0, low), Math.min(size - 1, Math.ceil(of(origin, axis) + Math.max(...ends)))];
  };
  const [[left, right], [top, bottom]] = [range(0), range(1)];
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      const [x, y] = [column + 0.5 - of(origin, 0), row + 0.5 - of(origin, 1)];
      const first = (y * of(across, 0) - x * of(across, 1)) / winding;
      const second = (of(along, 1) * x - of(along, 0) * y) / winding;
      if (first < 0 || first >= 1 || second < 0 || second >= 1) continue;
      const at = row * size + column;
      const value = (index: number): number =>
        of(origin, index) + of(along, index) * first + of(across, index) * second;
      if (value(2) < (depths[at] as number)) continue;
      const texel = texelOf(textures, texture.layer, value(3), value(4));
      const opacity = textures.pixels[texel + 3] as number;
      if (opacity <= HOLE_OPACITY_MAX) continue;
      depths[at] = value(2);
      const share = isBlended ? opacity / 255 : 1;
      for (let channel = 0; channel < 3; channel++) {
        const tint = ((texture.tint >>> (16 - channel * 8)) & 0xff) / 255;
        const colour = ((textures.pixels[texel + channel] as number) / 255) * tint * quad.light;
        const before = colours[at * CHANNELS + channel] as number;
        colours[at * CHANNELS + channel] = before * (1 - share) + colour * share;
      }
      const before = colours[at * CHANNELS + 3] as number;
      colours[at * CHANNELS + 3] = before * (1 - share) + share;
    }
  }
}

/** Returns where the pixel of a texture begins at a place in sixteenths. */
function texelOf({ edge }: BlockLooks["textures"], layer: number, u: number, v: number): number {
  const cell = (part: number): number => Math.max(0, Math.min(edge - 1, Math.floor((part / FULL) * edge)));
  return ((layer * edge + cell(v)) * edge + cell(u)) * CHANNELS;
}

/** Returns the mean of the samples of each pixel. */
function averaged({ size, colours }: Raster, edge: number): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(edge * edge * CHANNELS);
  for (let at = 0; at < edge * edge; at++) {
    const sums = [0, 0, 0, 0];
    for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
      const row = Math.floor(at / edge) * SAMPLES + Math.floor(sample / SAMPLES);
      const column = (at % edge) * SAMPLES + (sample % SAMPLES);
      for (let channel = 0; channel < CHANNELS; channel++) {
        const part = colours[(row * size + column) * CHANNELS + channel] as number;
        sums[channel] = (sums[channel] as number) + part;
      }
    }
    const opacity = sums[3] as number;
    if (opacity === 0) continue;
    for (let channel = 0; channel < 3; channel++)
      pixels[at * CHANNELS + channel] = ((sums[channel] as number) / opacity) * 255;
    pixels[at * CHANNELS + 3] = (opacity / SAMPLES ** 2) * 255;
  }
  return pixels;
}
