import { OrthantError } from "@orthant/core";
import { decodePlainValue, encodePlainValue } from "@orthant/core/world";
import { GAME_BYTES_MAX } from "./limits.ts";

/**
 * Returns the payload of a game message: bytes as they are, everything else as JSON. Throws `ORT_ARGUMENT` for a value
 * that JSON cannot hold, with its place and what to do, and `ORT_LIMIT` for one that is too long. Rule N39 in
 * docs/formats/protocol.md.
 */
export function encodeGameMessage(message: unknown): Uint8Array {
  const payload = encodePlainValue("the message", message);
  if (payload.length <= GAME_BYTES_MAX) return payload;
  const detail = `a message of ${payload.length - 1} bytes, the limit is ${GAME_BYTES_MAX - 1}: send it in parts`;
  throw new OrthantError("ORT_LIMIT", detail);
}

/** Returns the bytes or the JSON value of a payload, or `undefined` for a payload that has neither. */
export function gameMessageIn(payload: Uint8Array): { readonly message: unknown } | undefined {
  const found = decodePlainValue(payload);
  return found && { message: found.value };
}
