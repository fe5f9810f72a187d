import { type GeneratorRegistry, HYPERCUBE_CHUNKS, OrthantError, systemTime } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec, defineBlocks, requirePrintableTexts } from "@orthant/core/chunk";
import { DEFAULT_GENERATORS, firstBlocks, withBlockIds } from "@orthant/core/generate";
import type { Disk, DiskLock } from "@orthant/disk";
import {
  createSave,
  DEFAULT_LIMITS,
  type GlobalState,
  openSave,
  plainDescription,
  resumeSave,
  type Save,
  type SaveWriter,
} from "@orthant/save";
import { EMPTY_GENERATOR, worldDescriptionCodec } from "@orthant/save/content";
import { removeTemporaries } from "@orthant/save/files";
import {
  isSegmentTaken,
  JournalReader,
  JournalWriter,
  nextEpochNumber,
  removeSegments,
  type ScannedJournal,
} from "@orthant/save/journal";
import type { WorldContent } from "../content/world-content.ts";
import { newWorldId } from "../engine/session-epoch.ts";
import { WorldEngine } from "../engine/world-engine.ts";
import { generationAt } from "../engine/world-history.ts";
import { replayJournal, replayLog } from "../journal/replay.ts";
import type { ExternalLog } from "../journal/world-log.ts";
import { requireLabel, requireOnAxes } from "../options/checked-arguments.ts";
import { checkedEngineOptions } from "../options/checked-options.ts";
import { type EngineOptions, LOCK_FILE, type Moment, type NewWorldEngine } from "../options/world-options.ts";
import { releaseSave } from "../saving/world-saver.ts";
import { openWithJournal } from "./live-journal.ts";
import { contentOf, randomBits, saveOptionsOf, type WorldSettings, worldSettings } from "./world-settings.ts";

/** Attempts to open a world for writing while former holders of its lock take the names of new segments. */
const OPENINGS_MAX = 3;

/**
 * Opens the world on a disk, either for writing, which only one process can do at a time, or read-only.
 * Opening reads the index, not the chunks. Throws `ORT_LOCKED` when another process writes to the world and
 * `ORT_NOT_FOUND` when there is none.
 */
export async function openWorldEngine(disk: Disk, given: EngineOptions = {}): Promise<WorldEngine> {
  const options = checkedEngineOptions(given);
  if (options.at !== undefined) return openPast(disk, options.at, options);
  if (options.readOnly === true) return openToRead(disk, options);
  for (let opening = 1; ; opening++) {
    try {
      return await openForWriting(disk, await openWritable(disk, options), options);
    } catch (error) {
      if (opening === OPENINGS_MAX || !isSegmentTaken(error)) throw error;
    }
  }
}

/** Opens a kept generation read-only. The journal is ignored, since its entries came later. */
async function openPast(disk: Disk, at: Moment, options: EngineOptions): Promise<WorldEngine> {
  const newest = await openSave(disk);
  await newest.close();
  const generation = await generationAt(disk, at, newest.global.description);
  const save = await openSave(disk, { ...saveOptionsOf(options), generation });
  try {
    const { state, ...parts } = worldSettings(save.global, options);
    return new WorldEngine({ ...parts, disk, content: contentOf(save, state, options), writing: undefined });
  } catch (error) {
    await save.close();
    throw error;
  }
}

/** Opens the last saved generation and replays the journal on top of it in memory. Rule J17. */
function openToRead(disk: Disk, options: EngineOptions): Promise<WorldEngine> {
  return openWithJournal(disk, options, async (save, journal) => {
    const { state, ...parts } = worldSettings(save.global, options);
    const content = contentOf(save, state, options);
    // A reader loses nothing when the damaged part is cut off.
    const { damagedJournal: damaged = "cut" } = options;
    await replayJournal(journal, content, { nowMs: parts.time.nowMs(), damaged });
    return new WorldEngine({ ...parts, disk, content, writing: undefined });
  });
}

