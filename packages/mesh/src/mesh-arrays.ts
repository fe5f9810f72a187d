import type { DrawnBlocks } from "./volume/drawn-blocks.ts";
import { decodeMaterial, type Material } from "./volume/material-table.ts";
import {
  decodeQuad,
  LIGHT_FULL,
  type Quad,
  type QuadList,
  quadCorners,
  quadCount,
  SUNKEN_VOXELS,
  TEMPLATE_NUMBERS,
} from "./volume/quads.ts";

/** Triangles, in arrays that a `BufferGeometry` of three.js or a vertex buffer takes as they are. */
export interface MeshArrays {
  /** Three numbers for each vertex: its place in voxels, from the mesh's origin. */
  readonly positions: Float32Array<ArrayBuffer>;
  /** Three numbers for each vertex: the direction that its face looks in. */
  readonly normals: Float32Array<ArrayBuffer>;
  /** Four numbers for each vertex, from 0 to 1: red, green and blue, linear and shaded, and opacity. */
  readonly colours: Float32Array<ArrayBuffer>;
  /**
   * Two numbers for each vertex: its place in the texture, to the right and down, in textures. The texture repeats with each
   * voxel.
   */
  readonly uvs: Float32Array<ArrayBuffer>;
  /** A number for each vertex: the layer of the texture; 0 and 1 are white. */
  readonly layers: Uint16Array<ArrayBuffer>;
  /** Two numbers for each vertex, from 0 to 255: light of the sky and of blocks. */
  readonly lights: Uint8Array<ArrayBuffer>;
  /** A number for each vertex: the block that it belongs to. */
  readonly blocks: Uint16Array<ArrayBuffer>;
  /** Three vertices for each triangle, counterclockwise when seen from outside. */
  readonly indices: Uint32Array<ArrayBuffer>;
}

/** How far faces reach over their edges, in voxels: corners of merged faces meet edges of others, and rounding opens gaps. */
export const MERGED_REACH: number = 1 / 512;

/** Share of light that reaches a corner, by the number of voxels that do not shade it. */
const LIGHT_SHARES = [0.42, 0.613, 0.807, 1] as const;
/** The same with textures, which have shadows of their own. */
const TEXTURED_SHARES = [0.55, 0.72, 0.87, 1] as const;
/** Light from a level of 0 to 15 as a byte. */
const BYTES_PER_LEVEL = 17;

/** Makes arrays for renderers of quads. */
export class ArraysMaker {
  readonly #blocks: DrawnBlocks;
  readonly #sunk: number;
  readonly #shades: readonly Float32Array[];

  /** `sunk` says how much lower on z the quads are. */
  constructor(blocks: DrawnBlocks, sunk: number) {
    this.#blocks = blocks;
    this.#sunk = sunk;
    this.#shades = blocks.hasTextures ? TEXTURED_SHADES : PLAIN_SHADES;
  }

  /** Returns the arrays of quads, whose faces reach over their edges by `reach` voxels. */
  arraysOf(quads: QuadList, reach: number): MeshArrays {
    const count = quadCount(quads);
    const arrays: MeshArrays = {
      positions: new Float32Array(count * 12),
      normals: new Float32Array(count * 12),
      colours: new Float32Array(count * 16),
      uvs: new Float32Array(count * 8),
      layers: new Uint16Array(count * 4),
      lights: new Uint8Array(count * 8),
      blocks: new Uint16Array(count * 4),
      indices: new Uint32Array(count * 6),
    };
    for (let index = 0; index < count; index++) this.#write(decodeQuad(quads, index), index, reach, arrays);
    return arrays;
  }

