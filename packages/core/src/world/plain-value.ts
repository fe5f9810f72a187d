import { copyBytes } from "../bytes/plain-bytes.ts";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";

/** The first byte of a value says what follows. */
const BYTES_KIND = 0;
const JSON_KIND = 1;
/** Length of what precedes the bytes or the JSON of a value. */
export const PLAIN_VALUE_HEAD_BYTES = 1;
/** Lists and objects inside each other. */
const DEPTH_MAX = 64;

/**
 * Encodes a value of a game: bytes as they are, everything else as JSON, behind one byte that says which. Throws
 * `ORT_ARGUMENT` for a value that JSON cannot hold, with its place and what to do. `name` is what errors call it.
 */
export function encodePlainValue(name: string, value: unknown): Uint8Array {
  const isBytes = value instanceof Uint8Array;
  if (!isBytes) requireJson(name, value, []);
  const content = isBytes ? value : encodeUtf8(jsonOf(name, value));
  const encoded = new Uint8Array(PLAIN_VALUE_HEAD_BYTES + content.length);
  encoded[0] = isBytes ? BYTES_KIND : JSON_KIND;
  encoded.set(content, PLAIN_VALUE_HEAD_BYTES);
  return encoded;
}

/** Returns the value that bytes encode; `undefined` if they encode none. */
export function decodePlainValue(encoded: Uint8Array): { readonly value: unknown } | undefined {
  const content = encoded.subarray(PLAIN_VALUE_HEAD_BYTES);
  if (encoded[0] === BYTES_KIND) return { value: copyBytes(content) };
  const text = encoded[0] === JSON_KIND ? decodeUtf8(content, 0, content.length) : undefined;
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Another program wrote something else; only that one can mend it.
    return undefined;
  }
}

function jsonOf(name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    // Only a value with getters or a proxy differs from what was checked.
    const detail = `${name} cannot be written as JSON: give plain data`;
    throw new OrthantError("ORT_ARGUMENT", detail, {}, { cause });
  }
}

/** JSON drops or changes some values silently; the reader must get what was written. */
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
    // By index, because a hole is not an element but becomes null.
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
