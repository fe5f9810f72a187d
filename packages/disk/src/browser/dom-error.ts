import type { ErrorCode } from "@orthant/core";
import { type ErrorWrapper, errorWrapper } from "../port/wrap-errors.ts";
import { errorName } from "./access-handle.ts";

const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ["NotFoundError", "ORT_NOT_FOUND"],
  ["TypeMismatchError", "ORT_ARGUMENT"],
  // The browser rejects the name.
  ["TypeError", "ORT_PATH"],
  ["NoModificationAllowedError", "ORT_LOCKED"],
  ["QuotaExceededError", "ORT_DISK_FULL"],
  ["NotAllowedError", "ORT_DISK_DENIED"],
  ["SecurityError", "ORT_DISK_DENIED"],
]);

/** Wraps calls into the browser's file API. */
export const wrapErrors: ErrorWrapper = errorWrapper((error) => CODES.get(errorName(error)));
