import { requireList } from "../arguments/checks.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { BlockIds, type BlockProperties } from "./block-ids.ts";
import type { BlockBox } from "./block-shape.ts";
import {
  BLOCK_LIGHT_MAX,
  type BlockType,
  checkedBlockTypes,
  findContradiction,
  type NewBlockType,
} from "./block-type.ts";
import { nearestNames } from "./nearest-names.ts";

/** Each part of an unknown block's colour is at least this, so that none is too dark to see. */
const UNKNOWN_PART_MIN = 0x60;

/** What an id stands for. */
export interface BlockDescription {
  /** The name of its type. */
  readonly type: string;
  /** The value of each of its properties. */
  readonly properties: BlockProperties;
}

/**
 * The types of blocks of a world. Immutable: `world.blocks` is another catalog once a type was added. Ids need not be
 * consecutive; 0 is always air.
 */
export class BlockCatalog {
  /** All types, ordered by id. */
  readonly types: readonly BlockType[];
  /** The lowest id that is above all of its ids. */
  readonly endId: number;
  /** Whether a type has a shape. Without any, all blocks fill their whole voxels. */
  readonly hasShapes: boolean;
  readonly #ids: readonly BlockIds[];
  readonly #byName: ReadonlyMap<string, BlockIds>;
  /** The first id of each type. A table of all ids would let a few bytes from a server take much memory. */
  readonly #firstIds: Uint16Array;

  /** Throws `ORT_ARGUMENT` for types that contradict each other. */
  constructor(types: readonly NewBlockType[]) {
    requireList("types", types, "it is a list of { id, name, colour, solid }");
    this.types = checkedBlockTypes(types).sort((a, b) => a.id - b.id);
    const problem = findContradiction(this.types);
    if (problem !== undefined)
      throw new OrthantError("ORT_ARGUMENT", `types contradict each other or a rule: ${problem}`);
    this.#ids = this.types.map((type) => new BlockIds(type));
    this.#byName = new Map(this.#ids.map((ids) => [ids.type.name, ids]));
    const last = this.#ids.at(-1) as BlockIds;
    this.endId = last.type.id + last.count;
    this.hasShapes = this.types.some(({ shape }) => shape.length > 0);
    this.#firstIds = Uint16Array.from(this.types, ({ id }) => id);
  }

  /**
   * Returns the id of the block with a name and with values of its properties; properties that are not given have their
   * first value. Throws `ORT_ARGUMENT` if there is none, with names that are near or the values that there are.
   *
   * @example
   * await world.set([0, 80, 0], world.blocks.id("stone"));
   * await world.set([1, 80, 0], world.blocks.id("chest", { facing: "east" }));
   */
  id(name: string, properties?: BlockProperties): number {
    const ids = this.#byName.get(name);
    if (ids !== undefined) return ids.idOf(properties);
    if (typeof name !== "string") throw wrongArgument("the name", name, 'it is a name such as "stone"');
    const names = this.types.map((known) => known.name);
    throw wrongArgument("the name", name, `this world has no such block; ${nearestNames(name, names)}`);
  }

  /**
   * Returns the name of an id's type and the values of its properties, or `undefined` for an id without a type.
   *
   * @example
   * world.blocks.describe(chest.id({ facing: "east" })); // { type: "chest", properties: { facing: "east" } }
   */
  describe(id: number): BlockDescription | undefined {
    const ids = this.#idsOf(id);
    return ids === undefined ? undefined : { type: ids.type.name, properties: ids.propertiesOf(id) };
  }

  /** Returns the type that has an id, or `undefined`. */
  byId(id: number): BlockType | undefined {
    return this.#idsOf(id)?.type;
  }

  /** Returns the type with a name, or `undefined`. */
  byName(name: string): BlockType | undefined {
    return this.#byName.get(name)?.type;
  }

  /**
   * Whether a block stops movement, in all of its voxel or in the boxes of its shape. A block that the catalog does not have
   * does.
   */
  isSolid(id: number): boolean {
    const ids = this.#idsOf(id);
    return ids === undefined || (ids.type.solid && ids.boxesOf(id)?.length !== 0);
  }

  /**
   * Returns the boxes of a block with a shape; each corner has four numbers, one for each axis that a world can have.
   * `undefined` for a block that fills its whole voxel, and for one that the catalog does not have.
   *
   * @example
   * world.blocks.boxesOf(slab.id({ half: "bottom" })); // [[[0, 0, 0, 0], [1, 0.5, 1, 1]]]
   */
  boxesOf(id: number): readonly BlockBox[] | undefined {
    return this.#idsOf(id)?.boxesOf(id);
  }

  /** Whether what lies behind a block is visible. A block that the catalog does not have is not transparent. */
  isTransparent(id: number): boolean {
    return this.byId(id)?.transparent ?? false;
  }

  /** Returns how much light a block gives off, from 0 to 15. A block that the catalog does not have gives off none. */
  lightOf(id: number): number {
    return this.byId(id)?.light ?? 0;
  }

  /**
   * Returns how much light a block takes from what passes through it, from 0 to 15. A block that the catalog does not have
   * lets none through.
   */
  opacityOf(id: number): number {
    return this.byId(id)?.opacity ?? BLOCK_LIGHT_MAX;
  }

  /** Returns a block's colour as 0xRRGGBB. One that the catalog does not have gets its own, everywhere the same. */
  colourOf(id: number): number {
    return this.byId(id)?.colour ?? colourOfUnknown(id);
  }

  #idsOf(id: number): BlockIds | undefined {
    if (!Number.isInteger(id)) return undefined;
    const firstIds = this.#firstIds;
    let low = 0;
    let high = firstIds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((firstIds[middle] as number) <= id) low = middle + 1;
      else high = middle;
    }
    const ids = this.#ids[low - 1];
    return ids !== undefined && id < ids.type.id + ids.count ? ids : undefined;
  }
}

/** Returns a block's name and values on one line, such as `chest[facing=east]`; `undefined` for an unknown id. */
export function blockLabel(catalog: BlockCatalog, id: number): string | undefined {
  const description = catalog.describe(id);
  if (description === undefined) return undefined;
  const values = Object.entries(description.properties).map(([name, value]) => `${name}=${value}`);
  return values.length === 0 ? description.type : `${description.type}[${values.join(",")}]`;
}

/** Returns the colour of a block of which only the id is known. */
export function colourOfUnknown(id: number): number {
  if (typeof id !== "number") throw wrongArgument("id", id, "it is the id of a block");
  const mixed = Math.imul(id, 0x9e37_79b1) >>> 0;
  const part = (shift: number): number =>
    UNKNOWN_PART_MIN + (((mixed >>> shift) & 0xff) % (0x100 - UNKNOWN_PART_MIN));
  return part(0) * 0x1_0000 + part(8) * 0x100 + part(16);
}

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

function solid(id: number, name: string, colour: number): NewBlockType {
  return { id, name, colour, solid: true };
}

function passable(id: number, name: string, colour: number): NewBlockType {
  return { id, name, colour, solid: false };
}
