import { decodeUtf8, encodeUtf8 } from "@orthant/core";

/** As much of a text as fits into so many bytes of UTF-8. What UTF-8 cannot hold becomes a question mark. */
export function clipText(text: string, bytesMax: number): string {
  const bytes = encodeUtf8(text.replace(/[\uD800-\uDFFF]/gu, "?"));
  let length = Math.min(bytes.length, bytesMax);
  // A cut in the middle of a letter goes back to where the letter begins.
  while (length < bytes.length && ((bytes[length] ?? 0) & 0xc0) === 0x80) length--;
  return decodeUtf8(bytes, 0, length) ?? "";
}
