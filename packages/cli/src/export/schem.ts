import { gzipSync } from "node:zlib";
import { type BlockCatalog, OrthantError } from "@orthant/core";
import type { ConversionLosses } from "@orthant/formats";
import type { ExportedVoxels } from "./exported-voxels.ts";
import { minecraftEntities, minecraftState } from "./minecraft-blocks.ts";
import { type NbtFields, writeNbt } from "./nbt-writer.ts";

/** Version of the data of Minecraft 1.21.1. */
const DATA_VERSION = 3_955;
const EDGE_MAX = 65_535;

/** Returns a schematic of Sponge, version 3, compressed with gzip. Rules EX1 to EX4. */
export function schemOf(voxels: ExportedVoxels, losses: ConversionLosses): Uint8Array {
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
          ["BlockEntities", { list: minecraftEntities(voxels, losses, "schematic") }],
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
  losses: ConversionLosses,
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

function stateOf(catalog: BlockCatalog, block: number, losses: ConversionLosses): string {
  const { name, properties } = minecraftState(catalog, block, losses);
  const pairs = properties.map(([property, value]) => `${property}=${value}`);
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
