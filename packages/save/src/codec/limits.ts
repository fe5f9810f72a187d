import { requireInteger, U32_MAX } from "@orthant/core";

/** Thresholds for writing a save, stored in its manifest. */
export interface SaveLimits {
  /** Chunks along each edge of a region; used only by flat saves. */
  readonly regionChunkEdge: number;
  readonly dataFileMaxBytes: number;
  readonly indexSoftMaxBytes: number;
  readonly chunkBlobTargetBytes: number;
  readonly chunkBlobHardMaxBytes: number;
  readonly entityBlobTargetBytes: number;
  readonly entityBlobHardMaxBytes: number;
}

/** Thresholds of the specification. */
export const DEFAULT_LIMITS: SaveLimits = {
  regionChunkEdge: 4,
  dataFileMaxBytes: 134_217_728,
  indexSoftMaxBytes: 4_194_304,
  chunkBlobTargetBytes: 131_072,
  chunkBlobHardMaxBytes: 524_288,
  entityBlobTargetBytes: 65_536,
  entityBlobHardMaxBytes: 262_144,
};

/** Minimum hard limits: a record must have room for any chunk, and for any entity of reasonable size. */
const CHUNK_HARD_MIN_BYTES = 262_144;
const ENTITY_HARD_MIN_BYTES = 4_096;
/** Minimum size of a pack before the next one begins. */
const DATA_FILE_MIN_BYTES = 1_024;

/** Throws `ORT_ARGUMENT` for limits that cannot be used to write a save. */
export function requireLimits(limits: SaveLimits): void {
  requireInteger(limits.regionChunkEdge, 1, U32_MAX);
  requireInteger(limits.dataFileMaxBytes, DATA_FILE_MIN_BYTES, Number.MAX_SAFE_INTEGER);
  requireInteger(limits.indexSoftMaxBytes, 1, U32_MAX);
  requireInteger(limits.chunkBlobHardMaxBytes, CHUNK_HARD_MIN_BYTES, U32_MAX);
  requireInteger(limits.chunkBlobTargetBytes, 1, limits.chunkBlobHardMaxBytes);
  requireInteger(limits.entityBlobHardMaxBytes, ENTITY_HARD_MIN_BYTES, U32_MAX);
  requireInteger(limits.entityBlobTargetBytes, 1, limits.entityBlobHardMaxBytes);
}
