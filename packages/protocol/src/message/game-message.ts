import { OrthantError } from "@orthant/core";
import { decodeUtf8, encodeUtf8 } from "@orthant/core/bytes";
import { wrongArgument } from "@orthant/core/engine";
import { GAME_BYTES_MAX } from "./limits.ts";

/** The first byte of a game message says what follows. Rule N39 in docs/formats/protocol.md. */
const BYTES_KIND = 0;
const JSON_KIND = 1;
/** Lists and objects inside each other. */
const DEPTH_MAX = 64;

/**
 * Returns the payload of a game message: bytes as they are, everything else as JSON. Throws `ORT_ARGUMENT` for a value
 * that JSON cannot hold, with its place and what to do, and `ORT_LIMIT` for one that is too long.
 */
export function encodeGameMessage(message: unknown): Uint8Array {
  const isBytes = message instanceof Uint8Array;
  if (!isBytes) requireJson("the message", message, []);
  const content = isBytes ? message : encodeUtf8(jsonOf(message));
  if (content.length >= GAME_BYTES_MAX) {
    const detail = `a message of ${content.length} bytes, where at most ${GAME_BYTES_MAX - 1} may be: send it in parts`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  const payload = new Uint8Array(1 + content.length);
  payload[0] = isBytes ? BYTES_KIND : JSON_KIND;
  payload.set(content, 1);
  return payload;
}

function jsonOf(message: unknown): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    // Only a value with getters or a proxy differs from what was checked.
    throw new OrthantError(
      "ORT_ARGUMENT",
      "the message cannot be written as JSON: send plain data",
      {},
      { cause },
    );
  }
}

/** Returns the bytes or the JSON value of a payload, or `undefined` for a payload that has neither. */
export function gameMessageIn(payload: Uint8Array): { readonly message: unknown } | undefined {
  const content = payload.subarray(1);
  if (payload[0] === BYTES_KIND) return { message: content.slice() };
  const text = payload[0] === JSON_KIND ? decodeUtf8(content, 0, content.length) : undefined;
  if (text === undefined) return undefined;
  try {
    return { message: JSON.parse(text) };
  } catch {
    // The other side sent something else than a message; only it can mend that.
    return undefined;
  }
}

/** JSON drops or changes some values silently; the other side must get what was sent. */
function requireJson(name: string, value: unknown, outer: readonly object[]): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (Number.isFinite(value)) return;
      throw wrongArgument(name, value, "JSON has no such number: send null or text");
    case "bigint":
      throw wrongArgument(name, value, "JSON has no bigint: send its text, String(value)");
    case "undefined":
      throw wrongArgument(name, value, "JSON has no undefined: leave it out, or send null");
    case "object":
      if (value !== null) requireJsonObject(name, value, outer);
      return;
    default:
      throw wrongArgument(name, value, "JSON cannot hold it: send data");
  }
}

function requireJsonObject(name: string, value: object, outer: readonly object[]): void {
  if (outer.includes(value)) {
    throw wrongArgument(name, value, "it contains itself: send data without cycles");
  }
  if (outer.length >= DEPTH_MAX) {
    throw wrongArgument(name, value, `it is nested more than ${DEPTH_MAX} deep: send flatter data`);
  }
  const inner = [...outer, value];
  if (Array.isArray(value)) {
    // By index, because a hole is no element but becomes null.
    for (let index = 0; index < value.length; index++) requireJson(`${name}[${index}]`, value[index], inner);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (ArrayBuffer.isView(value) || (prototype !== Object.prototype && prototype !== null)) {
    const kind = value.constructor?.name ?? "object";
    throw wrongArgument(
      name,
      value,
      `JSON has no ${kind}: send a plain object, a list, or only a Uint8Array`,
    );
  }
  for (const [field, item] of Object.entries(value)) requireJson(`${name}.${field}`, item, inner);
}
