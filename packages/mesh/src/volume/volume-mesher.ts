import { wrongArgument } from "@orthant/core/arguments";
import type { BlockLooks } from "../looks/block-looks.ts";
import type { BlockAppearance } from "./block-appearance.ts";
import { CornerLight } from "./corner-light.ts";
import {
  BLENDED_CUBE,
  CUTOUT_CUBE,
  DrawnBlocks,
  type DrawnModel,
  FACE_NUMBERS,
  GLOWING,
  LIQUID,
  MODEL,
  MODEL_PASS_SHIFT,
  SOLID_CUBE,
} from "./drawn-blocks.ts";
import {
  BLOCK_SHIFT,
  CORNERS_SHIFT,
  GLOWING_BIT,
  LIGHT_FULL,
  MODEL_BIT,
  type QuadList,
  QuadWriter,
  SIDE_FRAMES,
  SIDE_SHIFT,
  type SideFrame,
  SKY_LIT,
  SUNKEN_BIT,
  TURNED_BIT,
} from "./quads.ts";
import { FULL_SIDE } from "./side-masks.ts";
import type { Volume, VolumePoint } from "./volume.ts";
import { VoxelRows } from "./voxel-rows.ts";

/** The surface of a volume, by how its quads join the picture. */
export interface VolumeMesh {
  readonly opaque: QuadList;
  /** With holes, such as leaves. */
  readonly cutout: QuadList;
  /** Mixed with what lies behind it, such as water: drawn after everything else. */
  readonly blended: QuadList;
}

/** Which faces a mesh has, and how they are lit. */
export interface VolumeMeshOptions {
  /** The sides whose faces to build; by default {@link ALL_SIDES}. */
  readonly sides?: readonly number[];
  /** Whether the corners of faces are darker beside other voxels; by default true. */
  readonly isShaded?: boolean;
  /**
   * The light of the volume and its border, a byte for each voxel: 16 times the light of the sky, plus that of blocks. By
   * default everything has all the light of the sky.
   */
  readonly light?: Uint8Array;
}

/** The six sides of a voxel: towards greater and lesser x, then y, then z. A side is `2 * axis`, plus 1 for lesser. */
export const ALL_SIDES: readonly number[] = [0, 1, 2, 3, 4, 5];

const FULL_CORNERS = 0xff;
/** Bits of a face's key, above a block: the shade of its corners, whether it is sunken, and whether its light is not just that of the sky. */
const KEY_CORNERS_SHIFT = 16;
const KEY_SUNKEN = 1 << 24;
const KEY_LIT = 1 << 25;
const EVEN_ACROSS = 1;
const EVEN_UPWARDS = 2;
const IS_TURNED = 4;
/** How bright the darkest corner is, beside {@link LIGHT_FULL}. */
const SHADE_STEPS = 3;

/** Light at the corners of a face, two bits each, by the opaque voxels around the one before it. */
const CORNERS = Uint8Array.from({ length: 256 }, (_, around) => {
  const [left, right, below, above, ...diagonal] = Array.from(
    { length: 8 },
    (_, bit) => (around >>> bit) & 1,
  );
  const light = (side = 0, other = 0, corner = 0): number =>
    side + other === 2 ? 0 : LIGHT_FULL - side - other - corner;
  return (
    light(left, below, diagonal[0]) |
    (light(right, below, diagonal[1]) << 2) |
    (light(right, above, diagonal[2]) << 4) |
    (light(left, above, diagonal[3]) << 6)
  );
});

/** By the light at four corners: in which directions it stays the same, and whether the diagonal is turned. */
const CORNER_FLAGS = Uint8Array.from({ length: 256 }, (_, corners) => {
  const [a = 0, b = 0, c = 0, d = 0] = [0, 2, 4, 6].map((shift) => (corners >>> shift) & 3);
  return (
    (a === b && c === d ? EVEN_ACROSS : 0) |
    (a === d && b === c ? EVEN_UPWARDS : 0) |
    // The quad is split into two triangles along its brighter diagonal.
    (a + c < b + d ? IS_TURNED : 0)
  );
});

