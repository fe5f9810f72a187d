import { OrthantError } from "@orthant/core";

/** Returns the error for an edit or save of a closed or read-only world. */
export function refusal(reason: "closed" | "readOnly"): OrthantError {
  return reason === "closed"
    ? new OrthantError("ORT_CLOSED", "the world was closed")
    : new OrthantError("ORT_READ_ONLY", "the world was opened to be read only");
}

/** Returns the error for every edit and save after a failed save. */
export function poisoned(cause: unknown): OrthantError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OrthantError(
    "ORT_SAVE_POISONED",
    `a save failed, so nothing more is accepted; what was saved before is safe: close the world and open it again (${reason})`,
    {},
    { cause },
  );
}
