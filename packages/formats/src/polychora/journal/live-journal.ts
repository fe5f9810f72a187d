import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { readManifest } from "../reader.ts";
import { type JournalBase, JournalReader } from "./journal-reader.ts";

/**
 * Opens the journal of the live generation beside a writer, who removes a segment once a later generation has it;
 * `undefined` when that has happened, and the journal is no longer that of this generation.
 */
export async function openLiveJournal(disk: Disk, base: JournalBase): Promise<JournalReader | undefined> {
  const isLive = async (): Promise<boolean> => {
    const { currentGeneration, journalEpoch } = (await readManifest(disk)).manifest;
    // A writer that closes takes the journal out of the manifest, and then removes it.
    return currentGeneration === base.generation && journalEpoch === base.manifest.journalEpoch;
  };
  try {
    const journal = await JournalReader.open(disk, base);
    // Asked when all files are open: they were all there as long as no later generation was.
    if (await isLive()) return journal;
    await journal.close();
  } catch (error) {
    if (!isOrthantError(error) || (await isLive())) throw error;
  }
  return undefined;
}
