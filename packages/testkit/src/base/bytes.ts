/** Decodes hex digits; ignores spaces and line feeds. */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.replaceAll(/\s/g, "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Encodes bytes as hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Encodes text, which is more readable in a test than numbers. */
export function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Decodes text; no bytes are empty text. */
export function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
