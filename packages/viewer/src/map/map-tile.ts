import { AIR } from "@orthant/core";
import type { BlockAppearance } from "@orthant/mesh";
import { INVISIBLE, TRANSPARENT } from "@orthant/mesh/volume";

/** The visible voxels in each column of a tile, from above. */
export interface MapTileColumns {
  readonly width: number;
  readonly rows: number;
  /** The first block that is not air; air in an empty column. */
  readonly blocks: Uint16Array;
  /** The first opaque block below a translucent one. */
  readonly grounds: Uint16Array;
  /** The height of the first block, in voxels. */
  readonly heights: Int32Array;
}

/** Light comes from the upper left: slopes that face it are brighter, the others darker. */
const SLOPE_LIGHT = 0.09;
const SLOPE_MAX = 3;
const TRANSPARENT_SHARE = 0.6;
const LIGHT_MAX = 1.4;

/** Returns empty columns. */
export function emptyColumns(width: number, rows: number): MapTileColumns {
  const cells = width * rows;
  return {
    width,
    rows,
    blocks: new Uint16Array(cells),
    grounds: new Uint16Array(cells),
    heights: new Int32Array(cells),
  };
}

/** Adds a voxel to a column, below all voxels added before. Returns whether anything below it is visible. */
export function addVoxel(
  columns: MapTileColumns,
  cell: number,
  block: number,
  height: number,
  appearance: BlockAppearance,
): boolean {
  const kind = appearance.kinds[block];
  if (kind === INVISIBLE) return true;
  if (columns.blocks[cell] === AIR) {
    columns.blocks[cell] = block;
    columns.heights[cell] = height;
  }
  if (kind === TRANSPARENT) return true;
  columns.grounds[cell] = block;
  return false;
}

/** Returns the pixels of a tile, four bytes each. Without shading, they have the catalog's exact colours. */
export function paintMapTile(
  columns: MapTileColumns,
  appearance: BlockAppearance,
  isShaded: boolean,
): Uint8ClampedArray<ArrayBuffer> {
  const { width, rows, blocks, grounds, heights } = columns;
  const pixels = new Uint8ClampedArray(width * rows * 4);
  for (let cell = 0; cell < width * rows; cell++) {
    const block = blocks[cell] as number;
    if (block === AIR) continue;
    const colour = appearance.colours[block] as number;
    const ground = grounds[cell] as number;
    const isTransparent = isShaded && appearance.kinds[block] === TRANSPARENT && ground !== AIR;
    const light = isShaded ? lightAt(width, heights, blocks, cell) : 1;
    for (let part = 0; part < 3; part++) {
      const shift = 16 - part * 8;
      const own = (colour >>> shift) & 0xff;
      const below = ((appearance.colours[ground] as number) >>> shift) & 0xff;
      pixels[cell * 4 + part] =
        (isTransparent ? own * TRANSPARENT_SHARE + below * (1 - TRANSPARENT_SHARE) : own) * light;
    }
    pixels[cell * 4 + 3] = 255;
  }
  return pixels;
}

function lightAt(width: number, heights: Int32Array, blocks: Uint16Array, cell: number): number {
  const height = heights[cell] as number;
  const rise = (other: number): number => {
    if (blocks[other] === AIR) return 0;
    return Math.max(-SLOPE_MAX, Math.min(SLOPE_MAX, height - (heights[other] as number)));
  };
  const left = cell % width === 0 ? 0 : rise(cell - 1);
  const above = cell < width ? 0 : rise(cell - width);
  return Math.min(LIGHT_MAX, 1 + (left + above) * SLOPE_LIGHT);
}
