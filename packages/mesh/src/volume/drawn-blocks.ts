import { AIR } from "@orthant/core";
import { requireObject } from "@orthant/core/arguments";
import { U16_MAX } from "@orthant/core/bytes";
import type { BlockLook, BlockLooks, DrawPass, FaceTexture, ModelQuad } from "../looks/block-looks.ts";
import { plainLook } from "../looks/looks-of.ts";
import { shapedLook } from "../looks/shaped-look.ts";
import { BlockAppearance, INVISIBLE, OPAQUE } from "./block-appearance.ts";
import { MaterialTable } from "./material-table.ts";
import { EMPTY_SIDE, FULL_SIDE, SideMasks, type SideRectangle } from "./side-masks.ts";
import { TemplateTable } from "./template-table.ts";

/** Bits of the class of a block: an opaque cube, which hides what lies behind it, */
export const SOLID_CUBE = 1;
/** a cube with holes, */
export const CUTOUT_CUBE = 2;
/** a cube that is mixed with what lies behind it, */
export const BLENDED_CUBE = 4;
/** another model, */
export const MODEL = 8;
/** a liquid, whose surface is lower, */
export const LIQUID = 16;
/** and a block that shines by itself. */
export const GLOWING = 32;
/** The pass of a model, as two bits. */
export const MODEL_PASS_SHIFT = 6;
/** The class of a block that no mesh has met yet. */
export const UNKNOWN_CLASS = 0x1_00;

const SIDES = 6;
const TRANSPARENT_OPACITY = 150;
const OPAQUE_OPACITY = 255;
const PASSES: readonly DrawPass[] = ["opaque", "cutout", "blended"];
const CUBE_CLASSES: Readonly<Record<DrawPass, number>> = {
  opaque: SOLID_CUBE,
  cutout: CUTOUT_CUBE,
  blended: BLENDED_CUBE,
};
const PLAIN_TEXTURE: FaceTexture = { layer: 0, variants: 1, isScattered: false, turns: 0, tint: 0xff_ff_ff };

/** The faces of a model, as a mesher reads them. */
export interface DrawnModel {
  /** For each face: a template, the side it looks to most, and the side in whose plane it lies, or -1. */
  readonly faces: Int32Array;
  /** For each face: its material. */
  readonly materials: Uint16Array;
  /** For each face: the cells of the side that must be covered to hide it. */
  readonly parts: Int32Array;
  /** By side: the cells that hide the faces of neighbours. */
  readonly covers: Int32Array;
  /** By side: the cells that hide faces of the same block. */
  readonly joints: Int32Array;
}
/** Numbers in `faces` for each face of a model. */
export const FACE_NUMBERS = 3;

/** How blocks are drawn, in tables for lookup per voxel. They are filled as meshes meet blocks. */
export class DrawnBlocks {
  /** By block: bits of its class, or {@link UNKNOWN_CLASS}. */
  readonly classes: Uint16Array = new Uint16Array(U16_MAX + 1).fill(UNKNOWN_CLASS);
  /** By block: its drawing. */
  readonly drawings: Uint16Array = new Uint16Array(U16_MAX + 1);
  /** By block: no face lies between two cubes with the same number, unless it is 0. */
  readonly joints: Uint16Array = new Uint16Array(U16_MAX + 1);
  /** By drawing and side: the material of a cube's face. */
  sideMaterials: Uint16Array = new Uint16Array(SIDES * 64);
  /** By drawing: its model, if it is not a cube. */
  readonly models: (DrawnModel | undefined)[] = [];
  readonly masks: SideMasks = new SideMasks();
  readonly #materials = new MaterialTable();
  readonly #looks: BlockAppearance | BlockLooks;
  readonly #drawingOfLook = new Map<BlockLook | number, number>();
  readonly #templates = new TemplateTable();

  constructor(looks: BlockAppearance | BlockLooks) {
    this.#looks = looks;
  }

  /** The templates of the models met so far, `TEMPLATE_NUMBERS` each. Later ones follow behind them. */
  get templates(): Float32Array<ArrayBuffer> {
    return this.#templates.numbers;
  }

