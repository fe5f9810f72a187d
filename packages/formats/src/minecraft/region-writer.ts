import { AIR, type Box, OrthantError } from "@orthant/core";
import { deflateWrapped, joinBytes } from "@orthant/core/bytes";
import { intersectBoxes } from "@orthant/core/lattice";
import { MINECRAFT_DATA_VERSION, minecraftEntities, minecraftState } from "../blocks/block-writer.ts";
import { packLongs } from "../blocks/packed-indices.ts";
import {
  type BoxToWrite,
  type BoxWriter,
  type ExportedVoxels,
  readVoxels,
} from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import type { NbtTag } from "../nbt/nbt-value.ts";
import { compoundTag, writeNbt } from "../nbt/nbt-writer.ts";
import { REGION_COLUMNS, REGION_HEADER_BYTES, REGION_SLOTS, SECTOR_BYTES } from "./region-layout.ts";

const COLUMN_EDGE = 16;
const REGION_EDGE = COLUMN_EDGE * REGION_COLUMNS;
const SECTION_VOXELS = 4_096;
/** Heights of the overworld. */
const MIN_Y = -64;
const MAX_Y = 320;
const SECTORS_MAX = 255;
const ZLIB = 2;

/** Where a region lies, from the name of its file, `r.X.Z.mca`; `undefined` for other names. */
export function minecraftRegionBox(file: string): Box | undefined {
  const match = /(?:^|[/\\])r\.(-?\d{1,5})\.(-?\d{1,5})\.mca$/.exec(file);
  if (match === null) return undefined;
  const [x, z] = [Number(match[1]) * REGION_EDGE, Number(match[2]) * REGION_EDGE];
  return { min: [x, MIN_Y, z, 0], max: [x + REGION_EDGE, MAX_Y, z + REGION_EDGE, 1] };
}

/** Writes regions of Minecraft 1.21. */
export const regionWriter: BoxWriter = { ending: ".mca", write: regionOf };

/** Returns a region file with all columns of a region that are not only air. Rules EX9 to EX11. */
async function regionOf({ source, box, losses, onColumn }: BoxToWrite): Promise<Uint8Array> {
  const corner = [box.min[0], box.min[2]].map((at) => Math.floor(at / REGION_EDGE) * REGION_EDGE);
  const [cornerX, cornerZ] = corner as [number, number];
  const header = new DataView(new ArrayBuffer(REGION_HEADER_BYTES));
  const parts: Uint8Array[] = [];
  let sector = 2;
  for (let slot = 0; slot < REGION_SLOTS; slot++) {
    const x = cornerX + (slot % REGION_COLUMNS) * COLUMN_EDGE;
    const z = cornerZ + Math.floor(slot / REGION_COLUMNS) * COLUMN_EDGE;
    const column: Box = {
      min: [x, MIN_Y, z, box.min[3]],
      max: [x + COLUMN_EDGE, MAX_Y, z + COLUMN_EDGE, box.min[3] + 1],
    };
    onColumn();
    const inside = intersectBoxes(column, box);
    if (inside === undefined) continue;
    const voxels = await readVoxels({ source, box: column, onColumn: () => undefined }, inside);
    if (voxels.isEmpty || voxels.blocks.every((block) => block === AIR)) continue;
    const stored = await storedColumn(voxels, losses);
    const sectors = stored.length / SECTOR_BYTES;
    if (sectors > SECTORS_MAX) {
      throw new OrthantError(
        "ORT_LIMIT",
        `the column at [${x}, ${z}] takes ${sectors} sectors, the limit is ${SECTORS_MAX}`,
      );
    }
    header.setUint32(slot * 4, sector * 256 + sectors);
    parts.push(stored);
    sector += sectors;
  }
  return joinBytes([new Uint8Array(header.buffer), ...parts]);
}

/** Returns whole sectors: length, compression, and the column. */
async function storedColumn(voxels: ExportedVoxels, losses: ConversionLosses): Promise<Uint8Array> {
  const compressed = await deflateWrapped(writeNbt(columnFields(voxels, losses)), "zlib");
  const stored = new Uint8Array(Math.ceil((compressed.length + 5) / SECTOR_BYTES) * SECTOR_BYTES);
  new DataView(stored.buffer).setUint32(0, compressed.length + 1);
  stored[4] = ZLIB;
  stored.set(compressed, 5);
  return stored;
}

function columnFields(voxels: ExportedVoxels, losses: ConversionLosses): ReadonlyMap<string, NbtTag> {
  const { min, blocks } = voxels;
  const sections: NbtTag[] = [];
  for (let start = 0; start < blocks.length; start += SECTION_VOXELS) {
    const y = (min[1] + start / COLUMN_EDGE ** 2) / COLUMN_EDGE;
    sections.push(sectionOf(voxels, blocks.subarray(start, start + SECTION_VOXELS), y, losses));
  }
  const none: NbtTag = { type: "list", value: [] };
  const empty = compoundTag([]);
  return new Map<string, NbtTag>([
    ["DataVersion", { type: "int", value: MINECRAFT_DATA_VERSION }],
    ["xPos", { type: "int", value: min[0] / COLUMN_EDGE }],
    ["yPos", { type: "int", value: MIN_Y / COLUMN_EDGE }],
    ["zPos", { type: "int", value: min[2] / COLUMN_EDGE }],
    ["Status", { type: "string", value: "minecraft:full" }],
    ["LastUpdate", { type: "long", value: 0n }],
    ["InhabitedTime", { type: "long", value: 0n }],
    ["isLightOn", { type: "byte", value: 0 }],
    ["sections", { type: "list", value: sections }],
    ["block_entities", { type: "list", value: minecraftEntities(voxels, losses, "region") }],
    ["Heightmaps", empty],
    ["block_ticks", none],
    ["fluid_ticks", none],
    ["PostProcessing", none],
    [
      "structures",
      compoundTag([
        ["References", empty],
        ["starts", empty],
      ]),
    ],
  ]);
}

function sectionOf(voxels: ExportedVoxels, blocks: Uint16Array, y: number, losses: ConversionLosses): NbtTag {
  const places = new Map<number, number>();
  for (const block of blocks) if (!places.has(block)) places.set(block, places.size);
  const palette = Array.from(places.keys(), (block): NbtTag => {
    const { name, properties } = minecraftState(voxels, block, losses);
    const fields = new Map<string, NbtTag>([["Name", { type: "string", value: name }]]);
    const values = properties.map(([property, value]) => [property, { type: "string", value }] as const);
    if (values.length > 0) fields.set("Properties", compoundTag(values));
    return { type: "compound", value: fields };
  });
  const states = new Map<string, NbtTag>([["palette", { type: "list", value: palette }]]);
  if (places.size > 1) states.set("data", { type: "longArray", value: packLongs(blocks, places) });
  const biomes: NbtTag = { type: "list", value: [{ type: "string", value: "minecraft:plains" }] };
  return compoundTag([
    ["Y", { type: "byte", value: y }],
    ["block_states", { type: "compound", value: states }],
    ["biomes", compoundTag([["palette", biomes]])],
  ]);
}
