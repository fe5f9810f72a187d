const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES: ReadonlyMap<string, number> = new Map(Array.from(LETTERS, (letter, value) => [letter, value]));

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

/** Decodes canonical base64, padded and without spare bits; `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = /={0,2}$/.exec(text)?.[0].length ?? 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let group = 0;
  for (let index = 0; index < text.length; index++) {
    const isPadding = index >= text.length - padding;
    const value = isPadding ? 0 : VALUES.get(text.charAt(index));
    if (value === undefined) return undefined;
    group = ((group << 6) | value) & 0xff_ffff;
    if (index % 4 !== 3) continue;
    const end = (index + 1) / 4;
    for (let byte = 0; byte < 3; byte++) {
      const at = (end - 1) * 3 + byte;
      const bits = (group >> (16 - 8 * byte)) & 0xff;
      if (at < bytes.length) bytes[at] = bits;
      else if (bits !== 0) return undefined;
    }
  }
  return bytes;
}