  /** The materials of the blocks met so far, `MATERIAL_WORDS` each. Later ones follow behind them. */
  get materials(): Uint32Array<ArrayBuffer> {
    return this.#materials.words;
  }

  /** Whether blocks have textures, and not only colours. */
  get hasTextures(): boolean {
    return !(this.#looks instanceof BlockAppearance);
  }

  /** Returns a block that hides what lies behind it, or air if there is none. */
  solidBlock(): number {
    for (let block = U16_MAX; block > AIR; block--) {
      this.meet(block);
      if (((this.classes[block] as number) & SOLID_CUBE) !== 0) return block;
    }
    return AIR;
  }

  /** Whether voxels are opaque cubes only, so that no face lies between them. */
  areSolid(voxels: Uint16Array): boolean {
    for (let index = 0; index < voxels.length; index++) {
      const block = voxels[index] as number;
      if (this.classes[block] === UNKNOWN_CLASS) this.meet(block);
      if (((this.classes[block] as number) & SOLID_CUBE) === 0) return false;
    }
    return true;
  }

  /** Fills the tables for a block that no mesh has met yet. */
  meet(block: number): void {
    if (this.classes[block] !== UNKNOWN_CLASS) return;
    if (this.#looks instanceof BlockAppearance) this.#meetColour(block, this.#looks);
    else this.#meetLook(block, this.#looks.lookOf(block));
  }

  #meetColour(block: number, { kinds, glows, colours, catalog }: BlockAppearance): void {
    const kind = kinds[block] as number;
    const tint = colours[block] as number;
    const boxes = kind === OPAQUE ? catalog.boxesOf(block) : undefined;
    if (boxes !== undefined) {
      const cube = plainLook(tint, false, glows[block] !== 0);
      this.#meetLook(block, shapedLook(cube, boxes));
      return;
    }
    if (kind === INVISIBLE) {
      this.classes[block] = 0;
      return;
    }
    const glow = glows[block] === 0 ? 0 : GLOWING;
    this.classes[block] = (kind === OPAQUE ? SOLID_CUBE : BLENDED_CUBE) | glow;
    // Between two transparent blocks there is no face, also if they differ.
    this.joints[block] = kind === OPAQUE ? 0 : 1;
    const opacity = kind === OPAQUE ? OPAQUE_OPACITY : TRANSPARENT_OPACITY;
    this.drawings[block] = this.#drawingOf(tint + opacity * 2 ** 24, () => {
      this.#addDrawing(
        Array.from({ length: SIDES }, () => ({ ...PLAIN_TEXTURE, tint })),
        opacity,
      );
    });
  }

  #meetLook(block: number, look: BlockLook): void {
    requireObject(`looks.lookOf(${block})`, look, "it is a BlockLook, as looksOf returns them");
    const { pass, cube, isGlowing, isLiquid, joins } = look;
    if (pass === undefined) {
      this.classes[block] = 0;
      return;
    }
    const shape =
      cube === undefined ? MODEL | (PASSES.indexOf(pass) << MODEL_PASS_SHIFT) : CUBE_CLASSES[pass];
    const isSunken = isLiquid && cube !== undefined && pass !== "opaque";
    this.classes[block] = shape | (isSunken ? LIQUID : 0) | (isGlowing ? GLOWING : 0);
    this.joints[block] = joins && pass !== "opaque" ? block : 0;
    this.drawings[block] = this.#drawingOf(look, () => {
      if (cube === undefined) this.models[this.#drawingOfLook.size] = this.#modelOf(look, pass);
      else this.#addDrawing(cube, OPAQUE_OPACITY);
    });
  }

  #drawingOf(look: BlockLook | number, add: () => void): number {
    const known = this.#drawingOfLook.get(look);
    if (known !== undefined) return known;
    add();
    this.#drawingOfLook.set(look, this.#drawingOfLook.size);
    return this.#drawingOfLook.size - 1;
  }

  #addDrawing(textures: readonly FaceTexture[], opacity: number): void {
    const at = this.#drawingOfLook.size * SIDES;
    if (at + SIDES > this.sideMaterials.length) {
      const larger = new Uint16Array(this.sideMaterials.length * 2);
      larger.set(this.sideMaterials);
      this.sideMaterials = larger;
    }
    for (const [side, texture] of textures.entries()) {
      this.sideMaterials[at + side] = this.#materials.idOf(texture, opacity);
    }
  }

  #modelOf({ quads }: BlockLook, pass: DrawPass): DrawnModel {
    const rectangles = quads.map((quad) => rectangleOf(quad));
    const cellsAt = (side: number): number =>
      this.masks.union(
        rectangles.filter(
          (rectangle, index) => quads[index]?.side === side && rectangle?.isExact === true,
        ) as SideRectangle[],
        "whole",
      );
    const joints = Int32Array.from({ length: SIDES }, (_, side) => cellsAt(side));
    const parts = rectangles.map((rectangle) => {
      if (rectangle === undefined) return EMPTY_SIDE;
      return rectangle.isExact ? this.masks.union([rectangle], "touched") : FULL_SIDE;
    });
    return {
      faces: Int32Array.from(
        quads.flatMap((quad, index) => [
          this.#templateOf(quad),
          mainSide(quad.corners),
          parts[index] === EMPTY_SIDE ? -1 : (quad.side ?? -1),
        ]),
      ),
      materials: Uint16Array.from(quads, ({ texture }) => this.#materials.idOf(texture, OPAQUE_OPACITY)),
      parts: Int32Array.from(parts),
      covers: pass === "opaque" ? joints : new Int32Array(SIDES).fill(EMPTY_SIDE),
      joints,
    };
  }

  #templateOf({ corners, uvs }: ModelQuad): number {
    const normal = normalOf(corners);
    const numbers: number[] = [];
    for (let corner = 0; corner < 4; corner++) {
      const point = corners.slice(corner * 3, corner * 3 + 3).map((part) => part / 16);
      const place = uvs.slice(corner * 2, corner * 2 + 2).map((part) => part / 16);
      numbers.push(...point, ...place, ...normal);
    }
    return this.#templates.idOf(numbers);
  }
}

