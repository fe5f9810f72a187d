/** A tileset of a map. */
export interface TiledTileset {
  /** Global number of its first tile. */
  readonly firstTile: number;
  readonly name: string;
  /** File of its own, relative to the map. */
  readonly source: string | undefined;
  /** `undefined` if its file is missing. */
  readonly tileCount: number | undefined;
}

/** A tile of a map. */
export interface TiledTile {
  readonly tileset: TiledTileset;
  /** Its number in the tileset. */
  readonly id: number;
  /** Of `H` (flipped left to right), `V` (upside down), `D` (along the diagonal) and `R` (turned by 120 degrees). */
  readonly flips: string;
}

const FLIPS: readonly (readonly [bit: number, flip: string])[] = [
  [2 ** 31, "H"],
  [2 ** 30, "V"],
  [2 ** 29, "D"],
  [2 ** 28, "R"],
];

/** Returns the tile with a global number, of tilesets in their order; `undefined` for 0, which is an empty cell, and for numbers of no tileset. */
export function tiledTileOf(tilesets: readonly TiledTileset[], number: number): TiledTile | undefined {
  const id = number % 2 ** 28;
  let [low, high] = [0, tilesets.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tilesets[middle]?.firstTile ?? 0) <= id) low = middle + 1;
    else high = middle;
  }
  const tileset = tilesets[low - 1];
  if (id === 0 || tileset === undefined) return undefined;
  if (tileset.tileCount !== undefined && id - tileset.firstTile >= tileset.tileCount) return undefined;
  const flips = FLIPS.filter(([bit]) => Math.floor(number / bit) % 2 === 1).map(([, flip]) => flip);
  return { tileset, id: id - tileset.firstTile, flips: flips.join("") };
}
