import type { ChunkShape } from "@orthant/core";
import type { Triple } from "../part/voxel-part.ts";
import type { ImportedChunk, ImportSource } from "./import-source.ts";
import { isAir } from "./imported-blocks.ts";
import { holdsBlocks } from "./imported-leaves.ts";

/** Pieces that are read in search of ground; a world of more that are empty is most likely empty. */
const PIECES_READ_MAX = 64;

/**
 * Returns a place on top of the ground near the middle of a world, for one that does not say where players begin. Nothing
 * of its piece is above it. Returns `undefined` for a world of air.
 */
export async function groundOf(source: ImportSource): Promise<Triple | undefined> {
  for (const piece of piecesFromMiddle(source).slice(0, PIECES_READ_MAX)) {
    const { chunks } = await source.readPiece(piece);
    const ground = groundIn(chunks, source);
    if (ground !== undefined) return ground;
  }
  return undefined;
}

/** Orders the pieces by their distance from the middle one, and those of one column from the top down. */
function piecesFromMiddle(source: ImportSource): readonly number[] {
  const placed = source.pieces.flatMap((_, piece) => {
    const place = source.boxOf(piece)?.min;
    return place === undefined ? [] : [{ piece, place }];
  });
  const distance = distanceFrom(placed.map(({ place }) => place));
  return placed
    .sort((a, b) => distance(a.place) - distance(b.place) || b.place[1] - a.place[1])
    .map(({ piece }) => piece);
}

function groundIn(chunks: readonly ImportedChunk[], { shape }: ImportSource): Triple | undefined {
  const solid = chunks.filter((chunk) => holdsBlocks(chunk.voxels, isAir));
  const distance = distanceFrom(solid.map(({ position }) => position));
  const [nearest] = solid.sort(
    (a, b) => distance(a.position) - distance(b.position) || b.position[1] - a.position[1],
  );
  return nearest && topOf(nearest, shape);
}

/** Returns the place on top of the column of a chunk that is nearest to its middle, and has blocks. */
function topOf(
  { position, voxels: { palette, indices } }: ImportedChunk,
  { extents, volume }: ChunkShape,
): Triple | undefined {
  const [width, height, depth] = extents;
  const isBlock = palette.map((state) => !isAir(state));
  const tops = new Map<number, number>();
  for (let at = volume - 1; at >= 0; at--) {
    const index = indices === undefined ? 0 : (indices[at] as number);
    const column = at % (width * depth);
    if (isBlock[index] === true && !tops.has(column)) tops.set(column, Math.floor(at / width / depth));
  }
  const fromMiddle = (column: number): number =>
    Math.hypot((column % width) + 0.5 - width / 2, Math.floor(column / width) + 0.5 - depth / 2);
  const [found] = [...tops].sort(([a], [b]) => fromMiddle(a) - fromMiddle(b));
  if (found === undefined) return undefined;
  const [column, y] = found;
  const z = position[2] * depth + Math.floor(column / width);
  // In the middle of a voxel, so that a player does not touch the next ones, which may be higher.
  return [
    position[0] * width + (column % width) + 0.5,
    position[1] * height + y + 1,
    depth === 1 ? z : z + 0.5,
  ];
}

/** Returns the distance from the middle one of these places, seen from above: a few that are far away do not count. */
function distanceFrom(places: readonly Triple[]): (place: Triple) => number {
  const [middleX, middleZ] = [0, 2].map((axis) => {
    const sorted = places.map((place) => place[axis] as number).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }) as [number, number];
  return ([x, , z]) => Math.hypot(x - middleX, z - middleZ);
}
