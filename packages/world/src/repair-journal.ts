import { isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { JournalReader, type RepairPlan, surveySave } from "@orthant/save";
import type { ReplayedJournal } from "./journal/replay.ts";
import { replayOnto } from "./save-with-journal.ts";

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
export async function planJournalRepair(disk: Disk, plan: RepairPlan): Promise<JournalRepair> {
  const manifest = (await surveySave(disk)).manifest?.manifest;
  const generation = manifest?.currentGeneration ?? plan.generation ?? 0;
  const reading = <Value>(use: (journal: JournalReader) => Promise<Value>): Promise<Value> =>
    withJournal(disk, { generation, global: plan.global, manifest: manifest ?? {} }, use);
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
      if (changes > 0) await reading((journal): Promise<ReplayedJournal> => replayOnto(target, journal));
    },
  };
}

async function withJournal<Value>(
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
