import { OrthantError } from "@orthant/core";

/** Returns the error for an edit or save of a closed or read-only world. */
export function refusal(reason: "closed" | "readOnly"): OrthantError {
  return reason === "closed"
    ? new OrthantError("ORT_CLOSED", "the world was closed")
    : new OrthantError("ORT_READ_ONLY", "the world was opened to be read only");
}
