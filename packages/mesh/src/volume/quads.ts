/** Numbers of 32 bits for each quad in a list of quads. */
export const QUAD_WORDS = 4;
/** Numbers for each template: four corners of eight numbers, x, y, z, u, v and the direction that the quad looks in. */
export const TEMPLATE_NUMBERS = 32;
/** Limit on the voxels of a volume on each axis: a quad has eight bits for a coordinate. */
export const VOLUME_EDGE_MAX = 256;
/** Shade of a corner that nothing darkens; each opaque voxel beside it takes one away. */
export const LIGHT_FULL = 3;

/** Place of the side in a quad's first word, above three coordinates. */
export const SIDE_SHIFT = 24;
/** Bit of the first word: it is a face of a model, by the number of its template. */
export const MODEL_BIT: number = 1 << 27;
/** Bit of the first word: {@link Quad.isTurned}. */
export const TURNED_BIT: number = 1 << 28;
/** Bit of the first word: {@link Quad.isSunken}. */
export const SUNKEN_BIT: number = 1 << 29;
/** Bit of the first word: {@link Quad.isGlowing}. */
export const GLOWING_BIT: number = 1 << 30;
/** Place of the corners' shade in the second word, above a width and a height, or a template. */
export const CORNERS_SHIFT = 16;
/** Place of the block in the third word, above the material. */
export const BLOCK_SHIFT = 16;
/** The fourth word of a quad that has all the light of the sky, and none of blocks. */
export const SKY_LIT: number = 0xf0_f0_f0_f0 | 0;

/** Quads, four words each, as [the reference](../../../../docs/reference/mesh.md) describes them. */
export type QuadList = Uint32Array<ArrayBuffer>;

/** One quad of a list, in plain numbers. */
export interface Quad {
  /** The voxel with the least coordinates that the quad belongs to, from the lowest corner of the volume. */
  readonly voxel: readonly [x: number, y: number, z: number];
  /** The side of the voxels that it lies on; for a face of a model, the side that it looks to most. */
  readonly side: number;
  /** Voxels to the right, as seen from outside. 1 for a face of a model. */
  readonly width: number;
  /** Voxels upwards, as seen from outside. 1 for a face of a model. */
  readonly height: number;
  /** Which template the face of a model has; `undefined` for a face of a cube. */
  readonly template: number | undefined;
  /** How open the lower left corner, the lower right one, the upper right one and the upper left one are, from 0 to 3. */
  readonly corners: readonly [number, number, number, number];
  /** Light at the same corners: 16 times that of the sky, plus that of blocks, from 0 to 15 each. */
  readonly lights: readonly [number, number, number, number];
  /** Whether its triangles are 1, 2, 3 and 1, 3, 0 instead of 0, 1, 2 and 0, 2, 3. */
  readonly isTurned: boolean;
  /** Whether its upper edge, or all of it on the side +y, lies an eighth of a voxel lower, as the surface of water does. */
  readonly isSunken: boolean;
  /** Whether nothing shades it. */
  readonly isGlowing: boolean;
  /** Which material of the mesher's table it has. */
  readonly material: number;
  readonly block: number;
}

/** Number of quads in a list. */
export function quadCount(quads: QuadList): number {
  return quads.length / QUAD_WORDS;
}

/** Reads one quad of a list. */
export function decodeQuad(quads: QuadList, index: number): Quad {
  const at = index * QUAD_WORDS;
  const [place = 0, shape = 0, look = 0, light = 0] = quads.subarray(at, at + QUAD_WORDS);
  const isModel = (place & MODEL_BIT) !== 0;
  const openAt = (corner: number): number => (shape >>> (CORNERS_SHIFT + corner * 2)) & 3;
  return {
    voxel: [place & 0xff, (place >>> 8) & 0xff, (place >>> 16) & 0xff],
    side: (place >>> SIDE_SHIFT) & 7,
    width: isModel ? 1 : (shape & 0xff) + 1,
    height: isModel ? 1 : ((shape >>> 8) & 0xff) + 1,
    template: isModel ? shape & 0xffff : undefined,
    corners: [openAt(0), openAt(1), openAt(2), openAt(3)],
    lights: [light & 0xff, (light >>> 8) & 0xff, (light >>> 16) & 0xff, light >>> 24],
    isTurned: (place & TURNED_BIT) !== 0,
    isSunken: (place & SUNKEN_BIT) !== 0,
    isGlowing: (place & GLOWING_BIT) !== 0,
    material: look & 0xffff,
    block: look >>> BLOCK_SHIFT,
  };
}

