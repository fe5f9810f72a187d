import { OrthantError } from "@orthant/core";
import type { WriterLock } from "@orthant/disk/files";

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

/** Returns the error for every commit after a failed one. */
export function commitFailed(cause: unknown): OrthantError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OrthantError("ORT_SAVE_FAILED", `an earlier commit failed: ${reason}`, {}, { cause });
}

/** Returns why a write failed. A writer that lost its lock finds its files gone; the loss explains more than that. */
export async function reasonOf(error: unknown, lock: WriterLock | undefined): Promise<unknown> {
  try {
    await lock?.requireHeld();
    return error;
  } catch (loss) {
    return loss;
  }
}
