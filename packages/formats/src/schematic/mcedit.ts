import { OrthantError } from "@orthant/core";
import { NumberedBlocks } from "../blocks/numbered-blocks.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import {
  BLOCK_FIELDS,
  ENTITY_FIELDS,
  prefixedTriple,
  readBlockData,
  readEntities,
  type Schematic,
  type SchematicInput,
  unsignedSize,
  volumeOf,
} from "./schematic.ts";

/** Returns whether NBT is a schematic of MCEdit. */
export function isMcedit(root: NbtCompound): boolean {
  return root.bytes("Blocks") !== undefined && root.bytes("Data") !== undefined;
}

/** Reads a schematic of MCEdit: a byte of id and a byte of data a voxel. */
export function readMcedit({ root, findings, voxelsMax }: SchematicInput): Schematic {
  const size = unsignedSize(root);
  const volume = volumeOf(size, voxelsMax);
  const ids = root.bytes("Blocks");
  const data = root.bytes("Data");
  const add = root.bytes("AddBlocks");
  if (size === undefined || ids?.length !== volume || data?.length !== volume) {
    const lengths = `${ids?.length ?? "no"} ids and ${data?.length ?? "no"} bytes of data`;
    throw new OrthantError("ORT_FOREIGN", `${lengths} where the size has ${volume} voxels`);
  }
  if (add !== undefined && add.length !== Math.ceil(volume / 2)) {
    throw new OrthantError(
      "ORT_FOREIGN",
      `${add.length} bytes of AddBlocks where the size has ${volume} voxels`,
    );
  }
  const blockData = readBlockData(root.compounds("TileEntities"), BLOCK_FIELDS, { size, findings });
  const entities = readEntities(root.compounds("Entities"), ENTITY_FIELDS);
  const blocks = new NumberedBlocks({ ids, add, data, dataBits: 8 });
  const { palette } = blocks;
  const indices = blocks.unpack();
  return {
    format: "mcedit",
    version: undefined,
    dataVersion: undefined,
    name: undefined,
    offset: prefixedTriple(root, "WEOffset"),
    origin: prefixedTriple(root, "WEOrigin"),
    parts: [{ name: "", min: [0, 0, 0], size, palette, indices, blockData, entities }],
    findings: findings.list(),
  };
}
