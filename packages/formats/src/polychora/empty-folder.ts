import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";

/** Names that may be in the folder before a save is: a lock is taken first. */
const LOCK_NAME = /\.lock(?:~|$)/;

/** Throws `ORT_NOT_EMPTY` unless a save can be made here without touching what somebody else made. Rule S47. */
export async function requireEmptyFolder(disk: Disk): Promise<void> {
  const found = (await disk.list("")).filter(({ name }) => !LOCK_NAME.test(name));
  if (found.length === 0) return;
  const names = found.map(({ name }) => name).join(", ");
  throw new OrthantError("ORT_NOT_EMPTY", `nothing may be where a save is made, but there is ${names}`);
}
