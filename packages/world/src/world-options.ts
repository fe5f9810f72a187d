import type {
  CacheLimits,
  ChunkShape,
  Clock,
  GeneratorRef,
  GeneratorRegistry,
  MaterialCatalog,
  Place,
} from "@orthant/core";
import { JOURNAL_EDIT_CHUNKS_MAX, type Retention, type SaveLimits } from "@orthant/formats";
import type { DamagedJournal } from "./journal/replay.ts";
import type { Moment } from "./kept-generations.ts";

/** What a new world is. Everything has a default. */
export interface NewWorld {
  readonly name?: string;
  readonly shape?: ChunkShape;
  /** What fills the space that nobody has touched; nothing does when it is left out. */
  readonly generator?: GeneratorRef;
  readonly catalog?: MaterialCatalog;
  /** Where players begin, in voxels. */
  readonly spawn?: Place;
  /** The thresholds that its save is written with, for ever; those of `DEFAULT_LIMITS` when they are left out. */
  readonly limits?: Partial<WorldLimits>;
}

/** Sizes of files and records of a save. */
export type WorldLimits = Omit<SaveLimits, "regionChunkEdge">;

/** How long changes may wait for a save that a world makes by itself. From 1 to 2^31 - 1 milliseconds each. */
export interface WorldCadence {
  /** Edits, and entities that come, go or cross into another leaf. */
  readonly worldMs: number;
  /** Changes of players. */
  readonly playersMs: number;
  /** Movements of entities inside their leaves. */
  readonly entitiesMs: number;
}

/** What people call a world, and where they begin in it. */
export interface WorldLabel {
  readonly name: string;
  /** In voxels. */
  readonly spawn: Place;
}

/** When a change is safe: with the next save, or as soon as it is in the journal. */
export type Durability = "snapshot" | "journal";

/** How a world is opened. */
export interface WorldOptions {
  /** Opens without the lock and refuses every edit. */
  readonly readOnly?: boolean;
  /** Opens a saved state that is kept, read-only: a generation's number, its name, or the last one up to a time. */
  readonly at?: Moment;
  /** Where the time comes from; the machine when it is left out. */
  readonly clock?: Clock;
  /** The generators that the program has; all that come with Orthant when it is left out. */
  readonly generators?: GeneratorRegistry;
  /** Saves by itself some time after a change. On unless it is turned off. */
  readonly autosave?: boolean;
  /** How soon; `DEFAULT_CADENCE` for what is left out. */
  readonly cadence?: Partial<WorldCadence>;
  /**
   * How far out of its leaf an entity has to be before it belongs to another one, in chunks from 0 to 1;
   * `ENTITY_HYSTERESIS_CHUNKS` when it is left out.
   */
  readonly entityHysteresisChunks?: number;
  /**
   * `snapshot`, unless it is said otherwise: a crash loses what came after the last save. `journal`: an edit's promise
   * is kept when a crash cannot lose it any more.
   */
  readonly durability?: Durability;
  /**
   * What to do about a journal that is damaged before its end: `refuse` to open the world, unless it is said otherwise,
   * or `cut` off the damage and what came after it.
   */
  readonly damagedJournal?: DamagedJournal;
  /** Which saved states are kept; the newest two, one an hour for a day and one a day for a month when it is left out. */
  readonly retention?: Retention;
  /**
   * About how many chunks of people's work, and regions, are kept in memory; `LOADED_CHUNKS_MAX` when it is left out.
   * What is not saved yet or somebody needs stays beyond that.
   */
  readonly loadedChunksMax?: number;
  /** Memory for generated chunks, {@link SIMULATION_CACHE_LIMITS} by default. */
  readonly cacheLimits?: CacheLimits;
  /** Gives 64 random bits: what tells worlds, and openings of them, apart. The machine's when it is left out. */
  readonly random?: () => bigint;
}

/** How long an edit may wait for its autosave. */
export const WORLD_AUTOSAVE_MS = 5_000;
/** How long a change of a player may. */
export const PLAYERS_AUTOSAVE_MS = 60_000;
/** How long the movement of an entity inside its leaf may. */
export const ENTITY_CHECKPOINT_MS = 10_000;
/** How long changes may wait, unless the options say otherwise. */
export const DEFAULT_CADENCE: WorldCadence = {
  worldMs: WORLD_AUTOSAVE_MS,
  playersMs: PLAYERS_AUTOSAVE_MS,
  entitiesMs: ENTITY_CHECKPOINT_MS,
};
/** How far out of its leaf an entity has to be, in chunks, unless the options say otherwise. */
export const ENTITY_HYSTERESIS_CHUNKS = 0.2;
/** The most that the options may say. */
export const ENTITY_HYSTERESIS_CHUNKS_MAX = 1;
/** How many chunks and regions are kept in memory, unless the options say otherwise. */
export const LOADED_CHUNKS_MAX = 262_144;
/** The most chunks that one edit may touch: as many as an entry of the journal may have. */
export const EDIT_CHUNKS_MAX: number = JOURNAL_EDIT_CHUNKS_MAX;
/** The most voxels that one copy may take along. */
export const COPY_VOXELS_MAX = 1_048_576;
/** The file beside which claims of the one writer lie. */
export const LOCK_FILE = "world.lock";