/** How a face lies on a side of a voxel. The picture on it is upright: its right and its upper edge are those of the face. */
export interface SideFrame {
  /** The axis to the right, and the direction along it. */
  readonly right: 0 | 1 | 2;
  readonly rightSign: 1 | -1;
  /** The axis upwards, and the direction along it. */
  readonly up: 0 | 1 | 2;
  readonly upSign: 1 | -1;
}

/** How faces lie on the six sides, as seen from outside: y is up; on the sides +y and -y, +x is to the right. */
export const SIDE_FRAMES: readonly SideFrame[] = [
  { right: 2, rightSign: -1, up: 1, upSign: 1 },
  { right: 2, rightSign: 1, up: 1, upSign: 1 },
  { right: 0, rightSign: 1, up: 2, upSign: -1 },
  { right: 0, rightSign: 1, up: 2, upSign: 1 },
  { right: 0, rightSign: 1, up: 1, upSign: 1 },
  { right: 0, rightSign: -1, up: 1, upSign: 1 },
];

/** Depth of the surface of water below the top of its voxel. */
export const SUNKEN_VOXELS: number = 1 / 8;

/** Returns the four corners of a quad, three numbers each, in voxels; counterclockwise from outside, the lower left one first. */
export function quadCorners(quad: Quad, templates: Float32Array): Float32Array<ArrayBuffer> {
  const corners = new Float32Array(12);
  for (let corner = 0; corner < 4; corner++) {
    const point =
      quad.template === undefined
        ? faceCorner(quad, corner)
        : [0, 1, 2].map((axis) => {
            const at = (quad.template as number) * TEMPLATE_NUMBERS + corner * 8 + axis;
            return (quad.voxel[axis] as number) + (templates[at] as number);
          });
    corners.set(point, corner * 3);
  }
  return corners;
}

function faceCorner({ voxel, side, width, height, isSunken }: Quad, corner: number): number[] {
  const { right, rightSign, up, upSign } = SIDE_FRAMES[side] as SideFrame;
  const point: number[] = [...voxel];
  const isRight = corner === 1 || corner === 2;
  const isUpper = corner >= 2;
  point[side >> 1] = (point[side >> 1] as number) + (side % 2 === 0 ? 1 : 0);
  point[right] = (point[right] as number) + (isRight === rightSign > 0 ? width : 0);
  point[up] = (point[up] as number) + (isUpper === upSign > 0 ? height : 0);
  if (isSunken && (side === 2 || isUpper)) point[1] = (point[1] as number) - SUNKEN_VOXELS;
  return point;
}

/** Collects quads. Reuses its memory for the next list. */
export class QuadWriter {
  #words = new Int32Array(1 << 12);
  #length = 0;

  /** Adds a quad. */
  add(place: number, shape: number, look: number, light: number): void {
    if (this.#length === this.#words.length) this.#grow();
    const words = this.#words;
    const at = this.#length;
    words[at] = place;
    words[at + 1] = shape;
    words[at + 2] = look;
    words[at + 3] = light;
    this.#length = at + QUAD_WORDS;
  }

  /** Returns a copy of the quads added since the last call. */
  take(): QuadList {
    const length = this.#length;
    this.#length = 0;
    return length === 0 ? NO_QUADS : new Uint32Array(this.#words.slice(0, length).buffer);
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
  }
}

/** A list without quads. */
export const NO_QUADS: QuadList = new Uint32Array(0);
