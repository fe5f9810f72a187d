import { requireChoice, requireWhole } from "../arguments/checks.ts";
import type { BlockCatalog, BlockDescription } from "../chunk/block-catalog.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { positionsMinorToMajor } from "../lattice/box.ts";
import type { Dimensions, Position, Vector } from "../lattice/position.ts";
import { blockWith } from "./block-with.ts";
import { axisNames, planes } from "./operation-limits.ts";
import {
  type AxisName,
  mirrorOf,
  type Plane,
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
  /** The blocks that occur, by names, because another world may have other ids; an id that had no type as a number. */
  readonly palette: readonly (BlockDescription | number)[];
  /** The place of each voxel's block in the palette, x fastest; none for a voxel that was not selected. */
  readonly voxels: Uint16Array;
  /** The data of voxels, by their place among the voxels. */
  readonly data: ReadonlyMap<number, Uint8Array>;
}

/** The place in the palette of a voxel that belongs to the box and not to what was copied. */
export const NOT_COPIED = 0xffff;

/** Voxels that were copied out of a world, to be pasted there or elsewhere. Immutable. */
export class Clipboard<D extends Dimensions = Dimensions> {
  /** The extents of its box. */
  readonly size: Vector<D>;
  /** @internal */
  readonly content: ClipboardContent;

  /** @internal */
  constructor(dimensions: D, content: ClipboardContent) {
    this.size = content.extents.slice(0, dimensions) as unknown as Vector<D>;
    this.content = content;
  }

  /**
   * Returns it after quarter turns in a plane, whose first axis turns towards the second. Properties such as `facing` turn, too.
   *
   * @example
   * await world.apply({ paste: house.rotate("xz", 1), at: [100, 64, 0] });
   */
  rotate(plane: Plane, turns = 1): Clipboard<D> {
    const choice = requireChoice("plane", plane, planes(this.#dimensions));
    return this.#turned(turnIn(choice, requireWhole("turns", turns, 0, 3)));
  }

  /** Returns it mirrored. */
  mirror(axis: AxisName): Clipboard<D> {
    return this.#turned(mirrorOf(requireChoice("axis", axis, axisNames(this.#dimensions))));
  }

  get #dimensions(): Dimensions {
    return this.size.length;
  }

  #turned(turn: Turn): Clipboard<D> {
    const { extents, palette, voxels, data } = this.content;
    const turnedBox = turnedExtents(turn, extents);
    const turned = new Uint16Array(voxels.length);
    const turnedData = new Map<number, Uint8Array>();
    let index = 0;
    for (const position of positionsMinorToMajor({ min: [0, 0, 0, 0], max: turnedBox })) {
      const from = placeInBox(extents, positionBefore(turn, turnedBox, position));
      turned[index] = voxels[from] as number;
      const found = data.get(from);
      if (found !== undefined) turnedData.set(index, found);
      index++;
    }
    return new Clipboard<D>(this.size.length as D, {
      extents: turnedBox,
      palette: palette.map((block) =>
        typeof block === "number"
          ? block
          : { ...block, properties: turnedProperties(turn, block.properties) },
      ),
      voxels: turned,
      data: turnedData,
    });
  }
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
