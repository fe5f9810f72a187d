import { AIR, type BlockCatalog } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { Band } from "./band.ts";

/** A colour: red, green, blue and opacity, 0 to 255 each. */
export type Colour = readonly [red: number, green: number, blue: number, opacity: number];

/** Share that a translucent voxel hides, and what each further one adds. */
const VEIL_SHARE = 0.55;
const VEIL_SHARE_PER_VOXEL = 0.05;
const VEIL_SHARE_MAX = 0.92;
/** Light comes from the upper left: slopes that face it are brighter, the others darker. */
const SLOPE_LIGHT = 0.085;
const SLOPE_MAX = 3;
/** Height also changes the light, up to the maximum at this distance from the middle, in voxels. */
const HEIGHT_SPAN = 48;
const HEIGHT_LIGHT = 0.22;
const LIGHT_MIN = 0.35;
const LIGHT_MAX = 1.45;

/** Turns visible voxels into colours. */
export class Painter {
  readonly #catalog: BlockCatalog;
  readonly #background: Colour;
  readonly #middle: number;
  readonly #isShaded: boolean;
  readonly #colours = new Map<number, Colour>();
  readonly #veils = new Map<number, boolean>();

  /** With a middle height the picture is shaded; without one, colours are exactly those of the catalog. */
  constructor(catalog: BlockCatalog, background: Colour, middle: number | undefined) {
    this.#catalog = catalog;
    this.#background = background;
    this.#middle = middle ?? 0;
    this.#isShaded = middle !== undefined;
  }

  /** Whether a block is translucent. Never in a cut, where nothing is behind. */
  readonly isVeil = (block: number): boolean =>
    getOrAdd(this.#veils, block, () => this.#isShaded && this.#catalog.isTransparent(block));

  /** Returns the colours of a band, four bytes per pixel. `before`: heights of the previous row, if any. */
  paint(band: Band, before: Int32Array | undefined): Uint8Array {
    const { width, rows } = band;
    const pixels = new Uint8Array(width * rows * 4);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < width; column++) {
        const pixel = row * width + column;
        const colour = this.#colourAt(band, pixel);
        const light = this.#isShaded && isSeen(band, pixel) ? this.#lightAt(band, row, column, before) : 1;
        for (let part = 0; part < 3; part++) {
          pixels[pixel * 4 + part] = Math.min(255, Math.round((colour[part] as number) * light));
        }
        pixels[pixel * 4 + 3] = colour[3];
      }
    }
    return pixels;
  }

  #colourAt(band: Band, pixel: number): Colour {
    const behind = this.#colourOf(band.blocks[pixel] as number);
    const veil = band.veils[pixel] as number;
    if (veil === AIR) return behind;
    const depth = (band.veilDepths[pixel] as number) - 1;
    const share = Math.min(VEIL_SHARE_MAX, VEIL_SHARE + depth * VEIL_SHARE_PER_VOXEL);
    const isGround = band.blocks[pixel] !== AIR;
    return isGround ? mix(behind, this.#colourOf(veil), share) : this.#colourOf(veil);
  }

  #lightAt(
    { width, heights, blocks, veils }: Band,
    row: number,
    column: number,
    before: Int32Array | undefined,
  ): number {
    const pixel = row * width + column;
    const height = heights[pixel] as number;
    const seen = (at: number): number =>
      blocks[at] === AIR && veils[at] === AIR ? NOTHING : (heights[at] as number);
    const left = column === 0 ? height : seen(pixel - 1);
    const above = row > 0 ? seen(pixel - width) : (before?.[column] ?? height);
    const slope = rise(height, left) + rise(height, above);
    const level = Math.max(-1, Math.min(1, (height - this.#middle) / HEIGHT_SPAN));
    return Math.max(LIGHT_MIN, Math.min(LIGHT_MAX, 1 + slope * SLOPE_LIGHT + level * HEIGHT_LIGHT));
  }

  #colourOf(block: number): Colour {
    if (block === AIR) return this.#background;
    return getOrAdd(this.#colours, block, () => opaque(this.#catalog.colourOf(block)));
  }
}

/** Height of a pixel where nothing is visible. */
const NOTHING = -0x8000_0000;

/** Returns the heights of the last row, for the next band. */
export function lastHeights({ width, rows, heights, blocks, veils }: Band): Int32Array {
  const first = (rows - 1) * width;
  return Int32Array.from({ length: width }, (_, column) => {
    const pixel = first + column;
    return blocks[pixel] === AIR && veils[pixel] === AIR ? NOTHING : (heights[pixel] as number);
  });
}

/** Converts a colour from 0xRRGGBB. */
export function opaque(colour: number): Colour {
  return [colour >>> 16, (colour >>> 8) & 0xff, colour & 0xff, 255];
}

/** Mixes `share` of the second colour into the first. */
export function mix(first: Colour, second: Colour, share: number): Colour {
  const part = (index: 0 | 1 | 2): number => Math.round(first[index] * (1 - share) + second[index] * share);
  return [part(0), part(1), part(2), Math.max(first[3], second[3])];
}

function isSeen({ blocks, veils }: Band, pixel: number): boolean {
  return blocks[pixel] !== AIR || veils[pixel] !== AIR;
}

/** Returns the rise from a neighbour, limited to what affects the light. */
function rise(height: number, neighbour: number): number {
  if (neighbour === NOTHING) return SLOPE_MAX / 2;
  return Math.max(-SLOPE_MAX, Math.min(SLOPE_MAX, height - neighbour));
}

/** Glyphs of three by five pixels, one digit per row, whose bits run from the left. */
const GLYPHS: ReadonlyMap<string, string> = new Map([
  ["0", "75557"],
  ["1", "26227"],
  ["2", "71747"],
  ["3", "71717"],
  ["4", "55711"],
  ["5", "74717"],
  ["6", "74757"],
  ["7", "71122"],
  ["8", "75757"],
  ["9", "75717"],
  ["-", "00700"],
  ["=", "07070"],
  ["x", "05250"],
  ["y", "05524"],
  ["z", "07247"],
  ["w", "55775"],
]);
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
    const bits = Number(GLYPHS.get(letter)?.[Math.floor(row / scale)] ?? 0);
    for (let bit = 0; bit < GLYPH_WIDTH * scale; bit++) {
      if (((bits >> (GLYPH_WIDTH - 1 - Math.floor(bit / scale))) & 1) === 0) continue;
      pixels.set(colour, (column + index * (GLYPH_WIDTH + 1) * scale + bit) * 4);
    }
  }
}
