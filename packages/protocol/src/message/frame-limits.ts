import { OrthantError } from "@orthant/core";
import { FRAME_MESSAGES_MAX } from "./limits.ts";

/** Throws `ORT_LIMIT` for a frame of too many bytes. */
export function requireFrameBytes(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw new OrthantError("ORT_LIMIT", `a frame of ${bytes} bytes where at most ${bytesMax} may be`);
}

/** Throws `ORT_LIMIT` for a frame of too many messages. */
export function requireMessageCount(messages: number): void {
  if (messages <= FRAME_MESSAGES_MAX) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `${messages} messages in a frame where at most ${FRAME_MESSAGES_MAX} may be`,
  );
}
