import type { Codec } from "../bytes/codec.ts";
import { list } from "../bytes/combinators.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { AIR } from "./chunk.ts";

/** Describes one block of a world. */
export interface Block {
  /** The value stored in voxels. */
  readonly id: number;
  readonly name: string;
  /** 0xRRGGBB. */
  readonly colour: number;
  /** Whether it blocks movement. */
  readonly solid: boolean;
}

/** Maximum length of a block's name in UTF-16 units, each of which takes at most three bytes of UTF-8. */
export const BLOCK_NAME_LENGTH_MAX = 64;
const COLOUR_MAX = 0xff_ffff;
/** A block is transparent when the last word of its name is one of these, as in "blue ice". */
const TRANSPARENT_WORDS: ReadonlySet<string> = new Set(["air", "water", "glass", "ice"]);
/** Each part of an unknown block's colour is at least this, so that none is too dark to see. */
const UNKNOWN_PART_MIN = 0x60;

/** The blocks of a world. Immutable. Ids need not be consecutive; 0 is always air. */
export class BlockCatalog {
  /** All blocks, ordered by id. */
  readonly blocks: readonly Block[];
  readonly #byId: ReadonlyMap<number, Block>;
  readonly #byName: ReadonlyMap<string, Block>;
  readonly #transparent: ReadonlySet<number>;

  /** Throws `ORT_ARGUMENT` for blocks that contradict each other. */
  constructor(blocks: readonly Block[]) {
    if (!Array.isArray(blocks)) {
      throw wrongArgument("blocks", blocks, "it is a list of { id, name, colour, solid }");
    }
    this.blocks = ownBlocks(blocks).sort((a, b) => a.id - b.id);
    const problem = findContradiction(this.blocks);
    if (problem !== undefined) throw new OrthantError("ORT_ARGUMENT", problem);
    this.#byId = new Map(this.blocks.map((block) => [block.id, block]));
    this.#byName = new Map(this.blocks.map((block) => [block.name, block]));
    const transparent = this.blocks.filter(({ name }) => TRANSPARENT_WORDS.has(name.split(" ").at(-1) ?? ""));
    this.#transparent = new Set(transparent.map(({ id }) => id));
  }

  /**
   * Returns the id of the block with a name. Throws `ORT_ARGUMENT`, with the names that are nearest, if there is none.
   *
   * @example
   * await world.set([0, 80, 0], world.blocks.id("stone"));
   */
  id(name: string): number {
    const block = this.#byName.get(name);
    if (block !== undefined) return block.id;
    if (typeof name !== "string") throw wrongArgument("the block", name, 'it is a name such as "stone"');
    const names = this.blocks.map((known) => known.name);
    throw wrongArgument("the block", name, `this world has no such block; ${nearestNames(name, names)}`);
  }

  /** Returns the block with an id, or `undefined`. */
  byId(id: number): Block | undefined {
    return this.#byId.get(id);
  }

  /** Returns the block with a name, or `undefined`. */
  byName(name: string): Block | undefined {
    return this.#byName.get(name);
  }

  /** Whether a block stops movement. A block that the catalog does not have does. */
  isSolid(id: number): boolean {
    return this.#byId.get(id)?.solid ?? true;
  }

  /**
   * Whether what lies behind a block is visible: air, and every block whose name ends in the word water, glass or
   * ice. A block that the catalog does not have is not transparent.
   */
  isTransparent(id: number): boolean {
    return this.#transparent.has(id);
  }

  /** Returns a block's colour as 0xRRGGBB. One that the catalog does not have gets its own, everywhere the same. */
  colourOf(id: number): number {
    return this.#byId.get(id)?.colour ?? colourOfUnknown(id);
  }
}

function colourOfUnknown(id: number): number {
  if (typeof id !== "number") throw wrongArgument("id", id, "it is the id of a block");
  const mixed = Math.imul(id, 0x9e37_79b1) >>> 0;
  const part = (shift: number): number =>
    UNKNOWN_PART_MIN + (((mixed >>> shift) & 0xff) % (0x100 - UNKNOWN_PART_MIN));
  return part(0) * 0x1_0000 + part(8) * 0x100 + part(16);
}

/** Returns copies of blocks. Throws `ORT_ARGUMENT` for a field that a block cannot have. */
function ownBlocks(blocks: readonly Block[]): Block[] {
  const own: Block[] = [];
  // A loop by index also visits holes.
  for (let index = 0; index < blocks.length; index++) {
    const at = `blocks[${index}]`;
    const block: unknown = blocks[index];
    if (typeof block !== "object" || block === null) {
      throw wrongArgument(
        at,
        block,
        'it is an object such as { id: 1, name: "stone", colour: 0x888888, solid: true }',
      );
    }
    const { id, name, colour, solid } = block as Partial<Block>;
    if (!isWhole(id, U16_MAX))
      throw wrongArgument(`${at}.id`, id, `it is a whole number from 0 to ${U16_MAX}`);
    if (typeof name !== "string") throw wrongArgument(`${at}.name`, name, "it is a string");
    if (!isWhole(colour, COLOUR_MAX))
      throw wrongArgument(`${at}.colour`, colour, "it is a number such as 0xff8800");
    if (typeof solid !== "boolean") throw wrongArgument(`${at}.solid`, solid, "it is true or false");
    own.push({ id, name, colour, solid });
  }
  return own;
}

