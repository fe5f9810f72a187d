/**
 * Returns the same memory as a plain `Uint8Array`. Node's `Buffer` is a subclass whose `slice` makes no copy.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.constructor === Uint8Array) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the bytes of all parts, one after the other. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}

/** Returns a copy as a plain `Uint8Array`, of a `Buffer`, too. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return plainBytes(bytes).slice();
}
