/** Blocks of one box as numbers: 12 bits of id, 4 bits of data. */
export interface NumberedBlocks {
  readonly palette: readonly string[];
  readonly indices: Uint16Array;
}

const STATES = 65_536;
// Shared by all calls, which leave zeros behind.
const places = new Uint16Array(STATES);

/**
 * Collects the palette of blocks from before Minecraft 1.13, as `id:data`. `idAt` returns 0 to 4095, `dataAt` the data
 * of a block; only its low four bits count.
 */
export function numberBlocks(
  count: number,
  idAt: (index: number) => number,
  dataAt: (index: number) => number,
): NumberedBlocks {
  const palette: string[] = [];
  const states: number[] = [];
  const indices = new Uint16Array(count);
  for (let index = 0; index < count; index++) {
    const state = (idAt(index) << 4) | (dataAt(index) & 0x0f);
    let place = places[state] as number;
    if (place === 0) {
      states.push(state);
      palette.push(`${state >>> 4}:${state & 0x0f}`);
      place = palette.length;
      places[state] = place;
    }
    indices[index] = place - 1;
  }
  for (const state of states) places[state] = 0;
  return { palette, indices };
}

/** Returns half a byte: the low half belongs to the even index. */
export function nibbleAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index >>> 1] as number;
  return (index & 1) === 0 ? byte & 0x0f : byte >>> 4;
}
