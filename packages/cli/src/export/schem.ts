import { gzipSync } from "node:zlib";
import { AIR, type BlockCatalog, OrthantError } from "@orthant/core";
import type { ExportLosses } from "./export-losses.ts";
import type { ExportedVoxels } from "./exported-voxels.ts";
import { type NbtFields, type NbtValue, nbtTypeOf, writeNbt } from "./nbt-writer.ts";

/** Version of the data of Minecraft 1.21.1. */
const DATA_VERSION = 3_955;
const EDGE_MAX = 65_535;
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

/** Returns a schematic of Sponge, version 3, compressed with gzip. Rules EX1 to EX4. */
export function schemOf(voxels: ExportedVoxels, losses: ExportLosses): Uint8Array {
  const { min, size, catalog, blocks } = voxels;
  if (size.some((edge) => edge > EDGE_MAX)) {
    throw new OrthantError("ORT_LIMIT", `a schematic has edges of at most ${EDGE_MAX} voxels`);
  }
  const { numbers, states } = paletteOf(catalog, blocks, losses);
  const schematic: NbtFields = [
    ["Version", { int: 3 }],
    ["DataVersion", { int: DATA_VERSION }],
    ["Metadata", { fields: [["WorldEdit", { fields: [["Origin", { ints: min }]] }]] }],
    ["Width", { short: size[0] }],
    ["Height", { short: size[1] }],
    ["Length", { short: size[2] }],
    ["Offset", { ints: [0, 0, 0] }],
    [
      "Blocks",
      {
        fields: [
          ["Palette", { fields: states.map((state, number) => [state, { int: number }] as const) }],
          ["Data", { bytes: varints(blocks, numbers) }],
          ["BlockEntities", { list: blockEntities(voxels, losses) }],
        ],
      },
    ],
  ];
  return gzipSync(writeNbt([["Schematic", { fields: schematic }]]));
}

/** Returns a number for each block that occurs, and the states in the order of the numbers. */
function paletteOf(
  catalog: BlockCatalog,
  blocks: Uint16Array,
  losses: ExportLosses,
): { readonly numbers: ReadonlyMap<number, number>; readonly states: readonly string[] } {
  const numbers = new Map<number, number>();
  const byState = new Map<string, number>();
  for (const block of new Set(blocks)) {
    const state = stateOf(catalog, block, losses);
    const known = byState.get(state);
    if (known !== undefined) losses.add("blocks that become one", `${state} stands for several blocks`);
    const number = known ?? byState.size;
    byState.set(state, number);
    numbers.set(block, number);
  }
  return { numbers, states: [...byState.keys()] };
}

/** Returns a block's state in Minecraft's form, `name[property=value,...]`. */
function stateOf(catalog: BlockCatalog, block: number, losses: ExportLosses): string {
  if (block === AIR) return "minecraft:air";
  const { type, properties } = catalog.describe(block) ?? { type: `block ${block}`, properties: {} };
  const name = /^[a-z0-9_.-]+:[a-z0-9_./-]+$/.test(type)
    ? type
    : (OWN_NAMES.get(type) ?? `orthant:${type.toLowerCase().replaceAll(/[^a-z0-9_./-]+/g, "_")}`);
  if (name !== type) losses.add("names of blocks", `${type} becomes ${name}`);
  const pairs = Object.entries(properties)
    .map(([property, value]) => `${property}=${value}`)
    .sort();
  return pairs.length === 0 ? name : `${name}[${pairs.join(",")}]`;
}

function varints(blocks: Uint16Array, numbers: ReadonlyMap<number, number>): Uint8Array {
  const bytes = new Uint8Array(blocks.length * 3);
  const table = new Uint16Array(65_536);
  for (const [block, number] of numbers) table[block] = number;
  let end = 0;
  for (const block of blocks) {
    let number = table[block] as number;
    for (; number >= 0x80; number >>>= 7) bytes[end++] = (number & 0x7f) | 0x80;
    bytes[end++] = number;
  }
  return bytes.subarray(0, end);
}

function blockEntities({ data }: ExportedVoxels, losses: ExportLosses): readonly NbtValue[] {
  const entities: NbtValue[] = [];
  for (const { position, value } of data) {
    const fields = isRecord(value) ? compoundOf(value, losses) : undefined;
    if (fields === undefined) {
      losses.add("data of voxels", `that of [${position.join(", ")}] is no object`);
      continue;
    }
    const id = isRecord(value) && typeof value["id"] === "string" ? value["id"] : "orthant:data";
    entities.push({
      fields: [
        ["Pos", { ints: position }],
        ["Id", id],
        ["Data", { fields }],
      ],
    });
  }
  return entities;
}

function compoundOf(record: Readonly<Record<string, unknown>>, losses: ExportLosses): NbtFields {
  const fields: (readonly [string, NbtValue])[] = [];
  for (const [name, value] of Object.entries(record)) {
    const tag = tagOf(value, losses);
    if (tag === undefined) losses.add("fields of data", `${name} has a value that NBT does not have`);
    else fields.push([name, tag]);
  }
  return fields;
}

function tagOf(value: unknown, losses: ExportLosses): NbtValue | undefined {
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
function listOf(values: readonly unknown[], losses: ExportLosses): NbtValue | undefined {
  const tags = values.map((value) => tagOf(value, losses));
  const types = new Set(tags.map((tag) => (tag === undefined ? 0 : nbtTypeOf(tag))));
  if (types.has(0)) return undefined;
  if (types.size <= 1) return { list: tags as readonly NbtValue[] };
  if (values.every((value) => typeof value === "number")) {
    return { list: values.map((value) => ({ double: value as number })) };
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
