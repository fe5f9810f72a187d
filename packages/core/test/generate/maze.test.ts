import { type ChunkShape, CUBE_CHUNKS, HYPERCUBE_CHUNKS, type Position, TILE_CHUNKS } from "@orthant/core";
import { generatorRef, type MazeParameters, mazeGenerator } from "@orthant/core/generate";
import { MAZE_STRIDE_VOXELS } from "@orthant/core/internal";
import {
  boxBetween,
  chunkOfVoxel,
  PositionSet,
  positionsMinorToMajor,
  voxelIndex,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { describe, expect, test } from "vitest";
import { openWorld } from "./sample-worlds.ts";

function mazeReader(
  parameters: MazeParameters,
  shape: ChunkShape,
  seed: bigint,
): (voxel: Position) => number {
  const space = openWorld({ ref: generatorRef(mazeGenerator, parameters, seed), shape });
  const tree = space.describe(WHOLE_LATTICE);
  return (voxel) => {
    const chunk = tree.at(...chunkOfVoxel(shape, voxel));
    return chunk !== undefined && "get" in chunk ? chunk.get(voxelIndex(shape, ...voxel)) : 0;
  };
}

/** Returns every voxel of air that is reachable from one without leaving a box. */
function reachableFrom(
  start: Position,
  [sizeX, sizeY, sizeZ, sizeW]: Position,
  read: (voxel: Position) => number,
): PositionSet {
  const reached = new PositionSet();
  const pending: Position[] = [start];
  reached.add(...start);
  for (let voxel = pending.pop(); voxel !== undefined; voxel = pending.pop()) {
    const [x, y, z, w] = voxel;
    const neighbours: readonly Position[] = [
      [x + 1, y, z, w],
      [x - 1, y, z, w],
      [x, y + 1, z, w],
      [x, y - 1, z, w],
      [x, y, z + 1, w],
      [x, y, z - 1, w],
      [x, y, z, w + 1],
      [x, y, z, w - 1],
    ];
    for (const next of neighbours) {
      const [nx, ny, nz, nw] = next;
      const isInside =
        nx >= 0 && ny >= 0 && nz >= 0 && nw >= 0 && nx < sizeX && ny < sizeY && nz < sizeZ && nw < sizeW;
      if (!isInside || reached.has(nx, ny, nz, nw) || read(next) !== 0) continue;
      reached.add(nx, ny, nz, nw);
      pending.push(next);
    }
  }
  return reached;
}

const sizeOf = (cells: Position, shape: ChunkShape): Position =>
  cells.map((count, axis) =>
    axis > 1 && shape.extents[axis] === 1 ? 1 : count * MAZE_STRIDE_VOXELS + 1,
  ) as unknown as Position;

describe("the maze generator", () => {
  test.each([
    { name: "four dimensions", shape: HYPERCUBE_CHUNKS, cells: [5, 3, 4, 4], braidPercent: 25 },
    { name: "four dimensions, perfect", shape: HYPERCUBE_CHUNKS, cells: [4, 2, 5, 3], braidPercent: 0 },
    { name: "three dimensions", shape: CUBE_CHUNKS, cells: [9, 4, 8, 8], braidPercent: 60 },
    { name: "two dimensions", shape: TILE_CHUNKS, cells: [21, 14, 3, 3], braidPercent: 10 },
  ])("connects the entrance with every cell and with the exit in $name", ({ shape, cells, braidPercent }) => {
    const parameters: MazeParameters = {
      origin: [0, 0, 0, 0],
      cells: cells as unknown as Position,
      braidPercent,
    };
    const size = sizeOf(parameters.cells, shape);
    const middle = (axis: 2 | 3) =>
      size[axis] === 1 ? 0 : ((cells[axis] ?? 0) >> 1) * MAZE_STRIDE_VOXELS + 2;
    for (const seed of [1n, 2n]) {
      const read = mazeReader(parameters, shape, seed);
      const wayIn: Position = [0, 2, middle(2), middle(3)];
      const wayOut: Position = [size[0] - 1, size[1] - 3, middle(2), middle(3)];
      expect([read(wayIn), read(wayOut)]).toEqual([0, 0]);
      const reached = reachableFrom(wayIn, size, read);
      expect(reached.has(...wayOut)).toBe(true);
      const rooms = boxBetween(
        [0, 0, 0, 0],
        size.map((length) => Math.max(1, (length - 1) / 4)) as unknown as Position,
      );
      for (const [x, y, z, w] of positionsMinorToMajor(rooms)) {
        const center: Position = [
          x * 4 + 2,
          y * 4 + 2,
          size[2] === 1 ? 0 : z * 4 + 2,
          size[3] === 1 ? 0 : w * 4 + 2,
        ];
        expect(reached.has(...center), `cell ${[x, y, z, w]}`).toBe(true);
      }
      expect(openingsIn(size, read), "the outer wall has two openings only").toBe(2);
    }
  });

  test("joins as many cells as a tree has branches without braiding, and more with it", () => {
    const count = (braidPercent: number) => {
      const parameters: MazeParameters = { origin: [0, 0, 0, 0], cells: [5, 4, 5, 1], braidPercent };
      return passagesIn(parameters, mazeReader(parameters, CUBE_CHUNKS, 9n));
    };
    expect(count(0)).toBe(5 * 4 * 5 - 1);
    expect(count(100)).toBeGreaterThan(5 * 4 * 5 + 5);
  });

  test("is finite, wherever it lies", () => {
    const parameters: MazeParameters = { origin: [-1001, 77, 30, -5], cells: [3, 2, 3, 3], braidPercent: 20 };
    const space = openWorld({ ref: generatorRef(mazeGenerator, parameters, 1n), shape: HYPERCUBE_CHUNKS });
    const bounds = space.contentBounds(WHOLE_LATTICE);
    expect(bounds).toEqual({ min: [-126, 9, 3, -1], max: [-123, 11, 6, 1] });
    expect(space.describe(WHOLE_LATTICE).bounds()).toEqual(bounds);
    expect(space.realize(-126, 9, 3, 2).isEmpty).toBe(true);
  });
});

/** Counts the voxels of air in the middle of the outer walls' cells. */
function openingsIn(size: Position, read: (voxel: Position) => number): number {
  let openings = 0;
  const axes = ([0, 1, 2, 3] as const).filter((axis) => size[axis] > 1);
  for (const [x, y, z, w] of positionsMinorToMajor(boxBetween([0, 0, 0, 0], size))) {
    const voxel = [x, y, z, w] as const;
    const onSides = axes.filter((axis) => voxel[axis] === 0 || voxel[axis] === size[axis] - 1);
    const isMiddle = axes.every((axis) => onSides.includes(axis) || voxel[axis] % MAZE_STRIDE_VOXELS === 2);
    if (onSides.length === 1 && isMiddle && read(voxel) === 0) openings++;
  }
  return openings;
}

/** Counts the pairs of joined cells of a maze in three dimensions. */
function passagesIn({ cells }: MazeParameters, read: (voxel: Position) => number): number {
  let passages = 0;
  for (const [x, y, z] of positionsMinorToMajor(boxBetween([0, 0, 0, 0], cells))) {
    const [atX, atY, atZ] = [x * 4 + 2, y * 4 + 2, z * 4 + 2];
    if (x + 1 < cells[0] && read([atX + 2, atY, atZ, 0]) === 0) passages++;
    if (y + 1 < cells[1] && read([atX, atY + 2, atZ, 0]) === 0) passages++;
    if (z + 1 < cells[2] && read([atX, atY, atZ + 2, 0]) === 0) passages++;
  }
  return passages;
}
