import {
  AIR,
  crc32,
  encode,
  encodeUtf8,
  MATERIAL_NAME_LENGTH_MAX,
  type Material,
  MaterialCatalog,
  materialCatalogCodec,
  OrthantError,
  U16_MAX,
} from "@orthant/core";
import { EMPTY_BLOCK_NAME } from "../marsminer/block-names.ts";
import type { ConversionLosses } from "./losses.ts";

const AIR_MATERIAL: Material = { id: AIR, name: "air", colour: 0, solid: false };
/** Room for what tells two names apart that begin alike. */
const CUT_LENGTH = MATERIAL_NAME_LENGTH_MAX - 8;

/** Makes a material of each block name, in the order in which they come, and a catalog of all of them. */
export class MaterialNames {
  readonly #losses: ConversionLosses;
  readonly #byBlock = new Map<string, number>([[EMPTY_BLOCK_NAME, AIR]]);
  readonly #names = new Set([AIR_MATERIAL.name]);
  readonly #materials: Material[] = [AIR_MATERIAL];

  constructor(losses: ConversionLosses) {
    this.#losses = losses;
  }

  /** The material of a block name; the game's name for nothing is air. */
  materialOf(blockName: string): number {
    const known = this.#byBlock.get(blockName);
    if (known !== undefined) return known;
    const id = this.#materials.length;
    if (id > U16_MAX) throw new OrthantError("ORT_LIMIT", `more than ${U16_MAX} kinds of blocks`);
    const name = this.#freeName(blockName);
    this.#names.add(name);
    this.#materials.push({ id, name, colour: colourOf(name), solid: true });
    this.#byBlock.set(blockName, id);
    return id;
  }

  /** The catalog, as a save holds it. */
  catalog(): Uint8Array {
    return encode(materialCatalogCodec, new MaterialCatalog(this.#materials));
  }

  #freeName(blockName: string): string {
    const fits = blockName.length >= 1 && blockName.length <= MATERIAL_NAME_LENGTH_MAX;
    if (fits && !this.#names.has(blockName)) return blockName;
    this.#losses.add(
      "names of block types that no material can have",
      `1 to ${MATERIAL_NAME_LENGTH_MAX} letters, and not "air"; they get others`,
    );
    // Never between the halves of a pair.
    const start = blockName.slice(0, CUT_LENGTH).replace(/[\uD800-\uDBFF]$/, "") || "nameless";
    let number = 1;
    while (this.#names.has(`${start} ~${number}`)) number++;
    return `${start} ~${number}`;
  }
}

/** A colour that depends on the name alone, and not on the subtype in it: MarsMiner saves none. */
export function colourOf(name: string): number {
  return crc32(encodeUtf8(name.replace(/ #-?\d+$/, ""))) >>> 8;
}
