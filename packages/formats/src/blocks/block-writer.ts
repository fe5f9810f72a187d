import { AIR, type BlockCatalog } from "@orthant/core";
import { type ExportedVoxels, isRecord } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { type NbtFields, type NbtValue, nbtTypeOf } from "../nbt/nbt-writer.ts";

/** Version of the data of Minecraft 1.21.1, which is written. */
export const MINECRAFT_DATA_VERSION = 3_955;
const I32_MAX = 2 ** 31 - 1;

/** What blocks of Orthant's own catalog are called there. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ["air", "minecraft:air"],
  ["stone", "minecraft:stone"],
  ["soil", "minecraft:dirt"],
  ["grass", "minecraft:grass_block"],
  ["sand", "minecraft:sand"],
  ["water", "minecraft:water"],
  ["wood", "minecraft:oak_log"],
  ["leaves", "minecraft:oak_leaves"],
  ["coal ore", "minecraft:coal_ore"],
  ["iron ore", "minecraft:iron_ore"],
  ["gold ore", "minecraft:gold_ore"],
  ["brick", "minecraft:bricks"],
  ["glass", "minecraft:glass"],
  ["lamp", "minecraft:sea_lantern"],
  ["snow", "minecraft:snow_block"],
  ["lava", "minecraft:lava"],
]);

/** Blocks that the game itself has renamed since 1.13. It renames them only in files that say they are older. */
const LATER_NAMES: ReadonlyMap<string, string> = new Map([
  ["minecraft:grass", "minecraft:short_grass"],
  ["minecraft:grass_path", "minecraft:dirt_path"],
  ["minecraft:sign", "minecraft:oak_sign"],
  ["minecraft:wall_sign", "minecraft:oak_wall_sign"],
]);

/** States of a block whose name means another one today. */
const LATER_STATES: ReadonlyMap<string, (state: MinecraftState) => MinecraftState> = new Map([
  // Until 1.16, one block had all levels of water. Today, an empty cauldron has no level.
  [
    "minecraft:cauldron",
    ({ name, properties }) => {
      const level = properties.find(([property]) => property === "level")?.[1] ?? "0";
      return level === "0" ? { name, properties: [] } : { name: "minecraft:water_cauldron", properties };
    },
  ],
  // Until 1.13, the smooth one. Slabs of 1.12 and older have no water in them, which tells them from those of 1.14.
  [
    "minecraft:stone_slab",
    (state) =>
      state.properties.some(([property]) => property === "waterlogged")
        ? state
        : { ...state, name: "minecraft:smooth_stone_slab" },
  ],
]);

/** A block as Minecraft has it: a name, and properties that are texts, sorted by name. */
interface MinecraftState {
  readonly name: string;
  readonly properties: readonly (readonly [name: string, value: string])[];
}

/** Returns a block's state in Minecraft. A name that is none there is changed, and listed as lost. */
export function minecraftState(
  catalog: BlockCatalog,
  block: number,
  losses: ConversionLosses,
): MinecraftState {
  if (block === AIR) return { name: "minecraft:air", properties: [] };
  const { type, properties } = catalog.describe(block) ?? { type: `block ${block}`, properties: {} };
  const named = /^[a-z0-9_.-]+:[a-z0-9_./-]+$/.test(type)
    ? (LATER_NAMES.get(type) ?? type)
    : (OWN_NAMES.get(type) ?? `orthant:${type.toLowerCase().replaceAll(/[^a-z0-9_./-]+/g, "_")}`);
  const pairs = Object.entries(properties).map(([property, value]) => [property, String(value)] as const);
  const listed = { name: named, properties: pairs.sort(([first], [second]) => (first < second ? -1 : 1)) };
  const state = LATER_STATES.get(named)?.(listed) ?? listed;
  if (state.name !== type) losses.addOnce("names of blocks", type, `${type} becomes ${state.name}`);
  return state;
}

/** Returns block entities: in a schematic with their data apart, in a region with absolute places among their fields. */
export function minecraftEntities(
  { min, data }: ExportedVoxels,
  losses: ConversionLosses,
  form: "schematic" | "region",
): readonly NbtValue[] {
  const entities: NbtValue[] = [];
  for (const { position, value } of data) {
    const fields = isRecord(value) ? compoundOf(value, losses) : undefined;
    if (fields === undefined) {
      losses.add("data of voxels", `that of [${position.join(", ")}] is no object`);
      continue;
    }
    const id = isRecord(value) && typeof value["id"] === "string" ? value["id"] : "orthant:data";
    if (form === "schematic") {
      entities.push({
        fields: [
          ["Pos", { ints: position }],
          ["Id", id],
          ["Data", { fields }],
        ],
      });
      continue;
    }
    const [x, y, z] = position.map((at, axis) => at + (min[axis] as number)) as [number, number, number];
    const others = [...fields].filter(([name]) => !["id", "x", "y", "z"].includes(name));
    entities.push({
      fields: [["id", id], ["x", { int: x }], ["y", { int: y }], ["z", { int: z }], ...others],
    });
  }
  return entities;
}

function compoundOf(record: Readonly<Record<string, unknown>>, losses: ConversionLosses): NbtFields {
  const fields: (readonly [string, NbtValue])[] = [];
  for (const [name, value] of Object.entries(record)) {
    const tag = tagOf(value, losses);
    if (tag === undefined) losses.add("fields of data", `${name} has a value that NBT does not have`);
    else fields.push([name, tag]);
  }
  return fields;
}

function tagOf(value: unknown, losses: ConversionLosses): NbtValue | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return { byte: value ? 1 : 0 };
  if (typeof value === "bigint") return { long: BigInt.asIntN(64, value) };
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return { double: value };
    return Math.abs(value) <= I32_MAX ? { int: value } : { long: BigInt(value) };
  }
  if (Array.isArray(value)) return listOf(value, losses);
  return isRecord(value) ? { fields: compoundOf(value, losses) } : undefined;
}

/** Elements of a list have one type: with numbers of several kinds, all become doubles. */
function listOf(values: readonly unknown[], losses: ConversionLosses): NbtValue | undefined {
  const tags = values.map((value) => tagOf(value, losses));
  const types = new Set(tags.map((tag) => (tag === undefined ? 0 : nbtTypeOf(tag))));
  if (types.has(0)) return undefined;
  if (types.size <= 1) return { list: tags as readonly NbtValue[] };
  if (values.every((value) => typeof value === "number")) {
    return { list: values.map((value) => ({ double: value as number })) };
  }
  return undefined;
}
