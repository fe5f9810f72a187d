import { isOrthantError, OrthantError } from "@orthant/core";
import type { Journal } from "../backbone/backbone.ts";
import { decodeShardRecord, type ShardRecord } from "../shard/shard-record.ts";

/** Called for a message in a journal that no owner wrote. It is not replayed, and the journal goes on behind it. */
export type ForeignRecordListener = (sequence: number, error: unknown) => void;

/** What a record is checked against. */
interface RecordCheck {
  /** Voxels per chunk. */
  readonly volume: number;
  /** The latest term that an owner can have had when it wrote the record. */
  readonly termMax: number;
}

/** Messages read at once. */
const READ_RECORDS = 256;

/**
 * Decodes a record. Returns the error instead if no owner can have written the message: it is not a record, or from a term
 * that has not begun. Throws `ORT_VERSION` for a record of a newer version, which must not be passed over. Rule K43.
 */
export function decodeOwned(bytes: Uint8Array, { volume, termMax }: RecordCheck): ShardRecord | OrthantError {
  try {
    const record = decodeShardRecord(bytes, volume);
    if (record.term <= termMax) return record;
    return new OrthantError("ORT_CLOCK", `a record of term ${record.term} in term ${termMax}`);
  } catch (error) {
    if (!isOrthantError(error) || error.code === "ORT_VERSION") throw error;
    return error;
  }
}

/**
 * Returns the end of a journal if everything in it from a sequence on is foreign; `undefined` if an owner has written
 * there, or may have, because the messages are gone.
 */
export async function endOfForeign(
  journal: Journal,
  from: number,
  check: RecordCheck,
  onForeign: ForeignRecordListener | undefined,
): Promise<number | undefined> {
  try {
    return await readForeign(journal, from, check, onForeign);
  } catch (error) {
    // A newer owner has trimmed or replaced the journal.
    if (isOrthantError(error, "ORT_JOURNAL")) return undefined;
    throw error;
  }
}

async function readForeign(
  journal: Journal,
  from: number,
  check: RecordCheck,
  onForeign: ForeignRecordListener | undefined,
): Promise<number | undefined> {
  const { first, last } = await journal.state();
  if (first > from || last < from) return undefined;
  const found: [sequence: number, error: OrthantError][] = [];
  for (let next = from; next <= last; next += READ_RECORDS) {
    for await (const { sequence, bytes } of journal.read(next, Math.min(last, next + READ_RECORDS - 1))) {
      const record = decodeOwned(bytes, check);
      if (!(record instanceof OrthantError)) return undefined;
      found.push([sequence, record]);
    }
  }
  for (const [sequence, error] of found) onForeign?.(sequence, error);
  return last;
}
