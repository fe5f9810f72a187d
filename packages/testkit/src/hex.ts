/** Decodes hex digits; ignores spaces and line feeds. */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.replaceAll(/\s/g, "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Encodes bytes as hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
