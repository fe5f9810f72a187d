import { decodeUtf8, encodeUtf8 } from "@orthant/core";

/** Clips a text to `bytesMax` bytes of UTF-8. Replaces what UTF-8 cannot represent by a question mark. */
export function clipText(text: string, bytesMax: number): string {
  const bytes = encodeUtf8(text.replace(/[\uD800-\uDFFF]/gu, "?"));
  let length = Math.min(bytes.length, bytesMax);
  // A cut inside a character moves back to its start.
  while (length < bytes.length && ((bytes[length] ?? 0) & 0xc0) === 0x80) length--;
  return decodeUtf8(bytes, 0, length) ?? "";
}