/**
 * Builds the surfaces of volumes. A row of voxels is the bits of a word, so that shifts find its visible faces; only those
 * are looked at one by one. Faces of the same block with the same light at their corners are merged into one quad. Reuses
 * its memory for every volume.
 */
export class VolumeMesher {
  /** How blocks are drawn, with the templates of models. */
  readonly blocks: DrawnBlocks;
  readonly #rows: VoxelRows;
  readonly #light: CornerLight;
  readonly #writers = [new QuadWriter(), new QuadWriter(), new QuadWriter()] as const;
  #size: VolumePoint = [0, 0, 0];
  #voxels: Uint16Array = new Uint16Array(0);
  /** By voxel: the block and light of its face on the side in work; 0 without a face. */
  #keys = new Int32Array(0);
  /** By voxel: the light of that face, if its key says that it has its own. */
  #lights = new Int32Array(0);
  #isLit = false;
  /** Voxels with a face on the side in work, and the coordinates of each, 8 bits an axis. */
  #faces = new Int32Array(1 << 10);
  #places = new Int32Array(1 << 10);
  #faceCount = 0;
  #isShaded = true;
  /** Where the neighbours of faces on the side in work are: in which row, and by how many bits. */
  #steps: SideSteps = stepsOf(0, [0, 0, 0]);

  constructor(looks: BlockAppearance | BlockLooks) {
    this.blocks = new DrawnBlocks(looks);
    this.#rows = new VoxelRows(this.blocks);
    this.#light = new CornerLight(this.blocks);
  }

  /** Returns the surface of a volume. The voxels around it only hide and shade faces. */
  mesh(volume: Volume, { sides = ALL_SIDES, isShaded = true, light }: VolumeMeshOptions = {}): VolumeMesh {
    const rows = this.#rows;
    if (rows.read(volume)) {
      this.#size = volume.size;
      this.#voxels = volume.blocks;
      this.#isShaded = isShaded;
      if (this.#keys.length < volume.blocks.length) this.#keys = new Int32Array(volume.blocks.length);
      this.#isLit = light !== undefined;
      if (light !== undefined) this.#readLight(volume, light);
      for (const side of sides) {
        this.#faceCount = 0;
        this.#steps = stepsOf(side, volume.size);
        this.#findFaces(side, rows.solid, SOLID_CUBE);
        if ((rows.classes & CUTOUT_CUBE) !== 0) this.#findFaces(side, rows.cutout, CUTOUT_CUBE);
        if ((rows.classes & BLENDED_CUBE) !== 0) this.#findFaces(side, rows.blended, BLENDED_CUBE);
        this.#mergeFaces(side);
      }
      if ((rows.classes & MODEL) !== 0) this.#addModels(sides);
    }
    const [opaque, cutout, blended] = this.#writers;
    return { opaque: opaque.take(), cutout: cutout.take(), blended: blended.take() };
  }

  #readLight(volume: Volume, light: Uint8Array): void {
    const voxels = volume.blocks.length;
    if (light.length !== voxels) {
      const wanted = `it has ${voxels} bytes, one for each voxel of the volume and around it`;
      throw wrongArgument("options.light", light, wanted);
    }
    if (this.#lights.length < voxels) this.#lights = new Int32Array(voxels);
    this.#light.read(volume, light, this.#rows);
  }

  /** Finds the visible faces of one kind of cubes on one side. */
  #findFaces(side: number, kind: Int32Array, kindClass: number): void {
    const { solid, models, sunken, classes, slabs, slabVoxels } = this.#rows;
    const { front, frontShift } = this.#steps;
    const [width, height, depth] = this.#size;
    const hasModels = (classes & MODEL) !== 0;
    const hasLiquids = kindClass !== SOLID_CUBE && (classes & LIQUID) !== 0 && side !== 3;
    const isShaded = this.#isShaded && kindClass !== BLENDED_CUBE;
    for (let slab = 0; slab < slabs; slab++) {
      const from = slab * slabVoxels;
      const inner = (-1 >>> (32 - Math.min(slabVoxels, width - from))) << 1;
      for (let z = 1; z <= depth; z++) {
        let row = (slab * (depth + 2) + z) * (height + 2);
        for (let y = 1; y <= height; y++) {
          row++;
          const own = (kind[row] as number) & inner;
          if (own === 0) continue;
          let visible = own & ~shifted(solid[row + front] as number, frontShift);
          const lowered = hasLiquids ? own & (sunken[row] as number) : 0;
          // The surface of a liquid does not touch what is above.
          if (side === 2) visible |= lowered;
          if (visible === 0) continue;
          const cell = from + (width + 2) * (y + (height + 2) * z);
          if (kindClass !== SOLID_CUBE) {
            const beside = visible & shifted(kind[row + front] as number, frontShift);
            if (beside !== 0) visible ^= this.#joined(beside, cell);
          }
          if (hasModels) {
            const beside = visible & shifted(models[row + front] as number, frontShift);
            if (beside !== 0) visible ^= this.#covered(beside, lowered, side, cell);
          }
          if (visible === 0) continue;
          const place = from - 1 + ((y - 1) << 8) + ((z - 1) << 16);
          this.#addFaces(visible, lowered, cell, place, row + front, isShaded);
        }
      }
    }
  }

