import { OrthantError } from "@orthant/core";
import { U16_MAX } from "@orthant/core/bytes";
import { getOrAdd } from "@orthant/core/lattice";
import type { FaceTexture } from "../looks/block-looks.ts";

/** Numbers of 32 bits for each material in a table of materials. */
export const MATERIAL_WORDS = 2;

const VARIANTS_SHIFT = 16;
const SCATTERED_BIT = 1 << 20;
const TURNS_SHIFT = 21;
const OPACITY_SHIFT = 24;

/** What is drawn on a quad, and how. */
export interface Material extends FaceTexture {
  /** From 0 to 255, multiplied with that of the texture. */
  readonly opacity: number;
}

/** Reads one material of a table. */
export function decodeMaterial(materials: Uint32Array, index: number): Material {
  const at = index * MATERIAL_WORDS;
  const [texture = 0, colour = 0] = materials.subarray(at, at + MATERIAL_WORDS);
  return {
    layer: texture & 0xffff,
    variants: ((texture >>> VARIANTS_SHIFT) & 15) + 1,
    isScattered: (texture & SCATTERED_BIT) !== 0,
    turns: ((texture >>> TURNS_SHIFT) & 3) as Material["turns"],
    tint: colour & 0xff_ff_ff,
    opacity: colour >>> OPACITY_SHIFT,
  };
}

/** Numbers the materials of quads. Equal ones have one number, and a number keeps its meaning. */
export class MaterialTable {
  #words = new Uint32Array(MATERIAL_WORDS * 64);
  readonly #ids = new Map<number, Map<number, number>>();
  #count = 0;

  /** The materials so far, {@link MATERIAL_WORDS} each. */
  get words(): Uint32Array<ArrayBuffer> {
    return this.#words.subarray(0, this.#count * MATERIAL_WORDS);
  }

  /** Returns the number of a texture with an opacity. */
  idOf({ layer, variants, isScattered, turns, tint }: FaceTexture, opacity: number): number {
    return this.idOfWords(
      layer | ((variants - 1) << VARIANTS_SHIFT) | (isScattered ? SCATTERED_BIT : 0) | (turns << TURNS_SHIFT),
      (tint | (opacity << OPACITY_SHIFT)) >>> 0,
    );
  }

  /** Returns the number of a material of another table. */
  idOfWords(texture: number, colour: number): number {
    const ids = getOrAdd(this.#ids, texture, () => new Map<number, number>());
    const known = ids.get(colour);
    if (known !== undefined) return known;
    const id = this.#count;
    if (id > U16_MAX)
      throw new OrthantError("ORT_LIMIT", `the looks have more than ${U16_MAX + 1} materials`);
    const at = id * MATERIAL_WORDS;
    if (at === this.#words.length) {
      const larger = new Uint32Array(at * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words.set([texture, colour], at);
    this.#count++;
    ids.set(colour, id);
    return id;
  }
}
