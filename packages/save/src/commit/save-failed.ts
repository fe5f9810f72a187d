import { OrthantError } from "@orthant/core";

/** Returns the error for every edit and save after a failed save. */
export function saveFailed(cause: unknown): OrthantError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OrthantError(
    "ORT_SAVE_FAILED",
    `a save failed, so nothing more is accepted; what was saved before is safe: close the world and open it again (${reason})`,
    {},
    { cause },
  );
}
