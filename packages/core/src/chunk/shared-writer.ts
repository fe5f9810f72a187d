import { ByteWriter } from "../bytes/byte-writer.ts";

/** Encoded chunks share arrays of this size: making one for each chunk takes longer than filling it. */
const SHARED_BYTES = 65_536;
/** What may be longer gets an array of its own. */
const LONG_BYTES = SHARED_BYTES / 4;

let shared = new ByteWriter(SHARED_BYTES);

/** Returns a writer with room for `bytes` more behind what others have written, so that it keeps its array. */
export function sharedWriter(bytes: number): ByteWriter {
  if (bytes > LONG_BYTES) return new ByteWriter(bytes);
  if (shared.length + bytes > SHARED_BYTES) shared = new ByteWriter(SHARED_BYTES);
  return shared;
}