function isWhole(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

/** Returns what is wrong with blocks ordered by id, or `undefined`. */
function findContradiction(blocks: readonly Block[]): string | undefined {
  const [air] = blocks;
  if (air?.id !== AIR || air.name !== "air" || air.solid) return "block 0 is not air";
  const names = new Set<string>();
  let previousId = -1;
  for (const { id, name } of blocks) {
    if (id <= previousId) return `block ${id} after block ${previousId}`;
    if (name.length === 0 || name.length > BLOCK_NAME_LENGTH_MAX) {
      return `block ${id} has a name of ${name.length} letters, 1 to ${BLOCK_NAME_LENGTH_MAX} may be`;
    }
    if (/\p{Cs}/u.test(name)) return `block ${id} has a name with half a surrogate pair`;
    if (names.has(name)) return `two blocks are named ${name}`;
    names.add(name);
    previousId = id;
  }
  return undefined;
}

/** Number of names that an error suggests. */
const SUGGESTIONS_MAX = 5;

/** Lists the names that are nearest to a wrong one. */
function nearestNames(wrong: string, names: readonly string[]): string {
  const sought = wrong.toLowerCase();
  const nearest = names
    .map((name) => ({
      name,
      distance: editDistance(sought.slice(0, BLOCK_NAME_LENGTH_MAX), name.toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS_MAX);
  return `the nearest are ${nearest.map(({ name }) => JSON.stringify(name)).join(", ")}`;
}

/** Returns how many letters must be added, removed or replaced to turn one word into another. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] as number) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

const CATALOG_VERSION = 1;
const NAME_BYTES_MAX = BLOCK_NAME_LENGTH_MAX * 3;

const blockCodec: Codec<Block> = {
  write(out, { id, name, colour, solid }) {
    out.varU16(id);
    out.string(name, NAME_BYTES_MAX);
    out.u8(colour >>> 16);
    out.u8((colour >>> 8) & 0xff);
    out.u8(colour & 0xff);
    out.bool(solid);
  },

  read(input) {
    const id = input.varU16();
    const name = input.string(NAME_BYTES_MAX);
    const colour = (input.u8() << 16) | (input.u8() << 8) | input.u8();
    return { id, name, colour, solid: input.bool() };
  },
};

const blocksCodec = list(blockCodec, U16_MAX + 1);

/** A catalog, prefixed with its version. Rules C15 to C18 in docs/formats/chunk-payload.md. */
export const blockCatalogCodec: Codec<BlockCatalog> = {
  write(out, { blocks }) {
    out.varUint(CATALOG_VERSION);
    blocksCodec.write(out, blocks);
  },

  read(input) {
    const version = input.varUint();
    if (version !== CATALOG_VERSION) {
      throw input.fail("ORT_VERSION", `block catalog version ${version}, known is ${CATALOG_VERSION}`);
    }
    const blocks = blocksCodec.read(input);
    const problem = findContradiction(blocks);
    if (problem !== undefined) throw input.fail("ORT_BLOCKS", problem);
    return new BlockCatalog(blocks);
  },
};

/** The catalog of a world without its own. */
export const DEFAULT_BLOCKS: BlockCatalog = new BlockCatalog([
  passable(0, "air", 0x00_0000),
  solid(1, "stone", 0x8a_8d_91),
  solid(2, "soil", 0x7a_54_38),
  solid(3, "grass", 0x5f_a0_45),
  solid(4, "sand", 0xe2_cf_8f),
  passable(5, "water", 0x3b_79_c9),
  solid(6, "wood", 0x9c_6f_3d),
  passable(7, "leaves", 0x3d_7d_3a),
  solid(8, "coal ore", 0x3a_3b_40),
  solid(9, "iron ore", 0xc0_8a_68),
  solid(10, "gold ore", 0xe9_b9_3a),
  solid(11, "brick", 0xa8_4a_3a),
  solid(12, "glass", 0xb9_e0_e6),
  solid(13, "lamp", 0xff_e9_a3),
  solid(14, "snow", 0xf3_f6_f8),
  passable(15, "lava", 0xee_5a_1e),
]);

function solid(id: number, name: string, colour: number): Block {
  return { id, name, colour, solid: true };
}

function passable(id: number, name: string, colour: number): Block {
  return { id, name, colour, solid: false };
}
