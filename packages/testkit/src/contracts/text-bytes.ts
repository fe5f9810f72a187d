/** Encodes text, which is more readable in a test than numbers. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Decodes text; no bytes are empty text. */
export function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
