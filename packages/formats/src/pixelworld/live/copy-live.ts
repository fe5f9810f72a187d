import type { DiskFile } from "@orthant/disk";
import { readEntry } from "../version2/entry.ts";
import type { PixelIndex } from "../version2/table.ts";
import type { PixelSaveWriter } from "../writer.ts";

/**
 * Copies the entries that count into a new file, one by one. An entry whose checksum is wrong ends the copy: it must
 * not look whole.
 */
export async function copyLive(
  file: DiskFile,
  { chunks, bodies }: PixelIndex,
  target: PixelSaveWriter,
): Promise<void> {
  for (const { x, y, storage, offset, bytes } of chunks) {
    const { payload } = await readEntry(file, "chunk", offset, bytes);
    await target.addEncoded(x, y, { storage, payload });
  }
  for (const { id, x, y, offset, bytes } of bodies) {
    const { payload } = await readEntry(file, "body", offset, bytes);
    await target.addBodyRecord(id, x, y, payload);
  }
}
