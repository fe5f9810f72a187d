import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
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

/** The blocks of a world. Immutable. Ids need not be consecutive; 0 is always air. */
export class BlockCatalog {
  /** All blocks, ordered by id. */
  readonly blocks: readonly Block[];
  readonly #byId: ReadonlyMap<number, Block>;
  readonly #byName: ReadonlyMap<string, Block>;

  /** Throws `ORT_ARGUMENT` for blocks that contradict each other. */
  constructor(blocks: readonly Block[]) {
    this.blocks = [...blocks].sort((a, b) => a.id - b.id);
    for (const { id, colour } of this.blocks) {
      requireInteger(id, 0, U16_MAX);
      requireInteger(colour, 0, COLOUR_MAX);
    }
    const problem = findContradiction(this.blocks);
    if (problem !== undefined) throw new OrthantError("ORT_ARGUMENT", problem);
    this.#byId = new Map(this.blocks.map((block) => [block.id, block]));
    this.#byName = new Map(this.blocks.map((block) => [block.name, block]));
  }

  /** Returns the block with an id, or `undefined`. */
  byId(id: number): Block | undefined {
    return this.#byId.get(id);
  }

  /** Returns the block with a name, or `undefined`. */
  byName(name: string): Block | undefined {
    return this.#byName.get(name);
  }
}

/** Returns what is wrong with blocks ordered by id, or `undefined`. */
export function findContradiction(blocks: readonly Block[]): string | undefined {
  const [air] = blocks;
  if (air?.id !== AIR || air.name !== "air" || air.solid) return "block 0 is not air";
  const names = new Set<string>();
  let previousId = -1;
  for (const { id, name } of blocks) {
    if (id <= previousId) return `block ${id} after block ${previousId}`;
    if (name.length === 0 || name.length > BLOCK_NAME_LENGTH_MAX) {
      return `block ${id} has a name of ${name.length} letters, 1 to ${BLOCK_NAME_LENGTH_MAX} may be`;
    }
    if (names.has(name)) return `two blocks are named ${name}`;
    names.add(name);
    previousId = id;
  }
  return undefined;
}
