import { deflateSync } from "node:zlib";
import { AIR, type Box, OrthantError } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import type { ConversionLosses } from "@orthant/formats";
import type { Save } from "@orthant/save";
import { ChunkSource } from "../map/band.ts";
import { type ExportedVoxels, readVoxels } from "./exported-voxels.ts";
import { minecraftEntities, minecraftState } from "./minecraft-blocks.ts";
import { type NbtFields, type NbtValue, writeNbt } from "./nbt-writer.ts";

/** Version of the data of Minecraft 1.21.1. */
const DATA_VERSION = 3_955;
const COLUMN_EDGE = 16;
const REGION_COLUMNS = 32;
const REGION_EDGE = COLUMN_EDGE * REGION_COLUMNS;
const SECTION_VOXELS = 4_096;
/** Heights of the overworld. */
const MIN_Y = -64;
const MAX_Y = 320;
const SECTOR_BYTES = 4_096;
const SECTORS_MAX = 255;
const ZLIB = 2;
const BITS_MIN = 4;

/** Where a region lies, from the name of its file, `r.X.Z.mca`; `undefined` for other names. */
export function minecraftRegionBox(file: string): Box | undefined {
  const match = /(?:^|[/\\])r\.(-?\d{1,5})\.(-?\d{1,5})\.mca$/.exec(file);
  if (match === null) return undefined;
  const [x, z] = [Number(match[1]) * REGION_EDGE, Number(match[2]) * REGION_EDGE];
  return { min: [x, MIN_Y, z, 0], max: [x + REGION_EDGE, MAX_Y, z + REGION_EDGE, 1] };
}

/** Returns a region file of Minecraft 1.21 with all columns of a region that are not only air. Rules EX9 to EX11. */
export async function regionOfWorld(
  save: Save,
  state: WorldState,
  region: Box,
  box: Box,
  losses: ConversionLosses,
  onColumn: () => void,
): Promise<Uint8Array> {
  const source = new ChunkSource(save, state);
  const header = new DataView(new ArrayBuffer(2 * SECTOR_BYTES));
  const parts: Uint8Array[] = [];
  let sector = 2;
  for (let slot = 0; slot < REGION_COLUMNS ** 2; slot++) {
    const x = region.min[0] + (slot % REGION_COLUMNS) * COLUMN_EDGE;
    const z = region.min[2] + Math.floor(slot / REGION_COLUMNS) * COLUMN_EDGE;
    const column: Box = {
      min: [x, MIN_Y, z, box.min[3]],
      max: [x + COLUMN_EDGE, MAX_Y, z + COLUMN_EDGE, box.min[3] + 1],
    };
    onColumn();
    const whole = await readVoxels(save, state, column, () => undefined, source);
    if (whole.isEmpty) continue;
    const voxels = cutTo(whole, box);
    if (voxels.blocks.every((block) => block === AIR)) continue;
    const stored = storedColumn(voxels, losses);
    const sectors = stored.length / SECTOR_BYTES;
    if (sectors > SECTORS_MAX) {
      throw new OrthantError(
        "ORT_LIMIT",
        `the column at [${x}, ${z}] takes ${sectors} sectors, ${SECTORS_MAX} may be`,
      );
    }
    header.setUint32(slot * 4, sector * 256 + sectors);
    parts.push(stored);
    sector += sectors;
  }
  return Buffer.concat([new Uint8Array(header.buffer), ...parts]);
}

/** Makes everything outside of a box air. */
function cutTo(voxels: ExportedVoxels, box: Box): ExportedVoxels {
  const { min, size, blocks, data } = voxels;
  const isInside = (x: number, y: number, z: number): boolean =>
    [x, y, z].every((at, axis) => {
      const place = at + (min[axis] as number);
      return place >= (box.min[axis] as number) && place < (box.max[axis] as number);
    });
  const [far] = positionFrom((axis) => (axis < 3 ? (size[axis as 0] as number) - 1 : 0));
  if (isInside(0, 0, 0) && isInside(far, size[1] - 1, size[2] - 1)) return voxels;
  const kept = blocks.map((block, index) => {
    const [x, z, y] = [
      index % size[0],
      Math.floor(index / size[0]) % size[2],
      Math.floor(index / (size[0] * size[2])),
    ];
    return isInside(x, y, z) ? block : AIR;
  });
  return { ...voxels, blocks: kept, data: data.filter(({ position }) => isInside(...position)) };
}

