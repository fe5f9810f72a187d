import {
  decodeQuad,
  type QuadList,
  quadCount,
  SIDE_FRAMES,
  type SideFrame,
  type Volume,
} from "@orthant/mesh/volume";
import type { VertexMesh } from "./greedy-mesher.ts";

/** Numbers of a surface for each voxel of a volume: one for each side. */
const SIDES = 6;

/** For each voxel and side of a volume: 256 for each face there, plus the light at its corners, two bits each. */
export type Surface = Int32Array;

/** Returns the faces of voxels that quads of cubes cover. */
export function surfaceOfQuads(quads: QuadList, size: Volume["size"]): Surface {
  const surface = new Int32Array(size[0] * size[1] * size[2] * SIDES);
  for (let index = 0; index < quadCount(quads); index++) {
    const { voxel, side, width, height, corners } = decodeQuad(quads, index);
    const { right, up } = SIDE_FRAMES[side] as SideFrame;
    const extent: [number, number, number] = [1, 1, 1];
    extent[right] = width;
    extent[up] = height;
    mark(surface, size, voxel, extent, side, corners);
  }
  return surface;
}

/** Returns the faces of voxels that the quads of the mesher of earlier versions cover. */
export function surfaceOfVertices({ positions }: VertexMesh, size: Volume["size"]): Surface {
  const surface = new Int32Array(size[0] * size[1] * size[2] * SIDES);
  for (let quad = 0; quad < positions.length; quad += 16) {
    const side = (positions[quad + 3] as number) & 7;
    const low: [number, number, number] = [Infinity, Infinity, Infinity];
    const high: [number, number, number] = [0, 0, 0];
    for (let at = quad; at < quad + 16; at += 4)
      for (const axis of [0, 1, 2] as const) {
        low[axis] = Math.min(low[axis], positions[at + axis] as number);
        high[axis] = Math.max(high[axis], positions[at + axis] as number);
      }
    const corners = [0, 0, 0, 0];
    for (let at = quad; at < quad + 16; at += 4) {
      const light = ((positions[at + 3] as number) >> 3) & 3;
      corners[cornerAt(positions.subarray(at, at + 3), low, side)] = light;
    }
    const axis = (side >> 1) as 0 | 1 | 2;
    if (side % 2 === 0) low[axis]--;
    high[axis] = low[axis] + 1;
    const extent = [high[0] - low[0], high[1] - low[1], high[2] - low[2]] as const;
    mark(surface, size, low, extent, side, corners);
  }
  return surface;
}

/** Describes the first face in which two surfaces differ; `undefined` if they are equal. */
export function surfaceDifference(got: Surface, wanted: Surface, size: Volume["size"]): string | undefined {
  for (let at = 0; at < wanted.length; at++) {
    if (got[at] === wanted[at]) continue;
    const voxel = Math.floor(at / SIDES);
    const [x, y] = [voxel % size[0], Math.floor(voxel / size[0]) % size[1]];
    const place = [x, y, Math.floor(voxel / size[0] / size[1])];
    return `side ${at % SIDES} of voxel [${place}] of ${size}: got ${got[at]?.toString(16)}, wanted ${wanted[at]?.toString(16)}`;
  }
  return undefined;
}

/** Returns which corner of a face lies at a point: the lower left one as seen from outside is 0, then counterclockwise. */
function cornerAt(point: ArrayLike<number>, low: readonly number[], side: number): number {
  const { right, rightSign, up, upSign } = SIDE_FRAMES[side] as SideFrame;
  const isRight = (point[right] as number) > (low[right] as number) === rightSign > 0;
  const isUpper = (point[up] as number) > (low[up] as number) === upSign > 0;
  return isUpper ? (isRight ? 2 : 3) : isRight ? 1 : 0;
}

function mark(
  surface: Surface,
  size: Volume["size"],
  low: readonly [number, number, number],
  extent: readonly [number, number, number],
  side: number,
  corners: readonly number[],
): void {
  const light = corners.reduce((sum, corner, index) => sum | (corner << (index * 2)), 0);
  for (let z = low[2]; z < low[2] + extent[2]; z++)
    for (let y = low[1]; y < low[1] + extent[1]; y++)
      for (let x = low[0]; x < low[0] + extent[0]; x++) {
        const at = (x + size[0] * (y + size[1] * z)) * SIDES + side;
        surface[at] = (surface[at] as number) + 256 + light;
      }
}
