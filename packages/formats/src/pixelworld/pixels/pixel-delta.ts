/** Pixels of a chunk that differ from what its generator makes. */
export interface PixelDelta {
  /** Where they are, `y * edge + x`, ascending. */
  readonly positions: Uint32Array;
  /** What they are, as many bytes a pixel as there are layers. */
  readonly pixels: Uint8Array;
}

/** What has to be changed in `before` to get `after`; both have the same length. */
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

/** Makes the changes. */
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
