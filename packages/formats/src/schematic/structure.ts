import { OrthantError } from "@orthant/core";
import { blockStateText } from "../blocks/block-state.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import { type ImportedEntity, NOT_STORED, PALETTE_MAX, type Triple } from "../part/voxel-part.ts";
import { BlockDataList, type Schematic, type SchematicInput, volumeOf } from "./schematic.ts";

/** Returns whether NBT is a structure file of the game. */
export function isStructure(root: NbtCompound): boolean {
  return root.has("size") && root.has("blocks") && (root.has("palette") || root.has("palettes"));
}

/** Reads a structure file of the game: a list of voxels. Those that it does not list are not stored. */
export function readStructure({ root, findings, voxelsMax }: SchematicInput): Schematic {
  const size = root.triple("size");
  const indices = new Uint16Array(volumeOf(size, voxelsMax)).fill(NOT_STORED);
  const palette = readPalette(root);
  const blockData = new BlockDataList(size as Triple, findings);
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
      const nbt = entry.compound("nbt");
      if (nbt !== undefined) blockData.add(position, nbt.text("id") ?? "", nbt.toBytes());
    }
  }
  if (outside > 0) findings.damage("ORT_FOREIGN", `${outside} voxels outside of the size are left out`);
  if (stateless > 0)
    findings.damage("ORT_FOREIGN", `${stateless} voxels with no state in the palette are not stored`);
  const entities: ImportedEntity[] = [];
  for (const entry of root.compounds("entities")) {
    const nbt = entry.compound("nbt");
    if (nbt !== undefined)
      entities.push({ position: entry.triple("pos"), id: nbt.text("id") ?? "", nbt: nbt.toBytes() });
  }
  const part = {
    name: "",
    min: [0, 0, 0] as const,
    size: size as Triple,
    palette,
    indices,
    blockData: blockData.list,
    entities,
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

/** A file with variants of one structure has several palettes; the first one is read. */
function readPalette(root: NbtCompound): readonly string[] {
  const palette: string[] = [];
  const entries = root.has("palette") ? root.compounds("palette") : root.compoundsOfFirst("palettes");
  for (const entry of entries) {
    const state = blockStateText(entry);
    if (state === undefined) throw new OrthantError("ORT_FOREIGN", `state ${palette.length} has no name`);
    if (palette.length === PALETTE_MAX)
      throw new OrthantError("ORT_LIMIT", `more than ${PALETTE_MAX} states`);
    palette.push(state);
  }
  return palette;
}

function indexIn(size: Triple, position: Triple | undefined): number | undefined {
  if (position === undefined) return undefined;
  const [x, y, z] = position;
  const isInside = position.every(
    (at, axis) => Number.isInteger(at) && at >= 0 && at < (size[axis] as number),
  );
  return isInside ? x + z * size[0] + y * size[0] * size[2] : undefined;
}
