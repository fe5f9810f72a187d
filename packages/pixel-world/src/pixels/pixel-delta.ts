/** Pixels of a chunk that differ from its generator's output. */
export interface PixelDelta {
  /** Indexes of the pixels, `y * edge + x`, ascending. */
  readonly positions: Uint32Array;
  /** Values of the pixels, one byte per layer. */
  readonly pixels: Uint8Array;
}

/** Returns the pixels of `after` that differ from `before`; both have the same length. */
export function pixelDelta(before: Uint8Array, after: Uint8Array, pixelBytes: number): PixelDelta {
  const count = after.length / pixelBytes;
  let changed = 0;
  const positions = new Uint32Array(count);
  for (let position = 0; position < count; position++) {
    if (differs(before, after, position * pixelBytes, pixelBytes)) positions[changed++] = position;
  }
  const pixels = new Uint8Array(changed * pixelBytes);
  for (let index = 0; index < changed; index++) {
    const from = (positions[index] as number) * pixelBytes;
    for (let byte = 0; byte < pixelBytes; byte++) {
      pixels[index * pixelBytes + byte] = after[from + byte] as number;
    }
  }
  return { positions: positions.slice(0, changed), pixels };
}

/** Applies a delta to the pixels of a chunk. */
export function applyDelta(chunk: Uint8Array, { positions, pixels }: PixelDelta, pixelBytes: number): void {
  for (let index = 0; index < positions.length; index++) {
    const to = (positions[index] as number) * pixelBytes;
    for (let byte = 0; byte < pixelBytes; byte++) {
      chunk[to + byte] = pixels[index * pixelBytes + byte] as number;
    }
  }
}

function differs(before: Uint8Array, after: Uint8Array, start: number, bytes: number): boolean {
  for (let at = start; at < start + bytes; at++) if (before[at] !== after[at]) return true;
  return false;
}
