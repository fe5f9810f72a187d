import type { Colour } from "./paint.ts";

/** Glyphs of three by five pixels, one digit per row, whose bits run from the left. */
const GLYPHS: Readonly<Record<string, string>> = {
  "0": "75557",
  "1": "26227",
  "2": "71747",
  "3": "71717",
  "4": "55711",
  "5": "74717",
  "6": "74757",
  "7": "71122",
  "8": "75757",
  "9": "75717",
  "-": "00700",
  "=": "07070",
  x: "05250",
  y: "05524",
  z: "07247",
  w: "55775",
};
const GLYPH_WIDTH = 3;
const GLYPH_HEIGHT = 5;

/** Height of a label at a scale of 1. */
export const LABEL_HEIGHT: number = GLYPH_HEIGHT;

/** Returns the width of a label at a scale of 1. */
export function labelWidth(text: string): number {
  return text.length * (GLYPH_WIDTH + 1) - 1;
}

/** Draws one row of a label into a row of pixels, starting at a column. */
export function drawLabelRow(
  pixels: Uint8Array,
  column: number,
  text: string,
  row: number,
  scale: number,
  colour: Colour,
): void {
  for (const [index, letter] of [...text].entries()) {
    const bits = Number(GLYPHS[letter]?.[Math.floor(row / scale)] ?? 0);
    for (let bit = 0; bit < GLYPH_WIDTH * scale; bit++) {
      if (((bits >> (GLYPH_WIDTH - 1 - Math.floor(bit / scale))) & 1) === 0) continue;
      pixels.set(colour, (column + index * (GLYPH_WIDTH + 1) * scale + bit) * 4);
    }
  }
}
