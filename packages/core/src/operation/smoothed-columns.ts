import { AIR } from "../chunk/chunk.ts";
import { type Box, boxExtents } from "../lattice/box.ts";
import { type Dimensions, type Position, positionFrom } from "../lattice/position.ts";
import { placeInBox } from "./clipboard.ts";
import type { OperationWorld } from "./operation-world.ts";
import { grown } from "./selections.ts";

/** Columns that rise or sink until their surfaces are smooth. */
export interface SmoothedColumns {
  /** Returns by how much the surface of a column rises. */
  risesBy(x: number, z: number, w: number): number;
}

/** The world whose columns are smoothed. */
type SmoothedWorld = Pick<OperationWorld, "axes" | "reader" | "pause">;

/** Stands for the height of a column without a surface. */
const NO_SURFACE = Number.NaN;

/** Returns a box of voxels with all columns that decide how those of `box` become after some rounds. */
export function columnsAround(box: Box, rounds: number, dimensions: Dimensions): Box {
  const reach = positionFrom((axis) => (axis !== 1 && axis < dimensions ? rounds : 0));
  return grown(box, reach, reach);
}

/** Gives each column, once in each round, the mean height of the 3 x 3 around it that have a surface in the box. */
export async function smoothColumns(
  around: Box,
  rounds: number,
  world: SmoothedWorld,
): Promise<SmoothedColumns> {
  const { min } = around;
  const [extentX, , extentZ, extentW] = boxExtents(around);
  const extents: Position = [extentX, 1, extentZ, extentW];
  const before = await heightsIn(around, extents, world);
  let after = before;
  for (let round = 0; round < rounds; round++) after = await meanHeights(after, extents, world);
  return {
    risesBy: (x, z, w) => {
      const column = placeInBox(extents, [x - min[0], 0, z - min[2], w - min[3]]);
      const rise = Math.round(after[column] as number) - (before[column] as number);
      return Number.isNaN(rise) ? 0 : rise;
    },
  };
}

async function heightsIn({ min, max }: Box, extents: Position, world: SmoothedWorld): Promise<Float64Array> {
  const heights = new Float64Array(extents[0] * extents[2] * extents[3]).fill(NO_SURFACE);
  let column = 0;
  for (let w = min[3]; w < max[3]; w++)
    for (let z = min[2]; z < max[2]; z++)
      for (let x = min[0]; x < max[0]; x++, column++) {
        const paused = world.pause();
        if (paused !== undefined) await paused;
        for (let y = max[1] - 1; y >= min[1]; y--) {
          if (world.reader.block(x, y, z, w) === AIR) continue;
          heights[column] = y;
          break;
        }
      }
  return heights;
}

async function meanHeights(
  heights: Float64Array,
  extents: Position,
  world: SmoothedWorld,
): Promise<Float64Array> {
  const { dimensions } = world.axes;
  const [reachX, reachZ, reachW] = [1, dimensions > 2 ? 1 : 0, dimensions > 3 ? 1 : 0];
  const means = new Float64Array(heights.length);
  let column = 0;
  for (let w = 0; w < extents[3]; w++)
    for (let z = 0; z < extents[2]; z++) {
      const paused = world.pause();
      if (paused !== undefined) await paused;
      for (let x = 0; x < extents[0]; x++, column++)
        means[column] = Number.isNaN(heights[column]) ? NO_SURFACE : meanAround(x, z, w);
    }
  return means;

  function meanAround(x: number, z: number, w: number): number {
    let [sum, count] = [0, 0];
    for (let atW = Math.max(0, w - reachW); atW <= Math.min(extents[3] - 1, w + reachW); atW++)
      for (let atZ = Math.max(0, z - reachZ); atZ <= Math.min(extents[2] - 1, z + reachZ); atZ++)
        for (let atX = Math.max(0, x - reachX); atX <= Math.min(extents[0] - 1, x + reachX); atX++) {
          const height = heights[placeInBox(extents, [atX, 0, atZ, atW])] as number;
          if (Number.isNaN(height)) continue;
          sum += height;
          count++;
        }
    return sum / count;
  }
}
