import { QUAD_WORDS, type QuadList, quadCount } from "@orthant/mesh/volume";
import type { ViewPoint } from "./section-grid.ts";

/** Puts the farthest quads first. `eye` is in voxels from the section's corner. Returns whether that changed anything. */
export function sortQuads(quads: QuadList, eye: ViewPoint): boolean {
  const count = quadCount(quads);
  const distances = Float64Array.from({ length: count }, (_, index) => distanceOf(quads, index, eye));
  const order = Array.from({ length: count }, (_, index) => index);
  order.sort((a, b) => (distances[b] as number) - (distances[a] as number));
  if (order.every((from, to) => from === to)) return false;
  const before = quads.slice();
  for (const [to, from] of order.entries())
    quads.set(before.subarray(from * QUAD_WORDS, (from + 1) * QUAD_WORDS), to * QUAD_WORDS);
  return true;
}

/** Returns the square of a quad's distance: of the middle of its first voxel, on its side. */
function distanceOf(quads: QuadList, index: number, eye: ViewPoint): number {
  const place = quads[index * QUAD_WORDS] as number;
  const side = (place >>> 24) & 7;
  const outward = side % 2 === 0 ? 0.5 : -0.5;
  let sum = 0;
  for (let axis = 0; axis < 3; axis++) {
    const middle = ((place >>> (axis * 8)) & 255) + 0.5 + (side >> 1 === axis ? outward : 0);
    sum += (middle - (eye[axis] as number)) ** 2;
  }
  return sum;
}