  /** Returns those of a row's voxels beside which the same transparent block is. */
  #joined(beside: number, cell: number): number {
    const { joints } = this.blocks;
    const { frontVoxel } = this.#steps;
    const voxels = this.#voxels;
    let found = 0;
    for (let rest = beside; rest !== 0; rest &= rest - 1) {
      const at = cell + 31 - Math.clz32(rest & -rest);
      const joint = joints[voxels[at] as number] as number;
      if (joint !== 0 && joint === joints[voxels[at + frontVoxel] as number]) found |= rest & -rest;
    }
    return found;
  }

  /** Returns those of a row's voxels whose faces the models before them cover. */
  #covered(beside: number, lowered: number, side: number, cell: number): number {
    const { masks } = this.blocks;
    let found = 0;
    for (let rest = beside; rest !== 0; rest &= rest - 1) {
      const low = rest & -rest;
      const { covers } = this.#modelAt(cell + 31 - Math.clz32(low) + this.#steps.frontVoxel);
      const isLow = (lowered & low) !== 0;
      if (isLow && side === 2) continue;
      const part = isLow ? masks.belowSurface(side) : FULL_SIDE;
      if (masks.contains(covers[side ^ 1] as number, part)) found |= low;
    }
    return found;
  }

  /**
   * Adds faces of a row: `lowered` are those of sunken liquids, `cell` and `place` belong to bit 0, and `front` is the row
   * before the faces.
   */
  #addFaces(
    visible: number,
    lowered: number,
    cell: number,
    place: number,
    front: number,
    isShaded: boolean,
  ): void {
    let left = 0;
    let right = 0;
    let below = 0;
    let above = 0;
    let leftBelow = 0;
    let rightBelow = 0;
    let rightAbove = 0;
    let leftAbove = 0;
    if (isShaded || this.#isLit) {
      const { solid } = this.#rows;
      const { toRight, toAbove, frontShift, leftShift, rightShift } = this.#steps;
      left = shifted(solid[front - toRight] as number, leftShift);
      right = shifted(solid[front + toRight] as number, rightShift);
      below = shifted(solid[front - toAbove] as number, frontShift);
      above = shifted(solid[front + toAbove] as number, frontShift);
      leftBelow = shifted(solid[front - toAbove - toRight] as number, leftShift);
      rightBelow = shifted(solid[front - toAbove + toRight] as number, rightShift);
      rightAbove = shifted(solid[front + toAbove + toRight] as number, rightShift);
      leftAbove = shifted(solid[front + toAbove - toRight] as number, leftShift);
    }
    const around = left | right | below | above | leftBelow | rightBelow | rightAbove | leftAbove;
    if (this.#faceCount + 32 > this.#faces.length) this.#reserveFaces();
    const keys = this.#keys;
    const faces = this.#faces;
    const places = this.#places;
    const voxels = this.#voxels;
    let evenSky = 0;
    let evenDark = 0;
    let before = 0;
    if (this.#isLit) {
      before = shifted(this.#rows.solid[front] as number, this.#steps.frontShift);
      // Where light and darkness meet, each face is looked at.
      evenSky = this.#evenAround(this.#light.sky, front) & ~before;
      if ((visible & ~evenSky) !== 0) evenDark = this.#evenAround(this.#light.dark, front) & ~before;
    }
    let count = this.#faceCount;
    for (let rest = visible; rest !== 0; rest &= rest - 1) {
      const index = 31 - Math.clz32(rest & -rest);
      const voxel = cell + index;
      let corners = FULL_CORNERS;
      let opaque = 0;
      if (((around >>> index) & 1) !== 0) {
        opaque =
          ((left >>> index) & 1) |
          (((right >>> index) & 1) << 1) |
          (((below >>> index) & 1) << 2) |
          (((above >>> index) & 1) << 3) |
          (((leftBelow >>> index) & 1) << 4) |
          (((rightBelow >>> index) & 1) << 5) |
          (((rightAbove >>> index) & 1) << 6) |
          (((leftAbove >>> index) & 1) << 7);
        if (isShaded) corners = CORNERS[opaque] as number;
      }
      let key = (voxels[voxel] as number) | (corners << KEY_CORNERS_SHIFT);
      if (((lowered >>> index) & 1) !== 0) key |= KEY_SUNKEN;
      if (this.#isLit && ((evenSky >>> index) & 1) === 0) {
        const { frontVoxel, rightVoxel, aboveVoxel } = this.#steps;
        const light =
          ((evenDark >>> index) & 1) !== 0
            ? 0
            : this.#light.ofFace(
                voxel,
                voxel + frontVoxel,
                rightVoxel,
                aboveVoxel,
                opaque | (((before >>> index) & 1) << 8),
              );
        if (light !== SKY_LIT) {
          key |= KEY_LIT;
          this.#lights[voxel] = light;
        }
      }
      keys[voxel] = key;
      faces[count] = voxel;
      places[count] = place + index;
      count++;
    }
    this.#faceCount = count;
  }

  /** Returns the voxels of a row before and around which all voxels are in `rows`, by the voxel behind each. */
  #evenAround(rows: Int32Array, front: number): number {
    const { toRight, toAbove, frontShift, leftShift, rightShift } = this.#steps;
    const middle =
      (rows[front] as number) & (rows[front - toAbove] as number) & (rows[front + toAbove] as number);
    const left =
      (rows[front - toRight] as number) &
      (rows[front - toRight - toAbove] as number) &
      (rows[front - toRight + toAbove] as number);
    const right =
      (rows[front + toRight] as number) &
      (rows[front + toRight - toAbove] as number) &
      (rows[front + toRight + toAbove] as number);
    return shifted(middle, frontShift) & shifted(left, leftShift) & shifted(right, rightShift);
  }

  #reserveFaces(): void {
    const faces = new Int32Array(this.#faces.length * 2);
    const places = new Int32Array(this.#places.length * 2);
    faces.set(this.#faces);
    places.set(this.#places);
    this.#faces = faces;
    this.#places = places;
  }

  /** Merges the faces found into quads, and forgets them. */
  #mergeFaces(side: number): void {
    const keys = this.#keys;
    const lights = this.#lights;
    const faces = this.#faces;
    const { acrossVoxel, upwardsVoxel } = this.#steps;
    const count = this.#faceCount;
    for (let face = 0; face < count; face++) {
      const first = faces[face] as number;
      const key = keys[first] as number;
      if (key === 0) continue;
      // Faces whose light varies are not merged: one large face would interpolate it differently.
      let flags = CORNER_FLAGS[(key >>> KEY_CORNERS_SHIFT) & 0xff] as number;
      const isLit = (key & KEY_LIT) !== 0;
      const light = isLit ? (lights[first] as number) : SKY_LIT;
      if (light !== SKY_LIT && light !== 0) flags = withLight(flags, key >>> KEY_CORNERS_SHIFT, light);
      let wide = 1;
      // The border has no faces, so that no run leaves the volume.
      if ((flags & EVEN_ACROSS) !== 0) {
        while (
          keys[first + wide * acrossVoxel] === key &&
          (!isLit || lights[first + wide * acrossVoxel] === light)
        )
          wide++;
      }
      let high = 1;
      if ((flags & EVEN_UPWARDS) !== 0) {
        for (; isRun(keys, key, first + high * upwardsVoxel, wide, acrossVoxel); high++) {
          if (isLit && !isRun(lights, light, first + high * upwardsVoxel, wide, acrossVoxel)) break;
        }
      }
      if (wide === 1 && high === 1) keys[first] = 0;
      else clearFaces(keys, first, wide, acrossVoxel, high, upwardsVoxel);
      this.#addQuad(side, this.#places[face] as number, key, (wide - 1) | ((high - 1) << 8), flags, light);
    }
  }

  #addQuad(side: number, place: number, key: number, extent: number, flags: number, light: number): void {
    const block = key & 0xffff;
    const { classes, drawings, sideMaterials } = this.blocks;
    const kind = classes[block] as number;
    const corners = (key >>> KEY_CORNERS_SHIFT) & 0xff;
    this.#writers[(kind & SOLID_CUBE) !== 0 ? 0 : (kind & CUTOUT_CUBE) !== 0 ? 1 : 2].add(
      place |
        (side << SIDE_SHIFT) |
        ((flags & IS_TURNED) !== 0 ? TURNED_BIT : 0) |
        ((key & KEY_SUNKEN) !== 0 ? SUNKEN_BIT : 0) |
        ((kind & GLOWING) !== 0 ? GLOWING_BIT : 0),
      extent | (corners << CORNERS_SHIFT),
      (sideMaterials[(drawings[block] as number) * 6 + side] as number) | (block << BLOCK_SHIFT),
      light,
    );
  }

  /** Adds the faces of models that nothing covers. */
  #addModels(sides: readonly number[]): void {
    const { models, slabs, slabVoxels } = this.#rows;
    const [width, height, depth] = this.#size;
    const drawn = sides.reduce((bits, side) => bits | (1 << side), 0);
    for (let slab = 0; slab < slabs; slab++) {
      const from = slab * slabVoxels;
      const inner = (-1 >>> (32 - Math.min(slabVoxels, width - from))) << 1;
      for (let z = 1; z <= depth; z++)
        for (let y = 1; y <= height; y++) {
          const cell = from + (width + 2) * (y + (height + 2) * z);
          const place = from - 1 + ((y - 1) << 8) + ((z - 1) << 16);
          let rest = (models[y + (height + 2) * (z + (depth + 2) * slab)] as number) & inner;
          for (; rest !== 0; rest &= rest - 1) {
            const index = 31 - Math.clz32(rest & -rest);
            this.#addModel(cell + index, place + index, drawn);
          }
        }
    }
  }

  /** Adds the faces of one model, of the sides whose bits are in `drawn`. */
  #addModel(cell: number, place: number, drawn: number): void {
    const block = this.#voxels[cell] as number;
    const kind = this.blocks.classes[block] as number;
    const { faces, materials } = this.#modelAt(cell);
    const writer = this.#writers[(kind >>> MODEL_PASS_SHIFT) & 3] as QuadWriter;
    const glow = (kind & GLOWING) !== 0 ? GLOWING_BIT : 0;
    const count = faces.length / FACE_NUMBERS;
    for (let face = 0; face < count; face++) {
      const side = faces[face * FACE_NUMBERS + 1] as number;
      if (((drawn >>> side) & 1) === 0 || this.#isHidden(cell, face)) continue;
      const light = this.#isLit ? this.#light.ofModel(cell, cell + this.#stepTo(side)) : SKY_LIT;
      writer.add(
        place | (side << SIDE_SHIFT) | MODEL_BIT | glow,
        (faces[face * FACE_NUMBERS] as number) | (FULL_CORNERS << CORNERS_SHIFT),
        (materials[face] as number) | (block << BLOCK_SHIFT),
        light,
      );
    }
  }

  /** Whether the voxel beside a model covers one of its faces. */
  #isHidden(cell: number, face: number): boolean {
    const { faces, parts } = this.#modelAt(cell);
    const side = faces[face * FACE_NUMBERS + 2] as number;
    if (side < 0) return false;
    const beside = cell + this.#stepTo(side);
    const { classes, joints, masks } = this.blocks;
    const neighbour = this.#voxels[beside] as number;
    const kind = classes[neighbour] as number;
    if ((kind & SOLID_CUBE) !== 0) return true;
    if ((kind & MODEL) === 0) return false;
    const model = this.#modelAt(beside);
    const isJoined = neighbour === this.#voxels[cell] && joints[neighbour] !== 0;
    const cover = (isJoined ? model.joints : model.covers)[side ^ 1] as number;
    return masks.contains(cover, parts[face] as number);
  }

  /** Returns the way from a voxel to the one beside it. */
  #stepTo(side: number): number {
    const [width, height] = this.#size;
    const step = [1, width + 2, (width + 2) * (height + 2)][side >> 1] as number;
    return side % 2 === 0 ? step : -step;
  }

  #modelAt(cell: number): DrawnModel {
    const { drawings, models } = this.blocks;
    return models[drawings[this.#voxels[cell] as number] as number] as DrawnModel;
  }
}

