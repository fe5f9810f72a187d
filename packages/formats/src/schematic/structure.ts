import type { NbtCompound } from "../nbt/nbt-compound.ts";
import { NOT_STORED, type Triple } from "../part/voxel-part.ts";
import {
  type EntryFields,
  indexIn,
  readBlockData,
  readEntities,
  readStates,
  type Schematic,
  type SchematicInput,
  volumeOf,
} from "./schematic.ts";

/** Data is in a compound of its own. */
const FIELDS: EntryFields = {
  position: (entry) => entry.triple("pos"),
  id: (entry) => entry.compound("nbt")?.text("id"),
  nbt: (entry) => entry.compound("nbt")?.toBytes() ?? new Uint8Array(0),
};

/** Returns whether NBT is a structure file of the game. */
export function isStructure(root: NbtCompound): boolean {
  return root.has("size") && root.has("blocks") && (root.has("palette") || root.has("palettes"));
}

/** Reads a structure file of the game: a list of voxels. Those that it does not list are not stored. */
export function readStructure({ root, findings, voxelsMax }: SchematicInput): Schematic {
  const size = root.triple("size");
  const indices = new Uint16Array(volumeOf(size, voxelsMax)).fill(NOT_STORED);
  // A file with variants of one structure has several palettes; the first one is read.
  const states = root.has("palette") ? root.compounds("palette") : root.compoundsOfFirst("palettes");
  const palette = readStates(states);
  const withData: NbtCompound[] = [];
  let outside = 0;
  let stateless = 0;
  for (const entry of root.compounds("blocks")) {
    const position = entry.triple("pos");
    const index = indexIn(size as Triple, position);
    const state = entry.integer("state") ?? -1;
    if (index === undefined) outside++;
    else if (state < 0 || state >= palette.length) stateless++;
    else {
      indices[index] = state;
      if (hasData(entry)) withData.push(entry);
    }
  }
  if (outside > 0) findings.damage("ORT_FOREIGN", `${outside} voxels outside of the size are left out`);
  if (stateless > 0)
    findings.damage("ORT_FOREIGN", `${stateless} voxels with no state in the palette are not stored`);
  const entities = [...root.compounds("entities")].filter(hasData);
  const part = {
    name: "",
    min: [0, 0, 0] as const,
    size: size as Triple,
    palette,
    indices,
    blockData: readBlockData(withData, FIELDS, { size: size as Triple, findings }),
    entities: readEntities(entities, FIELDS),
  };
  return {
    format: "structure",
    version: undefined,
    dataVersion: root.integer("DataVersion"),
    name: undefined,
    offset: undefined,
    origin: undefined,
    parts: [part],
    findings: findings.list(),
  };
}

function hasData(entry: NbtCompound): boolean {
  return entry.compound("nbt") !== undefined;
}
