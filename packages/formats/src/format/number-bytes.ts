/** Returns numbers of 16 bits, the high byte first. */
export function bigHalves(...values: readonly number[]): Uint8Array {
  return bytesOf(values, 2, (view, at, value) => view.setUint16(at, value));
}

/** Returns numbers of 32 bits, the high byte first. */
export function bigWords(...values: readonly number[]): Uint8Array {
  return bytesOf(values, 4, (view, at, value) => view.setUint32(at, value));
}

/** Returns numbers of 32 bits, the low byte first. */
export function littleWords(...values: readonly number[]): Uint8Array {
  return bytesOf(values, 4, (view, at, value) => view.setUint32(at, value, true));
}

function bytesOf(
  values: readonly number[],
  width: number,
  set: (view: DataView, at: number, value: number) => void,
): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * width));
  for (const [index, value] of values.entries()) set(view, index * width, value);
  return new Uint8Array(view.buffer);
}
