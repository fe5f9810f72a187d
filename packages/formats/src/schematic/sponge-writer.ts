import { OrthantError } from "@orthant/core";
import { deflateWrapped } from "@orthant/core/bytes";
import { MINECRAFT_DATA_VERSION, minecraftEntities, minecraftState } from "../blocks/block-writer.ts";
import { boxWriter, type ExportedVoxels, type VoxelsWriter } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { compoundTag, writeNbt } from "../nbt/nbt-writer.ts";

const EDGE_MAX = 65_535;

/** Writes schematics of Sponge. */
export const spongeWriter: VoxelsWriter = boxWriter(".schem", schemOf);

/** Returns a schematic of Sponge, version 3, compressed with gzip. Rules EX1 to EX4. */
async function schemOf(voxels: ExportedVoxels, losses: ConversionLosses): Promise<Uint8Array> {
  const { min, size, blocks } = voxels;
  if (size.some((edge) => edge > EDGE_MAX)) {
    throw new OrthantError("ORT_LIMIT", `a schematic has edges of at most ${EDGE_MAX} voxels`);
  }
  const { numbers, states } = paletteOf(voxels, losses);
  const origin = compoundTag([["Origin", { type: "intArray", value: Int32Array.from(min) }]]);
  const palette = states.map((state, value) => [state, { type: "int", value }] as const);
  const schematic = compoundTag([
    ["Version", { type: "int", value: 3 }],
    ["DataVersion", { type: "int", value: MINECRAFT_DATA_VERSION }],
    ["Metadata", compoundTag([["WorldEdit", origin]])],
    ["Width", { type: "short", value: size[0] }],
    ["Height", { type: "short", value: size[1] }],
    ["Length", { type: "short", value: size[2] }],
    ["Offset", { type: "intArray", value: new Int32Array(3) }],
    [
      "Blocks",
      compoundTag([
        ["Palette", compoundTag(palette)],
        ["Data", { type: "byteArray", value: varints(blocks, numbers) }],
        ["BlockEntities", { type: "list", value: minecraftEntities(voxels, losses, "schematic") }],
      ]),
    ],
  ]);
  return deflateWrapped(writeNbt(new Map([["Schematic", schematic]])), "gzip");
}

/** Returns a number for each block that occurs, and the states in the order of the numbers. */
function paletteOf(
  voxels: ExportedVoxels,
  losses: ConversionLosses,
): { readonly numbers: ReadonlyMap<number, number>; readonly states: readonly string[] } {
  const numbers = new Map<number, number>();
  const byState = new Map<string, number>();
  for (const block of new Set(voxels.blocks)) {
    const state = stateOf(voxels, block, losses);
    const known = byState.get(state);
    if (known !== undefined) losses.add("blocks that become one", `${state} stands for several blocks`);
    const number = known ?? byState.size;
    byState.set(state, number);
    numbers.set(block, number);
  }
  return { numbers, states: [...byState.keys()] };
}

function stateOf(voxels: ExportedVoxels, block: number, losses: ConversionLosses): string {
  const { name, properties } = minecraftState(voxels, block, losses);
  const pairs = properties.map(([property, value]) => `${property}=${value}`);
  return pairs.length === 0 ? name : `${name}[${pairs.join(",")}]`;
}

function varints(blocks: Uint16Array, numbers: ReadonlyMap<number, number>): Int8Array {
  const bytes = new Int8Array(blocks.length * 3);
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
