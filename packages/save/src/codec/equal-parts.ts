/** Number of bytes sampled from a part before it is compared in full. */
const SAMPLES = 16;

/**
 * Returns whether any two parts of `bytes` are equal; each part extends from the end of the previous one to
 * its own end. Parts with equal samples are sorted and compared in full: a hostile file could make any cheap
 * hash collide, but cannot make sorting slow.
 */
export function hasEqualParts(bytes: Uint8Array, ends: readonly number[]): boolean {
  const alike = new Map<number, Uint8Array[]>();
  let start = 0;
  for (const end of ends) {
    const look = lookOf(bytes, start, end);
    const part = bytes.subarray(start, end);
    const others = alike.get(look);
    if (others === undefined) alike.set(look, [part]);
    else others.push(part);
    start = end;
  }
  for (const parts of alike.values()) if (parts.length > 1 && hasEqual(parts)) return true;
  return false;
}

function lookOf(bytes: Uint8Array, start: number, end: number): number {
  let look = end - start;
  const step = Math.max(1, Math.floor(look / SAMPLES));
  for (let at = start; at < end; at += step) look = (Math.imul(look, 31) + (bytes[at] as number)) | 0;
  return look;
}

function hasEqual(parts: readonly Uint8Array[]): boolean {
  const sorted = [...parts].sort(compareBytes);
  return sorted.some((part, index) => index > 0 && compareBytes(sorted[index - 1] as Uint8Array, part) === 0);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
