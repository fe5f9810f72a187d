import { OrthantError } from "@orthant/core";
import type { Finding } from "@orthant/disk/files";
import { blockStateText } from "../blocks/block-state.ts";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import type { FindingLog } from "../part/finding-log.ts";
import {
  type ImportedBlockData,
  type ImportedEntity,
  PALETTE_MAX,
  type Triple,
  type VoxelPart,
} from "../part/voxel-part.ts";

/** Limits for reading a schematic: sizes that it states are compared with them before anything is allocated. */
export interface SchematicLimits {
  /** Maximum bytes after decompression. Default: {@link SCHEMATIC_BYTES_MAX}. */
  readonly bytesMax?: number;
  /** Maximum number of voxels of one part. Default: {@link SCHEMATIC_VOXELS_MAX}. */
  readonly voxelsMax?: number;
}

/** Maximum bytes of a schematic after decompression, unless a caller allows more. */
export const SCHEMATIC_BYTES_MAX = 67_108_864;
/** Maximum number of voxels in a part of a schematic, unless a caller allows more. */
export const SCHEMATIC_VOXELS_MAX = 33_554_432;

/** A part of a schematic: all of it, or a region of a litematic. Positions are relative to the schematic. */
export interface SchematicPart extends VoxelPart {
  readonly name: string;
  readonly blockData: readonly ImportedBlockData[];
  readonly entities: readonly ImportedEntity[];
}

/** A piece of a Minecraft world in a file of its own. */
export interface Schematic {
  readonly format: "sponge" | "mcedit" | "litematica" | "structure";
  /** Version of the format, where it has one. */
  readonly version: number | undefined;
  /** Version of the game's data; some writers state a wrong one. */
  readonly dataVersion: number | undefined;
  readonly name: string | undefined;
  /** Where its lowest corner goes, relative to the player who pastes it. */
  readonly offset: Triple | undefined;
  /** Where its lowest corner was in the world it comes from. */
  readonly origin: Triple | undefined;
  /** Where parts overlap, a later one wins, except for its air. */
  readonly parts: readonly SchematicPart[];
  readonly findings: readonly Finding[];
}

/** What a reader of one kind of schematic has at hand. */
export interface SchematicInput {
  readonly root: NbtCompound;
  readonly findings: FindingLog;
  readonly voxelsMax: number;
}

/** Returns the volume of a stated size. Throws `ORT_FOREIGN` or `ORT_LIMIT` before anything of that size is made. */
export function volumeOf(size: Triple | undefined, voxelsMax: number): number {
  if (size === undefined || size.some((edge) => !Number.isInteger(edge) || edge < 0)) {
    throw new OrthantError(
      "ORT_FOREIGN",
      `a size of ${size === undefined ? "nothing" : `[${size.join(", ")}]`}`,
    );
  }
  const volume = size[0] * size[1] * size[2];
  if (volume <= voxelsMax) return volume;
  throw new OrthantError("ORT_LIMIT", `${size.join(" x ")} voxels, the limit is ${voxelsMax}`);
}

/** Returns a box around all parts; `undefined` without any. */
export function schematicBounds({
  parts,
}: Schematic): { readonly min: Triple; readonly size: Triple } | undefined {
  if (parts.length === 0) return undefined;
  const min = [0, 1, 2].map((axis) => Math.min(...parts.map((part) => part.min[axis] as number)));
  const size = min.map((low, axis) => {
    const ends = parts.map((part) => (part.min[axis] as number) + (part.size[axis] as number));
    return Math.max(...ends) - low;
  });
  return { min: min as unknown as Triple, size: size as unknown as Triple };
}

/** Returns Width, Height and Length, which are unsigned shorts. */
export function unsignedSize(holder: NbtCompound): Triple | undefined {
  const edges = ["Width", "Height", "Length"].map((name) => holder.integer(name));
  const [x, y, z] = edges.map((edge) => (edge === undefined ? Number.NaN : edge & 0xffff));
  return edges.includes(undefined) ? undefined : [x as number, y as number, z as number];
}

