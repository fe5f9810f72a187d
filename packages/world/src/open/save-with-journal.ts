import { isOrthantError } from "@orthant/core";
import { type Disk, OverlayDisk } from "@orthant/disk";
import { openSave, type RepairPlan, type Save, surveySave } from "@orthant/save";
import { JournalReader } from "@orthant/save/journal";
import { type ReplayedJournal, replayReadable } from "../journal/replay.ts";
import type { EngineOptions } from "../options/world-options.ts";
import { releaseSave } from "../saving/world-saver.ts";
import { openWithJournal } from "./live-journal.ts";
import { openWritable } from "./open-engine.ts";
import { contentOf, saveOptionsOf } from "./world-settings.ts";

/** A world as `openWorld` would show it, for tools that work on saves. */
export interface SaveWithJournal {
  /** The whole world. If the journal has entries, this is a generation that exists only in memory. */
  readonly save: Save;
  /** Shows `save` as the live one: the world's disk or an overlay. Opening it again replays nothing. */
  readonly disk: Disk;
  /** The last generation on the world's own disk. */
  readonly generation: number;
  readonly journal: ReplayedJournal;
}

/**
 * Opens the live generation, replays its journal and writes nothing to the disk. A journal that cannot be
 * replayed, partly or at all, is not an error: `journal.loss` gives the reason. Rule J30.
 */
export function openSaveWithJournal(
  disk: Disk,
  options: Pick<EngineOptions, "generators"> = {},
): Promise<SaveWithJournal> {
  return openWithJournal(disk, options, (save, journal) => replayInMemory(disk, save, journal, options));
}

async function replayInMemory(
  disk: Disk,
  save: Save,
  journal: JournalReader,
  options: Pick<EngineOptions, "generators">,
): Promise<SaveWithJournal> {
  const { generation } = save;
  const { damage } = journal.found;
  const { bytes } = journal;
  if (journal.groups === 0)
    return { save, disk, generation, journal: { changes: 0, replayed: 0, bytes, loss: damage } };
  const overlay = new OverlayDisk(disk);
  try {
    const replayed = await replayOnto(overlay, journal, options);
    const made = await openSave(overlay, saveOptionsOf(options));
    await save.close();
    return { save: made, disk: overlay, generation, journal: replayed };
  } catch (error) {
    if (!isOrthantError(error, "ORT_GENERATOR_UNKNOWN", "ORT_GENERATOR_VERSION")) throw error;
    // The journal edits voxels of untouched chunks, which only this generator can produce.
    const changes = await journal.countEntries(save.global.description.chunkShape.volume);
    return { save, disk, generation, journal: { changes, replayed: 0, bytes, loss: damage ?? error } };
  }
}

/**
 * Replays a journal, as far as it can be read, onto the save on another disk and commits the result there.
 * That save holds the journal's generation, or what a repair recovered of it. Regions with later clocks from
 * the repair keep them: clients must fetch those again.
 */
async function replayOnto(
  disk: Disk,
  journal: JournalReader,
  options: Pick<EngineOptions, "generators"> = {},
): Promise<ReplayedJournal> {
  const { save, writer, lock, settings } = await openWritable(
    disk,
    { ...options, allowUnknownGenerator: true },
    { newPack: true },
  );
  try {
    // Use the time of the save, so that replaying the same journal always produces the same bytes.
    const nowMs = save.manifest.lastModifiedMs;
    const content = contentOf(save, settings.state, options);
    const replayed = await replayReadable(journal, content, nowMs);
    const change = await content.completeSaveChange(nowMs);
    if (change !== undefined) await (await writer.commit(change)).close();
    return replayed;
  } finally {
    await releaseSave(save, { writer, lock });
  }
}

/** What a repair can recover from a damaged world's journal. */
export interface JournalRepair {
  /** Changes that can be replayed. */
  readonly changes: number;
  /** What is lost and why, one sentence each. */
  readonly losses: readonly string[];
  /** Replays these changes onto the repaired world. */
  applyTo(target: Disk): Promise<void>;
}

/** Reads the journal of a damaged world as far as possible and writes nothing. Rule J30. */
export async function planJournalRepair(
  disk: Disk,
  plan: RepairPlan,
  options: Pick<EngineOptions, "generators"> = {},
): Promise<JournalRepair> {
  const manifest = (await surveySave(disk)).manifest?.manifest;
  const generation = manifest?.currentGeneration ?? plan.generation ?? 0;
  const reading = <Value>(use: (journal: JournalReader) => Promise<Value>): Promise<Value> =>
    withReader(disk, { generation, global: plan.global, manifest: manifest ?? {} }, use);
  const losses: string[] = [];
  let changes = 0;
  try {
    await reading(async (journal) => {
      for (const path of journal.unknownSegments) {
        losses.push(`${path} belongs to an opening that the world no longer knows of`);
      }
      if (journal.found.damage !== undefined)
        losses.push(`${journal.found.damage.detail}; what follows is lost`);
      for await (const entries of journal.entries(plan.global.description.chunkShape.volume)) {
        changes += entries.length;
      }
    });
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    losses.push(`${error.detail}; what follows is lost`);
  }
  if (plan.generated === undefined && changes > 0) {
    losses.push(`${changes} changes to what a generator made that is not here`);
    changes = 0;
  }
  return {
    changes,
    losses,
    async applyTo(target) {
      if (changes > 0)
        await reading((journal): Promise<ReplayedJournal> => replayOnto(target, journal, options));
    },
  };
}

async function withReader<Value>(
  disk: Disk,
  base: Parameters<typeof JournalReader.open>[1],
  use: (journal: JournalReader) => Promise<Value>,
): Promise<Value> {
  const journal = await JournalReader.open(disk, base);
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}
