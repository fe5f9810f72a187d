import type { ErrorCode } from "@orthant/core";
import { type ErrorWrapper, errorWrapper } from "../port/wrap-errors.ts";

const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ["ENOENT", "ORT_NOT_FOUND"],
  ["ENOTDIR", "ORT_NOT_FOUND"],
  ["EEXIST", "ORT_EXISTS"],
  ["EISDIR", "ORT_ARGUMENT"],
  ["ENOSPC", "ORT_DISK_FULL"],
  ["EDQUOT", "ORT_DISK_FULL"],
  ["EFBIG", "ORT_DISK_FULL"],
  ["EACCES", "ORT_DISK_DENIED"],
  ["EPERM", "ORT_DISK_DENIED"],
  ["EBUSY", "ORT_DISK_DENIED"],
  ["EROFS", "ORT_DISK_DENIED"],
]);

/** Wraps calls into `node:fs`. */
export const wrapErrors: ErrorWrapper = errorWrapper((error) => CODES.get(systemCode(error)));

/** Returns the `code` of a system error, such as `ENOENT`; the empty string for any other value. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