/** Where the neighbours of faces on one side are. */
interface SideSteps {
  /** From the row of a voxel to that before its face, in rows and bits. */
  readonly front: number;
  readonly frontShift: number;
  /** From there to the one at its right and the one above, in rows, and the bits to the left and to the right. */
  readonly toRight: number;
  readonly toAbove: number;
  readonly leftShift: number;
  readonly rightShift: number;
  /** From a voxel to the one before its face. */
  readonly frontVoxel: number;
  /** To the next voxel of a quad's width and of its height, in ascending order. */
  readonly acrossVoxel: number;
  readonly upwardsVoxel: number;
  /** From a voxel to the one at its right and the one above, as seen from outside. */
  readonly rightVoxel: number;
  readonly aboveVoxel: number;
}

function stepsOf(side: number, [width, height]: VolumePoint): SideSteps {
  const { right, rightSign, up, upSign } = SIDE_FRAMES[side] as SideFrame;
  const axis = side >> 1;
  const sign = side % 2 === 0 ? 1 : -1;
  // Along x, the next voxel is the next bit of the same row.
  const rows = [0, 1, height + 2] as const;
  const voxels = [1, width + 2, (width + 2) * (height + 2)] as const;
  const frontShift = axis === 0 ? sign : 0;
  return {
    front: sign * (rows[axis] as number),
    frontShift,
    toRight: rightSign * rows[right],
    toAbove: upSign * rows[up],
    leftShift: right === 0 ? -rightSign : frontShift,
    rightShift: right === 0 ? rightSign : frontShift,
    frontVoxel: sign * (voxels[axis] as number),
    acrossVoxel: voxels[right],
    upwardsVoxel: voxels[up],
    rightVoxel: rightSign * voxels[right],
    aboveVoxel: upSign * voxels[up],
  };
}

