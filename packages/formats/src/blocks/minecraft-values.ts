import type { BlockType } from "@orthant/core";
import { idCountOf } from "@orthant/core/chunk";

/** Ids up to which types get more values than they need: half of all that a world has. */
const IDS_WANTED = 32_768;

const BOOLEANS = ["false", "true"];
const SIDES = [BOOLEANS, ["none", "side", "up"], ["none", "low", "tall"]];

/** The values that blocks of Minecraft have for a property; the first list that has all values of a type counts. */
const VALUES: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["age", [numbers(0, 7), numbers(0, 15), numbers(0, 25)]],
  ["attachment", [["floor", "ceiling", "single_wall", "double_wall"]]],
  ["axis", [["x", "y", "z"]]],
  ["candles", [numbers(1, 4)]],
  ["delay", [numbers(1, 4)]],
  ["distance", [numbers(1, 7), numbers(0, 7)]],
  ["east", SIDES],
  ["face", [["floor", "wall", "ceiling"]]],
  [
    "facing",
    [
      ["north", "east", "south", "west"],
      ["north", "east", "south", "west", "up", "down"],
    ],
  ],
  [
    "half",
    [
      ["bottom", "top"],
      ["lower", "upper"],
    ],
  ],
  ["hinge", [["left", "right"]]],
  ["layers", [numbers(1, 8)]],
  ["level", [numbers(0, 15)]],
  ["mode", [["compare", "subtract"]]],
  ["moisture", [numbers(0, 7)]],
  ["north", SIDES],
  ["part", [["head", "foot"]]],
  ["power", [numbers(0, 15)]],
  ["rotation", [numbers(0, 15)]],
  [
    "shape",
    [
      ["straight", "inner_left", "inner_right", "outer_left", "outer_right"],
      [
        ...["north_south", "east_west", "ascending_east", "ascending_west", "ascending_north"],
        ...["ascending_south", "south_east", "south_west", "north_west", "north_east"],
      ],
    ],
  ],
  ["south", SIDES],
  ["stage", [numbers(0, 1)]],
  [
    "type",
    [
      ["bottom", "top", "double"],
      ["single", "left", "right"],
      ["normal", "sticky"],
    ],
  ],
  ["west", SIDES],
]);

/**
 * Returns types with all values that Minecraft has for their properties, as far as they are known; as they are if that
 * needs too many ids behind `endId`. A file has only the values that occur in it, and a type never changes: the next file of
 * the game could not use it, and a block could not be turned.
 */
export function withMinecraftValues(types: readonly BlockType[], endId: number): readonly BlockType[] {
  const wide = types.map(wideType);
  return wide.reduce((end, type) => end + idCountOf(type), endId) <= IDS_WANTED ? wide : types;
}

function wideType(type: BlockType): BlockType {
  if (!type.name.startsWith("minecraft:")) return type;
  const properties = type.properties.map(({ name, values }) => {
    const all = (VALUES.get(name) ?? [BOOLEANS]).find((list) =>
      values.every((value) => list.includes(value)),
    );
    // The first value stays the default.
    return { name, values: [...new Set([...values, ...(all ?? [])])] };
  });
  return { ...type, properties };
}

function numbers(min: number, max: number): readonly string[] {
  return Array.from({ length: max - min + 1 }, (_, index) => String(min + index));
}
