import { OrthantError } from "@orthant/core";

/** Returns the error for a record that finds no room. */
export function fullJournal(shard: string): OrthantError {
  const detail = `the journal of shard ${shard} is full, and NATS has no room for a larger one`;
  return new OrthantError("ORT_JOURNAL_FULL", detail);
}

/** Returns the error for a save that lacks records which the journal no longer has. */
export function oldSave(shard: string, checkpointed: number, first: number): OrthantError {
  return new OrthantError(
    "ORT_JOURNAL",
    `the save of shard ${shard} has the journal up to ${checkpointed}, which begins at ${first}: the save is older than the ` +
      "journal, as after a backup was copied into the shared folder. Restore backups with orthant cluster restore.",
  );
}

/** Returns the error for a change that has to wait for a save. */
export function unsavedJournal(shard: string): OrthantError {
  return new OrthantError(
    "ORT_JOURNAL_FULL",
    `the journal of shard ${shard} has no room before the next save`,
  );
}