/** Returns three integers with a common prefix, such as `WEOffsetX`; `undefined` unless all are there. */
export function prefixedTriple(
  holder: NbtCompound | undefined,
  prefix: string,
  axes = "XYZ",
): Triple | undefined {
  const [x, y, z] = [...axes].map((axis) => holder?.integer(prefix + axis));
  return x === undefined || y === undefined || z === undefined ? undefined : [x, y, z];
}

/** Returns the sum of two positions. */
export function addTriples(a: Triple, b: Triple): Triple {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

/** Where a kind of schematic has what belongs to a block or an entity. */
export interface EntryFields {
  readonly position: (entry: NbtCompound) => Triple | undefined;
  readonly id: (entry: NbtCompound) => string | undefined;
  readonly nbt: (entry: NbtCompound) => Uint8Array;
}

/** Fields as the game has them: `x`, `y` and `z` of blocks, `Pos` of entities. */
export const BLOCK_FIELDS: EntryFields = {
  position: (entry) => prefixedTriple(entry, "", "xyz"),
  id: (entry) => entry.text("id"),
  nbt: (entry) => entry.toBytes(),
};
/** See {@link BLOCK_FIELDS}. */
export const ENTITY_FIELDS: EntryFields = { ...BLOCK_FIELDS, position: (entry) => entry.triple("Pos") };

/** Returns data of blocks at positions relative to a part; what lies outside of the part is left out, with a finding. */
export function readBlockData(
  entries: Iterable<NbtCompound>,
  { position: positionOf, id: idOf, nbt }: EntryFields,
  {
    size,
    min = [0, 0, 0],
    findings,
  }: { readonly size: Triple; readonly min?: Triple; readonly findings: FindingLog },
): readonly ImportedBlockData[] {
  const found: ImportedBlockData[] = [];
  for (const entry of entries) {
    const position = positionOf(entry);
    const id = idOf(entry) ?? "";
    if (position !== undefined && indexIn(size, position) !== undefined) {
      found.push({ position: addTriples(position, min), id, nbt: nbt(entry) });
      continue;
    }
    const place = position === undefined ? "without a place" : `at [${position.join(", ")}], outside,`;
    findings.damage("ORT_FOREIGN", `a block entity ${id} ${place} is left out`);
  }
  return found;
}

/** Returns the entities of a part with this lowest corner. */
export function readEntities(
  entries: Iterable<NbtCompound>,
  { position, id, nbt }: EntryFields,
  min?: Triple,
): readonly ImportedEntity[] {
  return Array.from(entries, (entry) => {
    const at = position(entry);
    return { position: at && min ? addTriples(at, min) : at, id: id(entry) ?? "", nbt: nbt(entry) };
  });
}

/** Returns the states of a palette. Throws an `OrthantError` for one without names or with too many states. */
export function readStates(entries: Iterable<NbtCompound>): readonly string[] {
  const palette: string[] = [];
  for (const entry of entries) {
    const state = blockStateText(entry);
    if (state === undefined) throw new OrthantError("ORT_FOREIGN", `state ${palette.length} has no name`);
    if (palette.length === PALETTE_MAX)
      throw new OrthantError("ORT_LIMIT", `more than ${PALETTE_MAX} states`);
    palette.push(state);
  }
  return palette;
}

/** Returns the place of a position in a part of this size; `undefined` outside of it. */
export function indexIn(size: Triple, position: Triple | undefined): number | undefined {
  if (position === undefined) return undefined;
  const [x, y, z] = position;
  const isInside = position.every(
    (at, axis) => Number.isInteger(at) && at >= 0 && at < (size[axis] as number),
  );
  return isInside ? x + z * size[0] + y * size[0] * size[2] : undefined;
}
