/** Maps a signed integer to an unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3. Exact up to 2^52 either way. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** The inverse of {@link zigzag}. */
export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
