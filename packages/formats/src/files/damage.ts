import { type ErrorCode, isOrthantError, type OrthantError } from "@orthant/core";

/** Errors of a disk, or of a request to it, that say nothing about the bytes on it. */
const TROUBLES: ReadonlySet<ErrorCode> = new Set([
  "ORT_DISK_FULL",
  "ORT_DISK_DENIED",
  "ORT_DISK_IO",
  "ORT_DISK_POISONED",
  "ORT_CLOSED",
  "ORT_EXISTS",
]);

/**
 * Returns whether an error means wrong bytes on the disk, rather than that they cannot be read or written
 * now.
 */
export function isDamage(error: unknown): error is OrthantError {
  return isOrthantError(error) && !TROUBLES.has(error.code);
}
