import { OrthantError } from "@orthant/core";
import type { Finding } from "@orthant/disk/files";
import type { NbtCompound } from "../nbt/nbt-compound.ts";
import type { FindingLog } from "../part/finding-log.ts";
import type { ImportedBlockData, ImportedEntity, Triple, VoxelPart } from "../part/voxel-part.ts";

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

/** Collects data of blocks; what lies outside of the part is left out, with a finding. */
export class BlockDataList {
  readonly #size: Triple;
  readonly #min: Triple;
  readonly #findings: FindingLog;
  readonly list: ImportedBlockData[] = [];

  constructor(size: Triple, findings: FindingLog, min: Triple = [0, 0, 0]) {
    this.#size = size;
    this.#min = min;
    this.#findings = findings;
  }

  /** Adds data at a position relative to the part. */
  add(position: Triple | undefined, id: string, nbt: Uint8Array): void {
    const size = this.#size;
    const isInside = position?.every(
      (at, axis) => Number.isInteger(at) && at >= 0 && at < (size[axis] as number),
    );
    if (position !== undefined && isInside === true) {
      this.list.push({ position: addTriples(position, this.#min), id, nbt });
      return;
    }
    const place = position === undefined ? "without a place" : `at [${position.join(", ")}], outside,`;
    this.#findings.damage("ORT_FOREIGN", `a block entity ${id} ${place} is left out`);
  }
}
