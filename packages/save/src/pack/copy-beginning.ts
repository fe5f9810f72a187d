import type { Disk, DiskFile } from "@orthant/disk";

/** Number of bytes held in memory at once. */
const PIECE_BYTES = 1024 * 1024;

/**
 * Copies the first `length` bytes of an open file to a new file on another disk and syncs it. The name is not
 * durable yet.
 */
export async function copyBeginning(
  from: DiskFile,
  target: Disk,
  path: string,
  length: number,
): Promise<void> {
  const to = await target.open(path, "create");
  try {
    for (let offset = 0; offset < length; offset += PIECE_BYTES) {
      await to.append(await from.readAt(offset, Math.min(PIECE_BYTES, length - offset)));
    }
    await to.sync();
  } finally {
    await to.close();
  }
}
