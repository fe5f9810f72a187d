import { type ErrorCode, isOrthantError, type OrthantError } from "@orthant/core";

/** What goes wrong with a disk, or with what was asked of it, and says nothing about the bytes on it. */
const TROUBLES: ReadonlySet<ErrorCode> = new Set([
  "ORT_DISK_FULL",
  "ORT_DISK_DENIED",
  "ORT_DISK_IO",
  "ORT_DISK_POISONED",
  "ORT_CLOSED",
  "ORT_EXISTS",
]);

/** Whether it is the bytes on the disk that are wrong, and not that they cannot be read or written now. */
export function isDamage(error: unknown): error is OrthantError {
  return isOrthantError(error) && !TROUBLES.has(error.code);
}