/** Creates a world on an empty disk and opens it. Throws `ORT_NOT_EMPTY` when the disk is not empty. */
export async function createWorldEngine(
  disk: Disk,
  world: NewWorldEngine = {},
  given: EngineOptions = {},
): Promise<WorldEngine> {
  const options = checkedEngineOptions(given);
  const lock = await disk.lock(LOCK_FILE);
  try {
    if (lock.isContested) throw contested();
    const { time = systemTime, generators = DEFAULT_GENERATORS } = options;
    const global = globalOf(world, generators, newWorldId(randomBits(options.random)));
    // Check before writing anything: a world that cannot be opened or stored must not block the next attempt.
    const settings = worldSettings(global, options);
    encode(worldDescriptionCodec, global.description);
    const writer = await createSave(disk, {
      nowMs: time.nowMs(),
      global,
      generators,
      lock,
      ...(world.limits && { limits: { ...DEFAULT_LIMITS, ...world.limits } }),
      ...(options.retention && { retention: options.retention }),
    });
    return await openForWriting(disk, { save: writer.currentSave(), writer, lock, settings }, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** First generations have the same file names, so a suspended creator could remove them at any time. */
function contested(): OrthantError {
  const detail = "another process began to make a world here and may still be running: take another folder";
  return new OrthantError("ORT_LOCKED", detail, { path: LOCK_FILE });
}

function globalOf(world: NewWorldEngine, generators: GeneratorRegistry, worldId: bigint): GlobalState {
  const {
    name = "",
    shape = HYPERCUBE_CHUNKS,
    generator: ref = EMPTY_GENERATOR,
    spawn = [0, 0, 0, 0],
  } = world;
  const maker = generators.generatorOf(ref);
  const catalog = defineBlocks(world.catalog ?? firstBlocks(maker), maker?.blocks ?? {});
  const generator = withBlockIds(ref, maker, catalog);
  requireLabel({ name, spawn });
  for (const type of catalog.types) requirePrintableTexts(type);
  requireOnAxes("spawn", shape, spawn);
  const { generatorId, parameters, seed, versionHash } = generator;
  return {
    base: { kind: "generated" },
    worldSeed: seed,
    generators: [{ generatorId, params: parameters, seed, versionHash }],
    nextEntityId: 1n,
    playerEntityHints: [],
    description: {
      ...plainDescription(shape),
      name,
      spawn,
      blocks: encode(blockCatalogCodec, catalog),
      worldId,
    },
  };
}

/**
 * Opens a world whose lock is held. Replays the journal and saves the result under a new epoch before
 * returning, so that segments of earlier sessions no longer count. Releases everything when it fails.
 */
async function openForWriting(
  disk: Disk,
  { save, writer, lock, settings: { state, ...parts } }: WritableSave,
  options: EngineOptions,
): Promise<WorldEngine> {
  const { durability = "snapshot", damagedJournal = "refuse" } = options;
  let world: WorldEngine | undefined;
  try {
    const content = contentOf(save, state, options);
    const { time } = parts;
    const found = await recover(disk, content, { nowMs: time.nowMs(), damaged: damagedJournal });
    const { volume } = state.shape;
    const random = randomBits(options.random);
    const journal =
      durability === "journal" ? await JournalWriter.open({ disk, lock, time, volume, random }) : undefined;
    const epoch = nextEpochNumber(content.global.description.clockEpoch, found);
    world = new WorldEngine({ ...parts, disk, content, epoch, writing: { writer, lock, journal } });
    // The next opening must not report the cut-off part as missing again.
    const hasPast = found.segments.length > 0 || found.damage !== undefined;
    // A new epoch invalidates any segment that the earlier holder of a contested lock may still write.
    if (journal !== undefined || hasPast || lock.isContested) await world.openEpoch();
    await lock.settle();
    await removeSegments(disk, found);
    return world;
  } catch (error) {
    if (world === undefined) await releaseSave(save, { writer, lock });
    else await world.close();
    throw error;
  }
}

/** Replays the journal and returns the segments to remove. */
async function recover(
  disk: Disk,
  content: WorldContent,
  recovery: Parameters<typeof replayJournal>[2],
): Promise<ScannedJournal> {
  const journal = await JournalReader.open(disk, content.save);
  try {
    await replayJournal(journal, content, recovery);
    return journal.found;
  } finally {
    await journal.close();
  }
}

/** Options for opening a world whose changes are logged elsewhere. */
interface LoggedWorldOptions extends EngineOptions {
  /** Clients whose last edit is remembered, at most as many as a save can store. */
  readonly clientsMax?: number;
}

/**
 * Opens a world for writing whose changes are logged elsewhere. Replays the log and saves the result under
 * the log's epoch before returning, unless the disk refuses that: the world then saves later. Does not write to any
 * pack that an earlier owner may still have open.
 */
export async function openLoggedWorldEngine(
  disk: Disk,
  log: ExternalLog,
  { clientsMax, ...given }: LoggedWorldOptions = {},
): Promise<WorldEngine> {
  const options = checkedEngineOptions(given);
  const { save, writer, lock, settings } = await openWritable(disk, options, { newPack: true });
  const { state, ...parts } = settings;
  let world: WorldEngine | undefined;
  try {
    const content = contentOf(save, state, options, clientsMax);
    await replayLog(content, log.recover(content.global.description));
    const { epoch } = log;
    const writing = { writer, lock, journal: log };
    world = new WorldEngine({ ...parts, disk, content, epoch, writing, shard: log });
    // Before the first save, which has the blocks of the replayed changes.
    world.blocks.take(log.newerBlocks?.(world.catalog) ?? world.catalog);
    await world.openEpoch();
    await lock.settle();
    return world;
  } catch (error) {
    if (world === undefined) await releaseSave(save, { writer, lock });
    else await world.close().catch(() => undefined);
    throw error;
  }
}

/** A save and everything needed to write to it. */
interface WritableSave {
  readonly save: Save;
  readonly writer: SaveWriter;
  readonly lock: DiskLock;
  readonly settings: WorldSettings;
}

/** Locks a world and opens its save, with `newPack` for a new pack. Releases everything on failure. */
export async function openWritable(
  disk: Disk,
  options: EngineOptions,
  { newPack = false }: { readonly newPack?: boolean } = {},
): Promise<WritableSave> {
  const lock = await disk.lock(LOCK_FILE);
  let save: Save | undefined;
  try {
    if (lock.isContested) await removeTemporaries(disk);
    save = await openSave(disk, saveOptionsOf(options));
    // Before opening any file for writing: a world whose generator is unknown leaves nothing behind.
    const settings = worldSettings(save.global, options);
    const { retention } = options;
    const writer = await resumeSave(disk, save, {
      ...saveOptionsOf(options),
      ...(retention && { retention }),
      lock,
      // The earlier holder of a contested lock may still append to its pack.
      newPack: newPack || lock.isContested,
    });
    return { save, writer, lock, settings };
  } catch (error) {
    await save?.close().catch(() => undefined);
    await lock.release();
    throw error;
  }
}
