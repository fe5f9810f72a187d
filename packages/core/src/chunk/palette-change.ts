import { indexAt, indexBits } from "./packed-indices.ts";
import type { PaletteVoxels } from "./palette-voxels.ts";

/** The effect of a voxel change on a palette. */
export interface PaletteChange {
  readonly palette: Uint16Array;
  readonly firstPositions: Uint16Array;
  /** The new index of each old one; `undefined` when all keep their value and width. */
  readonly ranks: Uint16Array | undefined;
  /** The index of the voxel's new block in the new palette. */
  readonly newIndex: number;
}

/** Returns the palette after the voxel at a position changes from entry `oldIndex` to another block. */
export function changePalette(
  voxels: PaletteVoxels,
  position: number,
  oldIndex: number,
  block: number,
): PaletteChange {
  const { palette, firstPositions } = voxels;
  const found = palette.indexOf(block);
  const oldFirst = firstPositionWithout(voxels, oldIndex, position);
  if (found >= 0 && oldFirst === firstPositions[oldIndex] && (firstPositions[found] as number) < position) {
    return { palette, firstPositions, ranks: undefined, newIndex: found };
  }

  // A block that is new to the palette counts as the entry after the last.
  const entry = found < 0 ? palette.length : found;
  const newFirst = Math.min(position, firstPositions[entry] ?? position);
  const movers: Mover[] = [{ index: entry, first: newFirst, block }];
  if (oldFirst !== undefined) {
    movers.push({ index: oldIndex, first: oldFirst, block: palette[oldIndex] as number });
  }
  movers.sort((a, b) => a.first - b.first);
  return rankAgain(voxels, oldIndex, entry, movers);
}

/** A palette entry whose first position may have changed; all others keep their relative order. */
interface Mover {
  readonly index: number;
  readonly first: number;
  readonly block: number;
}

/** Merges the movers, ordered by first position, with the entries other than `oldIndex` and `entry`. */
function rankAgain(
  { palette: oldPalette, firstPositions: oldFirsts }: PaletteVoxels,
  oldIndex: number,
  entry: number,
  movers: readonly Mover[],
): PaletteChange {
  const oldLength = oldPalette.length;
  const staying = oldLength - (entry < oldLength ? 2 : 1);
  const palette = new Uint16Array(staying + movers.length);
  const firstPositions = new Uint16Array(palette.length);
  const ranks = new Uint16Array(Math.max(oldLength, entry + 1));
  let rank = 0;
  let isSame = indexBits(palette.length) === indexBits(oldLength);
  const add = (index: number, first: number, block: number): void => {
    palette[rank] = block;
    firstPositions[rank] = first;
    ranks[index] = rank;
    isSame &&= index === rank;
    rank++;
  };
  let moved = 0;
  for (let index = 0; index <= oldLength; index++) {
    const first = index < oldLength ? (oldFirsts[index] as number) : Number.POSITIVE_INFINITY;
    if (index === oldIndex || (index === entry && index < oldLength)) continue;
    for (let mover = movers[moved]; mover !== undefined && mover.first < first; mover = movers[++moved]) {
      add(mover.index, mover.first, mover.block);
    }
    if (index < oldLength) add(index, first, oldPalette[index] as number);
  }
  return { palette, firstPositions, ranks: isSame ? undefined : ranks, newIndex: ranks[entry] as number };
}

/** Returns where a palette entry first appears except at `position`; `undefined` if nowhere. */
function firstPositionWithout(
  { volume, firstPositions, bitWidth, indices }: PaletteVoxels,
  index: number,
  position: number,
): number | undefined {
  const first = firstPositions[index] as number;
  if (first !== position) return first;
  if (bitWidth === 0) return volume > 1 ? 1 : undefined;
  for (let next = position + 1; next < volume; next++) {
    if (indexAt(indices, bitWidth, next) === index) return next;
  }
  return undefined;
}
