import type { Disk } from "@orthant/disk";

/** Ends the name of a file that is not finished. */
export const TEMPORARY_SUFFIX = ".tmp";

/** Writes a file under its temporary name, durably but for the name. */
export async function writeTemporary(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = path + TEMPORARY_SUFFIX;
  await disk.remove(temporary);
  const file = await disk.open(temporary, "create");
  try {
    await file.append(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
