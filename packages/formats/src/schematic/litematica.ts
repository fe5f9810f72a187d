import { isOrthantError, OrthantError } from "@orthant/core";
import { I32_MIN } from "@orthant/core/bytes";
import { bitsFor, LongIndices, longsFor } from "../blocks/packed-indices.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import type { FindingLog } from "../part/finding-log.ts";
import { PALETTE_MAX, type Triple } from "../part/voxel-part.ts";
import {
  addTriples,
  BLOCK_FIELDS,
  ENTITY_FIELDS,
  prefixedTriple,
  readBlockData,
  readEntities,
  readStates,
  type Schematic,
  type SchematicInput,
  type SchematicPart,
  volumeOf,
} from "./schematic.ts";

const BITS_MIN = 2;

/** Returns whether NBT is a schematic of Litematica. */
export function isLitematica(root: NbtCompound): boolean {
  return root.compound("Regions") !== undefined;
}

/** Reads a schematic of Litematica. A region that is damaged is left out, with a finding. */
export function readLitematica({ root, findings, voxelsMax }: SchematicInput): Schematic {
  const regions = root.compound("Regions");
  const parts: SchematicPart[] = [];
  let voxelsLeft = voxelsMax;
  for (const name of regions?.names ?? []) {
    try {
      const region = regions?.compound(name);
      if (region === undefined) throw new OrthantError("ORT_FOREIGN", "it is not a compound");
      const part = readRegion(region, name, voxelsLeft, findings);
      voxelsLeft -= part.indices?.length ?? 0;
      parts.push(part);
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      findings.lost(`region ${JSON.stringify(name)} is left out`, error);
    }
  }
  return {
    format: "litematica",
    version: root.integer("Version"),
    dataVersion: root.integer("MinecraftDataVersion"),
    name: root.compound("Metadata")?.text("Name"),
    offset: undefined,
    origin: undefined,
    parts,
    findings: findings.list(),
  };
}

function readRegion(
  region: NbtCompound,
  name: string,
  voxelsMax: number,
  findings: FindingLog,
): SchematicPart {
  const stated = prefixedTriple(region.compound("Size"), "", "xyz");
  const position = prefixedTriple(region.compound("Position"), "", "xyz");
  if (stated === undefined || position === undefined || stated.includes(I32_MIN)) {
    throw new OrthantError(
      "ORT_FOREIGN",
      `a size of [${stated?.join(", ") ?? ""}] and a position of [${position?.join(", ") ?? ""}]`,
    );
  }
  const size = stated.map(Math.abs) as unknown as Triple;
  // A negative edge runs down from the position; voxels are stored from the lowest corner in either case.
  const min = addTriples(position, stated.map((edge) => (edge < 0 ? edge + 1 : 0)) as unknown as Triple);
  const volume = volumeOf(size, voxelsMax);
  const palette = readPalette(region);
  const bits = bitsFor(palette.length, BITS_MIN);
  const packing = { count: volume, bits, crossLongs: true, paletteLength: palette.length };
  const needed = longsFor(packing);
  const longs = region.longs("BlockStates");
  if (longs === undefined || longs.byteLength / 8 < needed) {
    throw new OrthantError(
      "ORT_FOREIGN",
      `${(longs?.byteLength ?? 0) / 8} longs where ${volume} voxels need ${needed}`,
    );
  }
  const voxels = new LongIndices(longs, packing);
  if (voxels.beyond > 0)
    findings.damage(
      "ORT_FOREIGN",
      `${voxels.beyond} voxels of region ${JSON.stringify(name)} with no state in its palette are not stored`,
    );
  return {
    name,
    min,
    size,
    palette,
    indices: voxels.unpack(),
    blockData: readBlockData(region.compounds("TileEntities"), BLOCK_FIELDS, { size, min, findings }),
    entities: readEntities(region.compounds("Entities"), ENTITY_FIELDS, min),
  };
}

function readPalette(region: NbtCompound): readonly string[] {
  const count = region.count("BlockStatePalette");
  if (count === 0 || count > PALETTE_MAX) {
    throw new OrthantError("ORT_LIMIT", `${count} states, expected 1 to ${PALETTE_MAX}`);
  }
  return readStates(region.compounds("BlockStatePalette"));
}
