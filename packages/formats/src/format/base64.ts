const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(128);
for (const [value, letter] of [...LETTERS].entries()) VALUES[letter.charCodeAt(0)] = value;

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(start, start + 3);
    const group = (first << 16) | (second << 8) | third;
    const length = Math.min(3, bytes.length - start) + 1;
    for (let index = 0; index < 4; index++) {
      text += index < length ? LETTERS.charAt((group >> (18 - 6 * index)) & 0x3f) : "=";
    }
  }
  return text;
}

/** Decodes base64 without padding, of which the caller has checked the letters. Bits beyond the last byte do not count. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [bits, word, end] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    word = ((word << 6) | (VALUES[text.charCodeAt(at)] as number)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[end++] = (word >>> bits) & 0xff;
  }
  return bytes;
}

/** Decodes padded base64 that has no spare bits; `undefined` for any other text. */
export function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = decodeBase64(text.replace(/=+$/, ""));
  return encodeBase64(bytes) === text ? bytes : undefined;
}