  #write(quad: Quad, index: number, reach: number, arrays: MeshArrays): void {
    const { templates, materials } = this.#blocks;
    const material = decodeMaterial(materials, quad.material);
    const points = quadCorners(quad, templates);
    if (reach > 0) extend(points, reach);
    for (let at = 0; at < 4; at++) {
      const corner = (at + (quad.isTurned ? 1 : 0)) % 4;
      const vertex = index * 4 + at;
      arrays.positions.set(points.subarray(corner * 3, corner * 3 + 3), vertex * 3);
      arrays.positions[vertex * 3 + 2] = (points[corner * 3 + 2] as number) - this.#sunk;
      this.#writeNormal(quad, vertex, arrays.normals);
      arrays.uvs.set(placeInTexture(quad, material.turns, corner, templates), vertex * 2);
      this.#writeColour(quad, material, corner, vertex, arrays.colours);
      const light = quad.lights[corner] as number;
      arrays.lights[vertex * 2] = (light >> 4) * BYTES_PER_LEVEL;
      arrays.lights[vertex * 2 + 1] = (light & 15) * BYTES_PER_LEVEL;
      arrays.layers[vertex] = material.layer;
      arrays.blocks[vertex] = quad.block;
    }
    arrays.indices.set(
      [0, 1, 2, 0, 2, 3].map((corner) => index * 4 + corner),
      index * 6,
    );
  }

  #writeNormal({ template, side }: Quad, vertex: number, normals: Float32Array): void {
    if (template === undefined) {
      normals[vertex * 3 + (side >> 1)] = side % 2 === 0 ? 1 : -1;
      return;
    }
    const at = template * TEMPLATE_NUMBERS + 5;
    normals.set(this.#blocks.templates.subarray(at, at + 3), vertex * 3);
  }

  #writeColour(
    { isGlowing, corners }: Quad,
    { tint, opacity }: Material,
    corner: number,
    vertex: number,
    colours: Float32Array,
  ): void {
    const shades = this.#shades[isGlowing ? LIGHT_FULL : (corners[corner] as number)] as Float32Array;
    colours[vertex * 4] = shades[tint >>> 16] as number;
    colours[vertex * 4 + 1] = shades[(tint >>> 8) & 0xff] as number;
    colours[vertex * 4 + 2] = shades[tint & 0xff] as number;
    colours[vertex * 4 + 3] = opacity / 255;
  }
}

/** Moves the corners of a quad outwards, along its edges. */
function extend(points: Float32Array, reach: number): void {
  const before = points.slice();
  const at = (corner: number, axis: number): number => before[(corner % 4) * 3 + axis] as number;
  for (let corner = 0; corner < 4; corner++)
    for (const other of [corner + 1, corner + 3]) {
      const edge = [0, 1, 2].map((axis) => at(corner, axis) - at(other, axis));
      const length = Math.hypot(...edge) || 1;
      for (let axis = 0; axis < 3; axis++) {
        points[corner * 3 + axis] =
          (points[corner * 3 + axis] as number) + ((edge[axis] as number) / length) * reach;
      }
    }
}

/** Returns the place of a corner in its texture, to the right and down. */
function placeInTexture(
  { template, width, height, side, isSunken }: Quad,
  turns: number,
  corner: number,
  templates: Float32Array,
): readonly [number, number] {
  if (template !== undefined) {
    const at = template * TEMPLATE_NUMBERS + corner * 8 + 3;
    return [templates[at] as number, templates[at + 1] as number];
  }
  const u = corner === 1 || corner === 2 ? width : 0;
  const v = corner < 2 ? height : isSunken && side !== 2 ? SUNKEN_VOXELS : 0;
  switch (turns) {
    case 1:
      return [height - v, u];
    case 2:
      return [width - u, height - v];
    case 3:
      return [v, width - u];
    default:
      return [u, v];
  }
}

const PLAIN_SHADES = shadesOf(LIGHT_SHARES);
const TEXTURED_SHADES = shadesOf(TEXTURED_SHARES);

/** Returns the linear colour of each 8-bit one, by the light at its corner. */
function shadesOf(shares: readonly number[]): readonly Float32Array[] {
  return shares.map((share) => Float32Array.from({ length: 256 }, (_, part) => linear((part / 255) * share)));
}

/** Converts a part of an sRGB colour to the linear one that a renderer computes with. */
function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
