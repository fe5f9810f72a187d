import {
  AIR,
  BLOCK_NAME_LENGTH_MAX,
  type Block,
  BlockCatalog,
  blockCatalogCodec,
  crc32,
  encode,
  encodeUtf8,
  OrthantError,
  U16_MAX,
} from "@orthant/core";
import { EMPTY_BLOCK_NAME } from "../marsminer/save.ts";
import type { ConversionLosses } from "./losses.ts";

const AIR_BLOCK: Block = { id: AIR, name: "air", colour: 0, solid: false };
/** Leaves room for a suffix that distinguishes two names with the same beginning. */
const CUT_LENGTH = BLOCK_NAME_LENGTH_MAX - 8;

/** Creates a block for each MarsMiner block name, in order of appearance, and a catalog of all of them. */
export class BlockNumbers {
  readonly #losses: ConversionLosses;
  readonly #byName = new Map<string, number>([[EMPTY_BLOCK_NAME, AIR]]);
  readonly #names = new Set([AIR_BLOCK.name]);
  readonly #blocks: Block[] = [AIR_BLOCK];

  constructor(losses: ConversionLosses) {
    this.#losses = losses;
  }

  /** Returns our number for a MarsMiner block name. The game's name for an empty block is air. */
  blockOf(blockName: string): number {
    const known = this.#byName.get(blockName);
    if (known !== undefined) return known;
    const id = this.#blocks.length;
    if (id > U16_MAX) throw new OrthantError("ORT_LIMIT", `more than ${U16_MAX} kinds of blocks`);
    const name = this.#freeName(blockName);
    this.#names.add(name);
    this.#blocks.push({ id, name, colour: colourOf(name), solid: true });
    this.#byName.set(blockName, id);
    return id;
  }

  /** Returns the catalog, encoded for a save. */
  catalog(): Uint8Array {
    return encode(blockCatalogCodec, new BlockCatalog(this.#blocks));
  }

  #freeName(blockName: string): string {
    const fits = blockName.length >= 1 && blockName.length <= BLOCK_NAME_LENGTH_MAX;
    if (fits && !this.#names.has(blockName)) return blockName;
    this.#losses.add(
      "names of block types that no block of ours can have",
      `1 to ${BLOCK_NAME_LENGTH_MAX} letters, and not "air"; they get others`,
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
