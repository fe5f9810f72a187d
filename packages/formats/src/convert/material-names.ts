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
import { EMPTY_BLOCK_NAME } from "../marsminer/save.ts";
import type { ConversionLosses } from "./losses.ts";

const AIR_MATERIAL: Material = { id: AIR, name: "air", colour: 0, solid: false };
/** Leaves room for a suffix that distinguishes two names with the same beginning. */
const CUT_LENGTH = MATERIAL_NAME_LENGTH_MAX - 8;

/** Creates a material for each block name, in order of appearance, and a catalog of all of them. */
export class MaterialNames {
  readonly #losses: ConversionLosses;
  readonly #byBlock = new Map<string, number>([[EMPTY_BLOCK_NAME, AIR]]);
  readonly #names = new Set([AIR_MATERIAL.name]);
  readonly #materials: Material[] = [AIR_MATERIAL];

  constructor(losses: ConversionLosses) {
    this.#losses = losses;
  }

  /** Returns the material of a block name. The game's name for an empty block is air. */
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

  /** Returns the catalog, encoded for a save. */
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
    // Never cuts a surrogate pair.
    const start = blockName.slice(0, CUT_LENGTH).replace(/[\uD800-\uDBFF]$/, "") || "nameless";
    let number = 1;
    while (this.#names.has(`${start} ~${number}`)) number++;
    return `${start} ~${number}`;
  }
}

/** Returns a colour derived from the name without its subtype, because MarsMiner stores none. */
export function colourOf(name: string): number {
  return crc32(encodeUtf8(name.replace(/ #-?\d+$/, ""))) >>> 8;
}
