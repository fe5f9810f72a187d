import { requireChoice, requireObject, requireWhole } from "../arguments/checks.ts";
import { BlockCatalog, type BlockDescription } from "../chunk/block-catalog.ts";
import type { BlockType } from "../chunk/block-type.ts";
import { AIR } from "../chunk/chunk.ts";
import { type BlockDefinitions, definitionOf } from "../chunk/define-blocks.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { type Dimensions, type Position, positionFrom, type Vector } from "../lattice/position.ts";
import { blockWith } from "./block-with.ts";
import { axisNames, checkBlockName, planes } from "./operation-limits.ts";
import {
  type AxisName,
  mirrorOf,
  type Plane,
  positionAfter,
  positionBefore,
  type Turn,
  turnedExtents,
  turnedProperties,
  turnIn,
} from "./turn.ts";

/** Maximum number of voxels of a clipboard. */
export const CLIPBOARD_VOXELS_MAX = 16_777_216;

/** What a clipboard holds. */
export interface ClipboardContent {
  /** Extents on all four axes. */
  readonly extents: Position;
  /** The types of its blocks, and air, with the ids that they had where it was copied. */
  readonly blocks: BlockCatalog;
  /** The blocks that occur, by names, because another world may have other ids; an id that had no type as a number. */
  readonly palette: readonly (BlockDescription | number)[];
  /** The place of each voxel's block in the palette, x fastest; none for a voxel that was not selected. */
  readonly voxels: Uint16Array;
  /** The data of voxels, by their place among the voxels. */
  readonly data: ReadonlyMap<number, Uint8Array>;
}

/** The place in the palette of a voxel that belongs to the box and not to what was copied. */
export const NOT_COPIED = 0xffff;

/** A quarter turn, or several, in a plane, whose first axis turns towards the second; or a mirroring. */
export type TurnStep = { readonly rotate: Plane; readonly turns: number } | { readonly mirror: AxisName };

/** Voxels that were copied out of a world, to be pasted there or elsewhere. Immutable. */
export class Clipboard<D extends Dimensions = Dimensions> {
  /** The extents of its box. */
  readonly size: Vector<D>;
  readonly #content: ClipboardContent;

  /** @internal */
  constructor(dimensions: D, content: ClipboardContent) {
    this.size = content.extents.slice(0, dimensions) as unknown as Vector<D>;
    this.#content = content;
  }

  /** @internal */
  get content(): ClipboardContent {
    return this.#content;
  }

  /** The types of its blocks. */
  get blocks(): BlockCatalog {
    return this.content.blocks;
  }

  /**
   * Returns definitions of the types that a world lacks: a paste there is refused until they are defined.
   *
   * @example
   * await world.defineBlocks(house.missingIn(world.blocks));
   */
  missingIn(catalog: BlockCatalog): BlockDefinitions {
    if (!(catalog instanceof BlockCatalog)) throw wrongArgument("catalog", catalog, "it is world.blocks");
    const missing = this.blocks.types.filter(
      ({ id, name }) => id !== AIR && catalog.byName(name) === undefined,
    );
    return Object.fromEntries(missing.map((type) => [type.name, definitionOf(type)]));
  }

  /**
   * Returns it with other names of types. Several types may get the name of one: it has the properties of the first.
   *
   * @example
   * const wooden = house.renamed({ "minecraft:oak_planks": "wood" });
   */
  renamed(names: Readonly<Record<string, string>>): Clipboard<D> {
    requireObject("names", names, 'it has names, such as { "minecraft:oak_planks": "wood" }');
    const byName = new Map(
      Object.entries(names).map(([from, to]) => [from, checkBlockName(`names["${from}"]`, to)]),
    );
    const types = new Map<string, BlockType>();
    for (const type of this.blocks.types) {
      const name = type.id === AIR ? type.name : (byName.get(type.name) ?? type.name);
      if (!types.has(name)) types.set(name, { ...type, name });
    }
    const palette = this.content.palette.map((block) =>
      typeof block === "number" ? block : { ...block, type: byName.get(block.type) ?? block.type },
    );
    const blocks = new BlockCatalog([...types.values()]);
    return new Clipboard<D>(this.size.length as D, { ...this.content, blocks, palette });
  }

