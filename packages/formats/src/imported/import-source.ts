import type { ChunkShape } from "@orthant/core";
import type { NewBlockType, VoxelDataEdit } from "@orthant/core/chunk";
import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import type { Attachment } from "@orthant/save";
import type { ColumnSection } from "../blocks/column-section.ts";
import type { DetectedWorld, FormatOption, FormatValues, WorldInfo } from "../format/format.ts";
import type { ConversionLoss } from "../format/losses.ts";
import type { Triple, VoxelPart } from "../part/voxel-part.ts";
import type { EntityToImport } from "./imported-entities.ts";

/** Edge, in chunks, of the cubes that are written together. */
export const CELL_CHUNKS = 4;

/** How a block looks and behaves. */
export type ImportedLooks = Pick<NewBlockType, "colour" | "solid" | "transparent" | "light">;

/** The voxels of a chunk of another program, as in a `VoxelPart` of that size. Those of a section are read faster. */
export type ImportedVoxels = Pick<VoxelPart, "palette" | "indices"> | ColumnSection;

/** A chunk of another program. */
export interface ImportedChunk {
  /** In chunks. */
  readonly position: Triple;
  readonly voxels: ImportedVoxels;
  readonly data: readonly VoxelDataEdit[];
}

/** A box of chunks; `max` is behind its highest corner. */
export interface ImportedBox {
  readonly min: Triple;
  readonly max: Triple;
}

/** Returns the cube of chunks with this lowest corner. */
export function cellAt([x, y, z]: Triple): ImportedBox {
  return { min: [x, y, z], max: [x + CELL_CHUNKS, y + CELL_CHUNKS, z + CELL_CHUNKS] };
}

/** A piece of a world: what is read and written together. */
export interface ImportedPiece {
  readonly chunks: readonly ImportedChunk[];
  /** At most 1,048,576, in cubes of the piece. */
  readonly entities?: readonly EntityToImport[];
  /** What is not converted of it. */
  readonly losses: readonly ConversionLoss[];
  /** When the other program saved it; 0 if it does not say so. */
  readonly savedAtMs: number;
}

/** A world of another program, open to be converted piece by piece, in any order. */
export interface ImportSource {
  readonly shape: ChunkShape;
  /** For each piece its number of steps. No two pieces have chunks in one cube of {@link CELL_CHUNKS}. */
  readonly pieces: readonly number[];
  /** Returns the box that a piece fills, with its air; `undefined` for a piece without chunks. */
  boxOf(piece: number): ImportedBox | undefined;
  readonly name?: string | undefined;
  readonly seed?: bigint | undefined;
  /** Where players begin; if the source does not say it, they begin on the ground near its middle. */
  readonly spawn?: Triple | undefined;
  /** What the world keeps of the source besides. */
  readonly attachments?: readonly Attachment[];
  /** Values of properties that a state may leave out. */
  readonly defaults?: ReadonlyMap<string, string>;
  /** For people and programs. */
  readonly info: WorldInfo;
  /**
   * Differs if the world differs, as far as that is known without reading all of it. `undefined` for a world so small that
   * an interrupted conversion begins again.
   */
  readonly fingerprint?: string;
  /** What is not converted, besides what pieces say. */
  readonly losses: readonly ConversionLoss[];
  /** Pieces are read one at a time. */
  readPiece(piece: number): Promise<ImportedPiece>;
  /** Reads all of it, and returns everything that is wrong. */
  verify(): Promise<readonly Finding[]>;
  looksOf(name: string): ImportedLooks;
  close(): Promise<void>;
}

/** A kind of worlds that can be converted to ours, and not back. */
export interface ImportedKind {
  readonly name: string;
  readonly title: string;
  readonly options?: readonly FormatOption[];
  detect(disk: Disk, file: string | undefined): Promise<DetectedWorld | undefined>;
  openSource(disk: Disk, world: DetectedWorld, values: FormatValues): Promise<ImportSource>;
}