/** The direction that a quad looks in, from the diagonals between its corners. */
function normalOf(corners: readonly number[]): readonly [number, number, number] {
  const diagonal = (from: number, to: number): [number, number, number] => [
    (corners[to * 3] as number) - (corners[from * 3] as number),
    (corners[to * 3 + 1] as number) - (corners[from * 3 + 1] as number),
    (corners[to * 3 + 2] as number) - (corners[from * 3 + 2] as number),
  ];
  const [ax, ay, az] = diagonal(0, 2);
  const [bx, by, bz] = diagonal(1, 3);
  const [x, y, z] = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}

/** The side that a quad looks to most. */
function mainSide(corners: readonly number[]): number {
  const normal = normalOf(corners);
  const sizes = normal.map((part) => Math.abs(part));
  const axis = sizes.indexOf(Math.max(...sizes));
  return axis * 2 + ((normal[axis] as number) > 0 ? 0 : 1);
}

/** Returns the part of its side that a quad covers: exactly, or at most; `undefined` if no neighbour can hide it. */
function rectangleOf({
  corners,
  side,
}: ModelQuad): (SideRectangle & { readonly isExact: boolean }) | undefined {
  if (side === undefined) return undefined;
  const axes = [0, 1, 2].filter((axis) => axis !== side >> 1) as [number, number];
  const along = axes.map((axis) => [0, 1, 2, 3].map((corner) => corners[corner * 3 + axis] as number));
  const low = along.map((parts) => Math.min(...parts)) as [number, number];
  const high = along.map((parts) => Math.max(...parts)) as [number, number];
  if (Math.min(...low) < 0 || Math.max(...high) > 16) return undefined;
  const isExact = along.every((parts, index) =>
    parts.every((part) => part === low[index] || part === high[index]),
  );
  return { low, high, isExact };
}