/** Returns a row with the bit of each voxel at that of the one before, if `by` is 1, or of the next one, if it is -1. */
function shifted(row: number, by: number): number {
  return by === 0 ? row : by > 0 ? row >>> 1 : row << 1;
}

function clearFaces(
  keys: Int32Array,
  first: number,
  wide: number,
  acrossVoxel: number,
  high: number,
  upwardsVoxel: number,
): void {
  for (let row = 0; row < high; row++) {
    const from = first + row * upwardsVoxel;
    for (let index = 0; index < wide; index++) keys[from + index * acrossVoxel] = 0;
  }
}

function isRun(keys: Int32Array, key: number, from: number, length: number, step: number): boolean {
  for (let index = 0; index < length; index++) if (keys[from + index * step] !== key) return false;
  return true;
}

/** Returns the flags of a face whose corners are lit. */
function withLight(flags: number, corners: number, light: number): number {
  const [a, b, c, d] = [light & 0xff, (light >>> 8) & 0xff, (light >>> 16) & 0xff, light >>> 24];
  if (a === b && b === c && c === d) return flags;
  const even = (a === b && c === d ? EVEN_ACROSS : 0) | (a === d && b === c ? EVEN_UPWARDS : 0);
  const at = (corner: number, level: number): number =>
    (SHADE_STEPS + ((corners >>> (corner * 2)) & 3)) * (1 + Math.max(level >> 4, level & 15));
  const isTurned = at(0, a) + at(2, c) < at(1, b) + at(3, d);
  return (flags & even) | (isTurned ? IS_TURNED : 0);
}
