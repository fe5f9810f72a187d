import { OrthantError } from "@orthant/core";
import type { WorldEngine } from "@orthant/world/engine";
import type { Journal } from "../backbone/backbone.ts";
import { Retries } from "../backbone/retries.ts";
import { LOST_JOURNAL_GAP } from "./open-journal.ts";
import { ShardLog } from "./shard-log.ts";
import { requireHeld, type ShardLogOptions } from "./shard-log-options.ts";

/**
 * Replaces a journal that was sealed, into which no owner can write any more: saves everything in it, removes it, and begins
 * a new one. The caller must hold the shard's folder. If this process ends after the removal, the next owner takes the
 * journal for lost, and loses nothing, because the save has it. Rule K72.
 */
export async function replaceSealedJournal(
  options: ShardLogOptions,
  open: (log: ShardLog) => Promise<WorldEngine>,
): Promise<void> {
  const { backbone, world, shard, time, events } = options;
  const retries = new Retries(time, (error, waitedMs) => events?.onStuck?.(shard, error, waitedMs));
  const found = await retries.until(() => backbone.findJournal(world, shard));
  const state = found && (await retries.until(() => found.state()));
  if (found === undefined || state?.isSealed !== true) return;
  const log = new ShardLog({ ...options, sealed: readOnly(found) });
  const saved = await open(log);
  try {
    // Saves even if only what is known about other shards has changed.
    saved.touch();
    await saved.save();
  } finally {
    await saved.close();
  }
  await requireHeld(options);
  await retries.until(() => backbone.removeJournal(world, shard));
  await retries.until(() => backbone.journal(world, shard, log.checkpointed + LOST_JOURNAL_GAP));
  const detail = `the journal of shard ${shard} was sealed, which no node does: all of it is saved, and a new one begins`;
  events?.onForeign?.(shard, new OrthantError("ORT_JOURNAL", detail));
}

/** Returns a journal that takes no records. No other owner can write to it either, so the end stays where it is. */
function readOnly(journal: Journal): Journal {
  return {
    state: () => journal.state(),
    read: (from, to) => journal.read(from, to),
    append: async (_records, expectedLast) => ({ kind: "stored", last: expectedLast }),
    trim: async () => undefined,
    reserve: async (bytes) => bytes,
  };
}
