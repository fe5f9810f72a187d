/**
 * Returns the same memory as a plain `Uint8Array`. Node's `Buffer` is a subclass whose `slice` makes no copy.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.constructor === Uint8Array) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns a copy as a plain `Uint8Array`, of a `Buffer`, too. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return plainBytes(bytes).slice();
}
