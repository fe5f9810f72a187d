import { OrthantError, wrongArgument } from "../error/orthant-error.ts";

// Available in all browsers and in Node, but not declared in ES2022's library.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: "utf-8",
  options: { fatal: true; ignoreBOM: true },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
// ignoreBOM keeps a leading U+FEFF: dropping it would give one string two encodings.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Up to this length a loop over ASCII beats the platform's coders, whose cost is the call. */
const SHORT_STRING_BYTES = 12;

/** Encodes text as UTF-8. Throws `ORT_ARGUMENT` on half a surrogate pair, which UTF-8 cannot hold. */
export function encodeUtf8(text: string): Uint8Array {
  if (typeof text !== "string") throw wrongArgument("the text", text, "it is a string");
  // With the u flag a whole pair is one code point outside this range, so only halves match.
  const lone = text.search(/[\uD800-\uDFFF]/u);
  if (lone >= 0) throw new OrthantError("ORT_ARGUMENT", `half a surrogate pair at index ${lone} of a string`);
  return encoder.encode(text);
}

/** Decodes `length` bytes of UTF-8 strictly. Returns `undefined` when they are not valid. */
export function decodeUtf8(bytes: Uint8Array, start: number, length: number): string | undefined {
  const short = length <= SHORT_STRING_BYTES ? decodeAscii(bytes, start, length) : undefined;
  if (short !== undefined) return short;
  try {
    return decoder.decode(bytes.subarray(start, start + length));
  } catch {
    // A TypeError is the decoder's only way to say "not UTF-8"; the caller knows the offset and reports it.
    return undefined;
  }
}

/** Whether the text is short and all ASCII, so that each character is one byte. */
export function isShortAscii(text: string): boolean {
  if (text.length > SHORT_STRING_BYTES) return false;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80) return false;
  }
  return true;
}

function decodeAscii(bytes: Uint8Array, start: number, length: number): string | undefined {
  let text = "";
  for (let offset = start; offset < start + length; offset++) {
    const byte = bytes[offset] ?? 0;
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}
