import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { readManifest } from "../read/reader.ts";
import { type JournalBase, JournalReader } from "./journal-reader.ts";

/**
 * Opens the journal of the live generation beside a writer, which removes a segment once a later generation
 * contains it. Returns `undefined` if that has happened and the journal no longer belongs to this generation.
 */
export async function openLiveJournal(disk: Disk, base: JournalBase): Promise<JournalReader | undefined> {
  const isLive = async (): Promise<boolean> => {
    const { currentGeneration, journalEpoch } = (await readManifest(disk)).manifest;
    // A writer that closes removes the journal from the manifest first, then its files.
    return currentGeneration === base.generation && journalEpoch === base.manifest.journalEpoch;
  };
  try {
    const journal = await JournalReader.open(disk, base);
    // Checked when all files are open: they all existed as long as there was no later generation.
    if (await isLive()) return journal;
    await journal.close();
  } catch (error) {
    if (!isOrthantError(error) || (await isLive())) throw error;
  }
  return undefined;
}