  /**
   * Returns it after quarter turns in a plane, whose first axis turns towards the second. Properties such as `facing` turn, too.
   *
   * @example
   * await world.apply({ paste: house.rotate("xz", 1), at: [100, 64, 0] });
   */
  rotate(plane: Plane, turns = 1): Clipboard<D> {
    const rotate = requireChoice("plane", plane, planes(this.#dimensions));
    return this.turned({ rotate, turns: requireWhole("turns", turns, 0, 3) });
  }

  /** Returns it mirrored. */
  mirror(axis: AxisName): Clipboard<D> {
    return this.turned({ mirror: requireChoice("axis", axis, axisNames(this.#dimensions)) });
  }

  /**
   * Returns it after a checked step.
   *
   * @internal
   */
  turned(step: TurnStep): Clipboard<D> {
    const turning = turnClipboard<D>(this, step);
    for (let next = turning.next(); ; next = turning.next()) if (next.done === true) return next.value;
  }

  get #dimensions(): Dimensions {
    return this.size.length;
  }
}

/** How many voxels of a clipboard are turned at a time. */
const TURNED_AT_A_TIME = 16_384;

/** Returns the turn of a step. */
export function turnOfStep(step: TurnStep): Turn {
  return "mirror" in step ? mirrorOf(step.mirror) : turnIn(step.rotate, step.turns);
}

/** Turns a clipboard as `Clipboard.turned` does, with pauses in which the caller may do other things. */
export function* turnClipboard<D extends Dimensions>(
  clipboard: Clipboard<D>,
  step: TurnStep,
): Generator<undefined, Clipboard<D>, undefined> {
  const turn = turnOfStep(step);
  const { blocks, extents, palette, voxels, data } = clipboard.content;
  const to = turnedExtents(turn, extents);
  const turned = new Uint16Array(voxels.length);
  // How far one step along an axis leads among the voxels before.
  const indexBefore = (position: Position): number => placeInBox(extents, positionBefore(turn, to, position));
  const origin = indexBefore([0, 0, 0, 0]);
  const byX = indexBefore([1, 0, 0, 0]) - origin;
  let index = 0;
  let pausedAt = 0;
  for (let w = 0; w < to[3]; w++)
    for (let z = 0; z < to[2]; z++)
      for (let y = 0; y < to[1]; y++) {
        let from = indexBefore([0, y, z, w]);
        for (let x = 0; x < to[0]; x++, from += byX) turned[index++] = voxels[from] as number;
        if (index - pausedAt < TURNED_AT_A_TIME) continue;
        pausedAt = index;
        yield;
      }
  const turnedData = new Map<number, Uint8Array>();
  for (const [from, bytes] of data) turnedData.set(indexAfter(turn, extents, to, from), bytes);
  return new Clipboard<D>(clipboard.size.length as D, {
    blocks,
    extents: to,
    palette: palette.map((block) =>
      typeof block === "number" ? block : { ...block, properties: turnedProperties(turn, block.properties) },
    ),
    voxels: turned,
    data: turnedData,
  });
}

/** Returns the place of a voxel after a turn. */
function indexAfter(turn: Turn, extents: Position, to: Position, index: number): number {
  let rest = index;
  const before = positionFrom((axis) => {
    const coordinate = rest % extents[axis];
    rest = Math.floor(rest / extents[axis]);
    return coordinate;
  });
  return placeInBox(to, positionAfter(turn, to, before));
}

/** Returns the types of a catalog that blocks have, and air. */
export function typesOfBlocks(catalog: BlockCatalog, blocks: Iterable<number>): BlockCatalog {
  const types = new Set([catalog.byId(AIR), ...Array.from(blocks, (block) => catalog.byId(block))]);
  return new BlockCatalog([...types].flatMap((type) => type ?? []));
}

/** Returns the block of each entry of a clipboard's palette. Throws `ORT_ARGUMENT` for one that the world does not have. */
export function paletteIn(catalog: BlockCatalog, { palette }: ClipboardContent): Uint16Array {
  return Uint16Array.from(palette, (block) =>
    typeof block === "number" ? block : blockWith(catalog, block.type, block.properties),
  );
}

/** Returns the place of a voxel in a box with these extents, relative to its lowest corner. */
export function placeInBox(extents: Position, [x, y, z, w]: Position): number {
  return x + extents[0] * (y + extents[1] * (z + extents[2] * w));
}

/** Returns `value` if it is a clipboard of a world with this number of dimensions. */
export function requireClipboard(name: string, value: unknown, dimensions: Dimensions): Clipboard {
  if (!(value instanceof Clipboard)) throw wrongArgument(name, value, "it is what world.clipboard returns");
  if (value.size.length === dimensions) return value;
  const advice = `it was copied in a world of as many dimensions as this one, ${dimensions}`;
  throw wrongArgument(name, `a clipboard of ${value.size.length} dimensions`, advice);
}
