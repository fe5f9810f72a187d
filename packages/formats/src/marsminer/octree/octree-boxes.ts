import type { Box } from "@orthant/core";
import { OCTREE_CHILDREN, type Octree } from "./octree.ts";

/**
 * Voxels of one value. The box is relative to the corner of the octree's cube; on the fourth axis it is one
 * thick.
 */
export interface OctreeBox {
  readonly box: Box;
  readonly value: number;
}

/** A cube inside that of an octree, given by its corner and edge. */
export interface OctreeCube {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly edge: number;
}

/**
 * Yields the leaves of an octree over a cube of voxels with this edge, as boxes, each once. Takes one step
 * per node.
 */
export function* octreeBoxes(octree: Octree, edge: number): Generator<OctreeBox> {
  for (const { node, cube } of leavesBelow(octree, 0, { x: 0, y: 0, z: 0, edge })) {
    yield { box: boxOfCube(cube), value: octree.values[node] as number };
  }
}

/** Returns the value of the voxel at a position in the cube of an octree. */
export function octreeVoxel(octree: Octree, edge: number, x: number, y: number, z: number): number {
  return octree.values[nodeAt(octree, edge, { x, y, z, edge: 1 })] as number;
}

/**
 * Returns the content of an aligned cube inside an octree: one value, or the materials of all its voxels, x
 * running fastest, built by filling a box for each leaf.
 */
export function octreeCubeContent(octree: Octree, edge: number, cube: OctreeCube): number | Uint16Array {
  const top = nodeAt(octree, edge, cube);
  if (octree.firstChildren[top] === 0) return octree.values[top] as number;
  const voxels = new Uint16Array(cube.edge ** 3);
  for (const leaf of leavesBelow(octree, top, { x: 0, y: 0, z: 0, edge: cube.edge })) {
    fillCube(voxels, cube.edge, leaf.cube, octree.values[leaf.node] as number);
  }
  return voxels;
}

/** Returns the voxels of a cube as a box. */
export function boxOfCube({ x, y, z, edge }: OctreeCube): Box {
  return { min: [x, y, z, 0], max: [x + edge, y + edge, z + edge, 1] };
}

/** Returns one of the eight parts of a cube. */
export function childCube({ x, y, z, edge }: OctreeCube, child: number): OctreeCube {
  const half = edge / 2;
  return {
    x: x + (child >> 2) * half,
    y: y + ((child >> 1) & 1) * half,
    z: z + (child & 1) * half,
    edge: half,
  };
}

/** Fills a cube inside a cube of voxels, x running fastest. */
function fillCube(voxels: Uint16Array, size: number, { x, y, z, edge }: OctreeCube, value: number): void {
  for (let layer = z; layer < z + edge; layer++)
    for (let line = y; line < y + edge; line++) {
      const row = x + size * (line + size * layer);
      voxels.fill(value, row, row + edge);
    }
}

interface PlacedNode {
  readonly node: number;
  readonly cube: OctreeCube;
}

function* leavesBelow(octree: Octree, top: number, cube: OctreeCube): Generator<PlacedNode> {
  const open: PlacedNode[] = [{ node: top, cube }];
  for (let placed = open.pop(); placed !== undefined; placed = open.pop()) {
    const first = octree.firstChildren[placed.node] as number;
    if (first === 0) {
      yield placed;
      continue;
    }
    for (let child = OCTREE_CHILDREN - 1; child >= 0; child--) {
      open.push({ node: first + child, cube: childCube(placed.cube, child) });
    }
  }
}

/** Returns the node of a cube, or the leaf around it. */
function nodeAt({ firstChildren }: Octree, edge: number, cube: OctreeCube): number {
  let node = 0;
  for (let half = edge / 2; half >= cube.edge; half /= 2) {
    const first = firstChildren[node] as number;
    if (first === 0) return node;
    const bit = (coordinate: number): number => Math.floor(coordinate / half) & 1;
    node = first + bit(cube.x) * 4 + bit(cube.y) * 2 + bit(cube.z);
  }
  return node;
}
