import type { Disk } from "@orthant/disk";
import { openLiveJournal, type Save } from "@orthant/formats";
import { formatAmount, formatBytes } from "./format.ts";

/** What the journal beside a generation has that the generation does not. */
export interface JournalFacts {
  readonly changes: number;
  readonly bytes: number;
  /** What is wrong with what follows. */
  readonly damage: string | null;
}

/** Counts what waits in the journal; `null` when it became part of a later generation meanwhile. */
export async function journalFacts(disk: Disk, save: Save): Promise<JournalFacts | null> {
  const journal = await openLiveJournal(disk, save);
  if (journal === undefined) return null;
  try {
    const changes = await journal.countEntries(save.global.description.chunkShape.volume);
    return { changes, bytes: journal.bytes, damage: journal.found.damage?.message ?? null };
  } finally {
    await journal.close();
  }
}

/** The same in a line; `undefined` when there is nothing to say. */
export function describeJournal(facts: JournalFacts | null): string | undefined {
  if (facts === null || (facts.changes === 0 && facts.damage === null)) return undefined;
  const { changes, bytes, damage } = facts;
  const waiting = `${formatAmount(changes, "change")} since the generation, ${formatBytes(bytes)}`;
  return damage === null ? waiting : `${waiting}, then damaged: ${damage}`;
}
