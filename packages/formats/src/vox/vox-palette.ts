const COLOURS = 256;
const LEVELS = [0xff, 0xcc, 0x99, 0x66, 0x33, 0x00];
const RAMP = [0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11];

/** Returns the palette of files that have none: four bytes a colour, red first. Colour index i is at entry i - 1. */
export function defaultVoxPalette(): Uint8Array {
  const colours: (readonly [number, number, number])[] = [];
  for (const red of LEVELS)
    for (const green of LEVELS) for (const blue of LEVELS) colours.push([red, green, blue]);
  // The last of the cube is black, which comes first of all: as index 0, which is empty.
  colours.pop();
  for (const axis of [0, 1, 2, 3]) {
    for (const level of RAMP) {
      const at = (index: number): number => (axis === 3 || axis === index ? level : 0);
      colours.push([at(0), at(1), at(2)]);
    }
  }
  const palette = new Uint8Array(COLOURS * 4);
  for (const [entry, colour] of colours.entries()) palette.set([...colour, 0xff], entry * 4);
  return palette;
}

/** Bytes of a palette. */
export const VOX_PALETTE_BYTES: number = COLOURS * 4;
