/** The bytes of a text, which say more in a test than numbers would. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The text that bytes are; none for no bytes. */
export function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
