import type { BlockCatalog, ChunkShape, GeneratorRegistry, Position, TimeSource } from "@orthant/core";
import type { GenerationPool, GeneratorRef } from "@orthant/core/generate";
import type { CacheLimits } from "@orthant/core/tree";
import type { Retention, SaveLimits } from "@orthant/save";
import { JOURNAL_EDIT_CHUNKS_MAX } from "@orthant/save/journal";

/** Options for a new world. All are optional. */
export interface NewWorldEngine {
  readonly name?: string;
  readonly shape?: ChunkShape;
  /** Fills the space that has not been edited. Default: nothing. */
  readonly generator?: GeneratorRef;
  readonly catalog?: BlockCatalog;
  /** Where players start, in voxels. */
  readonly spawn?: Position;
  /** Thresholds of the save, fixed for its lifetime. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<WorldLimits>;
}

/** Size limits for files and records of a save. */
export type WorldLimits = Omit<SaveLimits, "regionChunkEdge">;

/** How long changes may wait for an automatic save. Each from 1 to 2^31 - 1 milliseconds. */
export interface WorldCadence {
  /** Edits, and entities that spawn, despawn or cross into another leaf. */
  readonly worldMs: number;
  /** Changes to players. */
  readonly playersMs: number;
  /** Movements of entities inside their leaves. */
  readonly entitiesMs: number;
}

/** The name of a world and where players start. */
export interface WorldLabel {
  readonly name: string;
  /** In voxels. */
  readonly spawn: Position;
}

/** When a change is durable: with the next save, or as soon as it is in the journal. */
export type Durability = "snapshot" | "journal";

/** What to do with a journal that is damaged before its end. */
export type DamagedJournal = "refuse" | "cut";

/** Selects a saved state of a world: a generation by number or name, or the last one at or before a time. */
export type Moment = number | string | Date;

/** Options for opening a world. */
export interface EngineOptions {
  /** Opens without the lock and rejects every edit. */
  readonly readOnly?: boolean;
  /** Opens a kept saved state read-only: a generation's number or name, or the last one up to a time. */
  readonly at?: Moment;
  /** Source of the time. Default: the system clock. */
  readonly time?: TimeSource;
  /** Available generators. Default: all generators that come with Orthant. */
  readonly generators?: GeneratorRegistry;
  /**
   * Opens the world even if its generator is missing. Then only what needs a generated chunk throws
   * `ORT_GENERATOR_UNKNOWN`. Default: false.
   */
  readonly allowUnknownGenerator?: boolean;
  /**
   * Generates chunks off the main thread, such as `generationPool()` of `@orthant/worker-pool/node`. The worlds of
   * `orthant` have one. Default: this thread generates them.
   */
  readonly generation?: GenerationPool;
  /** Saves automatically some time after a change. Default: true. */
  readonly autosave?: boolean;
  /** Maximum delays of automatic saves. Default: `DEFAULT_CADENCE`. */
  readonly cadence?: Partial<WorldCadence>;
  /**
   * How far outside its leaf an entity must be before it moves to another one, in chunks from 0 to 1.
   * Default: `ENTITY_HYSTERESIS_CHUNKS`.
   */
  readonly entityHysteresisChunks?: number;
  /**
   * With `snapshot` (default), a crash loses the changes since the last save. With `journal`, an edit's
   * promise resolves when a crash can no longer lose it.
   */
  readonly durability?: Durability;
  /**
   * What to do with a journal that is damaged before its end: `refuse` to open the world (default), or `cut`
   * off the damage and everything after it.
   */
  readonly damagedJournal?: DamagedJournal;
  /**
   * Which saved states are kept. Default: the newest two, one a minute for ten minutes, one an hour for a day, one a day for a
   * month.
   */
  readonly retention?: Retention;
  /**
   * Approximate memory, in bytes, for edited chunks and their regions. Default: `LOADED_BYTES_MAX`. The least recently used
   * regions above it leave memory. Kept regions stay. Unsaved ones are saved at once when they take a quarter of it, and
   * edits wait for the disk when they take half, unless `autosave` is off and there is no journal.
   */
  readonly loadedBytesMax?: number;
  /** Memory for generated chunks, `SIMULATION_CACHE_LIMITS` of `@orthant/core` by default. */
  readonly cacheLimits?: CacheLimits;
  /** Returns 64 random bits that tell worlds and their sessions apart. Default: the system's generator. */
  readonly random?: () => bigint;
}

/** Options of `World.loadChunks`. */
export interface LoadOptions {
  /** Makes the world ready for `setNow` there. Default: false. */
  readonly toEdit?: boolean;
}

/** Default delays of automatic saves. */
export const DEFAULT_CADENCE: WorldCadence = { worldMs: 5_000, playersMs: 60_000, entitiesMs: 10_000 };
/** Default distance outside its leaf, in chunks, at which an entity moves to another leaf. */
export const ENTITY_HYSTERESIS_CHUNKS = 0.2;
/** Largest allowed hysteresis. */
export const ENTITY_HYSTERESIS_CHUNKS_MAX = 1;
/** Default memory, in bytes, for edited chunks and their regions. */
export const LOADED_BYTES_MAX = 268_435_456;
/** Maximum number of chunks that one edit may touch, which is the most that a journal entry can hold. */
export const EDIT_CHUNKS_MAX: number = JOURNAL_EDIT_CHUNKS_MAX;
/** Maximum number of voxels in one copy. */
export const COPY_VOXELS_MAX = 1_048_576;
/** The lock file; the writer's claims lie beside it. */
export const LOCK_FILE = "world.lock";