/** Returns whole sectors: length, compression, and the column. */
function storedColumn(voxels: ExportedVoxels, losses: ConversionLosses): Uint8Array {
  const compressed = deflateSync(writeNbt(columnFields(voxels, losses)));
  const stored = new Uint8Array(Math.ceil((compressed.length + 5) / SECTOR_BYTES) * SECTOR_BYTES);
  new DataView(stored.buffer).setUint32(0, compressed.length + 1);
  stored[4] = ZLIB;
  stored.set(compressed, 5);
  return stored;
}

function columnFields(voxels: ExportedVoxels, losses: ConversionLosses): NbtFields {
  const { min, blocks } = voxels;
  const sections: NbtValue[] = [];
  for (let start = 0; start < blocks.length; start += SECTION_VOXELS) {
    const y = (min[1] + start / COLUMN_EDGE ** 2) / COLUMN_EDGE;
    sections.push(sectionOf(voxels, blocks.subarray(start, start + SECTION_VOXELS), y, losses));
  }
  return [
    ["DataVersion", { int: DATA_VERSION }],
    ["xPos", { int: min[0] / COLUMN_EDGE }],
    ["yPos", { int: MIN_Y / COLUMN_EDGE }],
    ["zPos", { int: min[2] / COLUMN_EDGE }],
    ["Status", "minecraft:full"],
    ["LastUpdate", { long: 0n }],
    ["InhabitedTime", { long: 0n }],
    ["isLightOn", { byte: 0 }],
    ["sections", { list: sections }],
    ["block_entities", { list: minecraftEntities(voxels, losses, "region") }],
    ["Heightmaps", { fields: [] }],
    ["block_ticks", { list: [] }],
    ["fluid_ticks", { list: [] }],
    ["PostProcessing", { list: [] }],
    [
      "structures",
      {
        fields: [
          ["References", { fields: [] }],
          ["starts", { fields: [] }],
        ],
      },
    ],
  ];
}

function sectionOf(
  { catalog }: ExportedVoxels,
  blocks: Uint16Array,
  y: number,
  losses: ConversionLosses,
): NbtValue {
  const places = new Map<number, number>();
  for (const block of blocks) if (!places.has(block)) places.set(block, places.size);
  const palette = Array.from(places.keys(), (block): NbtValue => {
    const { name, properties } = minecraftState(catalog, block, losses);
    return {
      fields:
        properties.length === 0
          ? [["Name", name]]
          : [
              ["Name", name],
              ["Properties", { fields: properties }],
            ],
    };
  });
  const states: (readonly [string, NbtValue])[] = [["palette", { list: palette }]];
  if (places.size > 1) states.push(["data", { longs: packed(blocks, places) }]);
  return {
    fields: [
      ["Y", { byte: y }],
      ["block_states", { fields: states }],
      ["biomes", { fields: [["palette", { list: ["minecraft:plains"] }]] }],
    ],
  };
}

/** Each long has as many whole indices as fit, the first in its lowest bits. */
function packed(blocks: Uint16Array, places: ReadonlyMap<number, number>): BigInt64Array {
  const bits = Math.max(BITS_MIN, 32 - Math.clz32(places.size - 1));
  const each = Math.floor(64 / bits);
  const longs = new BigInt64Array(Math.ceil(blocks.length / each));
  for (let long = 0; long < longs.length; long++) {
    let value = 0n;
    for (let at = Math.min(each, blocks.length - long * each) - 1; at >= 0; at--) {
      const place = places.get(blocks[long * each + at] as number) ?? 0;
      value = (value << BigInt(bits)) | BigInt(place);
    }
    longs[long] = BigInt.asIntN(64, value);
  }
  return longs;
}
