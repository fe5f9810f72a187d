import type { Box } from "@orthant/core";
import { boxExtents } from "@orthant/core/lattice";
import type { VolumePoint, VolumeSlice } from "@orthant/mesh/volume";

/**
 * Returns the light of a volume and its border from that of its voxels in the world, x fastest, then y, z and w. In a world
 * of two dimensions, faces look at what nothing lies before: there each voxel has the brightest light around it.
 */
export function volumeLight(
  light: Uint8Array,
  voxels: Box,
  { right, up, back }: VolumeSlice,
  [width, height, depth]: VolumePoint,
): Uint8Array {
  const extents = boxExtents(voxels);
  const [columns, rows, layers] = [width + 2, height + 2, depth + 2];
  const isFlat = extents[back] === 1;
  if (!isFlat && right < up && up < back) return light;
  const strides = [1, extents[0], extents[0] * extents[1], extents[0] * extents[1] * extents[2]] as const;
  const turned = new Uint8Array(columns * rows * layers);
  let at = 0;
  for (let b = 0; b < layers; b++)
    for (let u = 0; u < rows; u++)
      for (let r = 0; r < columns; r++) {
        turned[at++] = light[
          r * strides[right] + u * strides[up] + (isFlat ? 0 : b * strides[back])
        ] as number;
      }
  if (isFlat) brighten(turned.subarray(2 * columns * rows), light, columns, rows);
  return turned;
}

/** Gives each cell of a layer the brightest light around it. */
function brighten(layer: Uint8Array, light: Uint8Array, columns: number, rows: number): void {
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let [sky, block] = [0, 0];
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++)
        for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++) {
          const level = light[c + columns * r] as number;
          sky = Math.max(sky, level & 0xf0);
          block = Math.max(block, level & 0x0f);
        }
      layer[column + columns * row] = sky | block;
    }
}
