import { boxContainsBox, boxesIntersect, OrthantError, requireInteger, U16_MAX } from "@orthant/core";
import type { Octree } from "./octree.ts";
import { boxOfCube, childCube, type OctreeBox, type OctreeCube } from "./octree-boxes.ts";

/**
 * Content of a cube: one value, the values of all its voxels, x running fastest, or `undefined` to look at
 * its eight parts.
 */
export type CubeContent = number | Uint16Array | undefined;

/**
 * Builds the octree with the fewest nodes for a cube with this edge, a power of two. Calls `contentOf` for
 * the cube and, where it returns `undefined`, for its eight parts, and so on. A cube of one voxel must have a
 * value. Branches get the value 0, as in the game.
 */
export function buildOctree(edge: number, contentOf: (cube: OctreeCube) => CubeContent): Octree {
  return flatten(build({ x: 0, y: 0, z: 0, edge }, contentOf));
}

/**
 * Builds the octree of boxes in a cube with this edge, a power of two. Each voxel gets the value of the last
 * box that contains it, else `fill`.
 */
export function octreeOfBoxes(boxes: readonly OctreeBox[], edge: number, fill: number): Octree {
  const within = (cube: OctreeCube, candidates: readonly OctreeBox[]): Built => {
    const box = boxOfCube(cube);
    const touching = candidates.filter((candidate) => boxesIntersect(candidate.box, box));
    const last = touching.at(-1);
    if (last === undefined) return fill;
    if (boxContainsBox(last.box, box)) return last.value;
    return joined(Array.from({ length: 8 }, (_, child) => within(childCube(cube, child), touching)));
  };
  return flatten(within({ x: 0, y: 0, z: 0, edge }, boxes));
}

/** A leaf is represented by its value. */
type Built = number | readonly Built[];

function build(cube: OctreeCube, contentOf: (cube: OctreeCube) => CubeContent): Built {
  const content = contentOf(cube);
  if (content === undefined) {
    if (cube.edge <= 1) throw new OrthantError("ORT_ARGUMENT", "a voxel without a value");
    return joined(Array.from({ length: 8 }, (_, child) => build(childCube(cube, child), contentOf)));
  }
  if (typeof content !== "number") return buildVoxels(content, cube.edge);
  requireInteger(content, 0, U16_MAX);
  return content;
}

/** Works from the bottom up: on each level, eight neighbours become one. */
function buildVoxels(voxels: Uint16Array, edge: number): Built {
  requireInteger(voxels.length, edge ** 3, edge ** 3);
  let level: ArrayLike<Built> = voxels;
  for (let size = edge; size > 1; size /= 2) {
    const above: Built[] = [];
    for (let z = 0; z < size; z += 2)
      for (let y = 0; y < size; y += 2)
        for (let x = 0; x < size; x += 2) above.push(joinedAt(level, x + size * (y + size * z), size));
    level = above;
  }
  return level[0] as Built;
}

/** Joins the eight nodes from an index on, which is that of the lowest of them. */
function joinedAt(level: ArrayLike<Built>, index: number, size: number): Built {
  const first = level[index] as Built;
  const cell = (child: number): Built =>
    level[index + (child >> 2) + ((child >> 1) & 1) * size + (child & 1) * size * size] as Built;
  if (typeof first === "number") {
    let child = 1;
    while (child < 8 && cell(child) === first) child++;
    if (child === 8) return first;
  }
  return [first, cell(1), cell(2), cell(3), cell(4), cell(5), cell(6), cell(7)];
}

/** Joins eight leaves of one value into one leaf. */
function joined(children: readonly Built[]): Built {
  const [first] = children;
  return typeof first === "number" && children.every((child) => child === first) ? first : children;
}

function flatten(root: Built): Octree {
  const nodes: Built[] = [root];
  const firstChildren: number[] = [];
  let depth = 0;
  let levelEnd = 1;
  for (let node = 0; node < nodes.length; node++) {
    if (node === levelEnd) {
      depth++;
      levelEnd = nodes.length;
    }
    const built = nodes[node] as Built;
    firstChildren.push(typeof built === "number" ? 0 : nodes.length);
    if (typeof built !== "number") nodes.push(...built);
  }
  const values = Uint16Array.from(nodes, (built) => (typeof built === "number" ? built : 0));
  return { values, firstChildren: Uint32Array.from(firstChildren), depth };
}
