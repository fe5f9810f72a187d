import type { Journal } from "../backbone/backbone.ts";
import { oldSave, type ShardLogOptions } from "./shard-log-options.ts";

/**
 * Gap between a lost journal and its replacement. It is wide enough that no node that knew the lost journal
 * can mistake its end for that of the new one. Rule K10.
 */
export const LOST_JOURNAL_GAP: number = 2 ** 30;

/** Opens the journal of a shard whose save has everything up to a sequence, or makes one in place of a lost one. */
export async function openShardJournal(options: ShardLogOptions, checkpointed: number): Promise<Journal> {
  const { backbone, maps, world, shard, events, sealed } = options;
  if (sealed !== undefined) return sealed;
  const found = await backbone.findJournal(world, shard);
  if (found !== undefined) {
    const { last } = await found.state();
    if (last >= checkpointed) return found;
    events?.onJournalLost?.(shard, `the journal ends at ${last}, and the save has all up to ${checkpointed}`);
    await backbone.removeJournal(world, shard);
  } else if (checkpointed > 0)
    events?.onJournalLost?.(shard, `there is no journal, and the save has all up to ${checkpointed}`);
  const isNew = found === undefined && checkpointed === 0;
  // A shard without an earlier owner has no splits to forget.
  if (options.inherited === undefined) await maps.cancelSplits();
  return backbone.journal(world, shard, isNew ? 1 : checkpointed + LOST_JOURNAL_GAP);
}

/** Returns the first record that the save lacks, of a journal that begins at `first`. */
export function firstToReplay(shard: string, checkpointed: number, first: number): number {
  // The replacement of a lost journal continues from exactly this generation.
  if (isReplacement(checkpointed, first)) return first;
  if (first > checkpointed + 1) throw oldSave(shard, checkpointed, first);
  return checkpointed + 1;
}

/** Returns true if a journal that begins at `first` replaces one that was lost since the save. */
export function isReplacement(checkpointed: number, first: number): boolean {
  return first === checkpointed + LOST_JOURNAL_GAP;
}
