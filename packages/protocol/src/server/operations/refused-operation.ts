import { isOrthantError } from "@orthant/core";
import { DETAIL_BYTES_MAX } from "../../message/limits.ts";
import type { ExceededLimit, OperationOutcome, OperationRefusal } from "../../message/operation-message.ts";
import { clipText } from "../../message/sendable.ts";
import { RefusedEdit } from "../edits/edit-checks.ts";

/** Thrown when a player may not do an operation. */
export class RefusedOperation extends Error {
  readonly reason: OperationRefusal;
  readonly exceeded: readonly ExceededLimit[];

  constructor(reason: OperationRefusal, detail: string, exceeded: readonly ExceededLimit[] = []) {
    super(detail);
    this.reason = reason;
    this.exceeded = exceeded;
  }
}

/** Returns the outcome of a request that failed. */
export function refusal(error: unknown): OperationOutcome {
  if (error instanceof RefusedOperation) return refused(error.reason, error.message, error.exceeded);
  if (error instanceof RefusedEdit) return refused("vetoed", error.rejection.detail);
  if (isOrthantError(error, "ORT_ARGUMENT", "ORT_POSITION_RANGE")) return refused("operation", error.detail);
  if (isOrthantError(error, "ORT_LIMIT")) return refused("limit", error.detail);
  if (isOrthantError(error, "ORT_EDIT_REPEAT")) return refused("forgotten", error.detail);
  // Only the code, because a nested error may name files of the server.
  return refused("world", isOrthantError(error) ? error.code : "it failed");
}

function refused(
  reason: OperationRefusal,
  detail: string,
  exceeded: readonly ExceededLimit[] = [],
): OperationOutcome {
  return { kind: "refused", reason, detail: clipText(detail, DETAIL_BYTES_MAX), exceeded };
}
