import { AIR } from "@orthant/core";
import { type ExportedVoxels, isRecord } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import type { NbtTag } from "../nbt/nbt-value.ts";
import { compoundTag } from "../nbt/nbt-writer.ts";

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

/** Returns a block's state in Minecraft. A name that does not exist there is changed, and listed as lost. */
export function minecraftState(
  { describe }: Pick<ExportedVoxels, "describe">,
  block: number,
  losses: ConversionLosses,
): MinecraftState {
  if (block === AIR) return { name: "minecraft:air", properties: [] };
  const { type, properties } = describe(block);
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
): readonly NbtTag[] {
  const entities: NbtTag[] = [];
  for (const { position, value } of data) {
    const fields = isRecord(value) ? compoundOf(value, losses) : undefined;
    if (fields === undefined) {
      losses.add("data of voxels", `that of [${position.join(", ")}] is not an object`);
      continue;
    }
    const id = isRecord(value) && typeof value["id"] === "string" ? value["id"] : "orthant:data";
    if (form === "schematic") {
      entities.push(
        compoundTag([
          ["Pos", { type: "intArray", value: Int32Array.from(position) }],
          ["Id", { type: "string", value: id }],
          ["Data", { type: "compound", value: fields }],
        ]),
      );
      continue;
    }
    const place = position.map((at, axis) => {
      const value = at + (min[axis] as number);
      return ["xyz".charAt(axis), { type: "int", value }] as const;
    });
    const others = [...fields].filter(([name]) => !["id", "x", "y", "z"].includes(name));
    entities.push(compoundTag([["id", { type: "string", value: id }], ...place, ...others]));
  }
  return entities;
}

function compoundOf(
  record: Readonly<Record<string, unknown>>,
  losses: ConversionLosses,
): ReadonlyMap<string, NbtTag> {
  const fields = new Map<string, NbtTag>();
  for (const [name, value] of Object.entries(record)) {
    const tag = tagOf(value, losses);
    if (tag === undefined) losses.add("fields of data", `${name} has a value that NBT does not have`);
    else fields.set(name, tag);
  }
  return fields;
}

function tagOf(value: unknown, losses: ConversionLosses): NbtTag | undefined {
  if (typeof value === "string") return { type: "string", value };
  if (typeof value === "boolean") return { type: "byte", value: value ? 1 : 0 };
  if (typeof value === "bigint") return { type: "long", value: BigInt.asIntN(64, value) };
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return { type: "double", value };
    return Math.abs(value) <= I32_MAX ? { type: "int", value } : { type: "long", value: BigInt(value) };
  }
  if (Array.isArray(value)) return listOf(value, losses);
  return isRecord(value) ? { type: "compound", value: compoundOf(value, losses) } : undefined;
}

/** Elements of a list have one type: with numbers of several kinds, all become doubles. */
function listOf(values: readonly unknown[], losses: ConversionLosses): NbtTag | undefined {
  const tags = values.map((value) => tagOf(value, losses));
  const types = new Set(tags.map((tag) => tag?.type));
  if (types.has(undefined)) return undefined;
  if (types.size <= 1) return { type: "list", value: tags as readonly NbtTag[] };
  if (values.every((value) => typeof value === "number")) {
    return { type: "list", value: values.map((value) => ({ type: "double", value })) };
  }
  return undefined;
}
