import { AIR, type Box, OrthantError, type Position, uniformChunk } from "@orthant/core";
import type { ByteReader } from "@orthant/core/bytes";
import { ChunkArray, type EncodedNode, treeOfArray } from "@orthant/core/internal";
import { AXES, intersectBoxes, positionFrom, REGION_EDGE_CHUNKS, unionBox } from "@orthant/core/lattice";
import { RegionTree } from "@orthant/core/tree";

/** Builds a tree from the nodes of an input. Throws if they overlap or would make the tree too large. */
export function treeOfNodes(input: ByteReader, nodes: readonly EncodedNode[], volume: number): RegionTree {
  requireModestTree(nodes.map(({ box }) => box));
  const mark = uniformChunk(volume, AIR + 1);
  let covered = RegionTree.EMPTY;
  let tree = RegionTree.EMPTY;
  for (const { box, content } of nodes) {
    if (covered.pieces(box).next().done !== true) {
      throw input.fail("ORT_TREE_BOUNDS", `[${box.min}] to [${box.max}] overlaps another node`);
    }
    covered = covered.fill(box, mark);
    if (!(content instanceof ChunkArray)) {
      tree = tree.fill(box, content);
      continue;
    }
    // Build it separately first: a small tree is cheaper to assemble than a corner of a large one.
    tree = tree.merge(treeOfArray(content));
  }
  return tree;
}

/** Levels of orthants between the whole lattice and a chunk: the most steps that a legitimate box takes. */
const LEVELS = 32;

/** Any tree is allowed the steps of this many boxes, however few it has. */
const BOXES_GRANTED = 4096;

/** An aligned cube. */
interface Cube {
  readonly min: Position;
  readonly edge: number;
}

/**
 * Throws `ORT_LIMIT` when a tree of these boxes would be too large to build. Two thin slabs side by side
 * across the whole lattice take a few bytes, but would be cut into more leaves than any memory holds.
 */
function requireModestTree(boxes: readonly Box[]): void {
  const stepsMax = LEVELS * Math.max(boxes.length, BOXES_GRANTED);
  let steps = 0;
  const visit = (inCube: readonly Box[]): void => {
    const [first] = inCube;
    if (first === undefined || inCube.length === 1) return;
    steps += inCube.length;
    if (steps > stepsMax) {
      throw new OrthantError("ORT_LIMIT", `a tree that takes more than ${stepsMax} steps to build`);
    }
    const cube = cubeAround(inCube.reduce(unionBox, first));
    if (cube.edge <= REGION_EDGE_CHUNKS) return;
    for (const orthant of orthantsOf(cube))
      visit(inCube.flatMap((box) => intersectBoxes(box, orthant) ?? []));
  };
  visit(boxes);
}

function cubeAround({ min, max }: Box): Cube {
  let edge = 1;
  while (AXES.some((axis) => Math.floor(min[axis] / edge) !== Math.floor((max[axis] - 1) / edge))) {
    edge *= 2;
    // Negative and positive coordinates never share a cube whose corner is a multiple of its edge.
    if (edge > 2 ** 31) return { min: [-(2 ** 31), -(2 ** 31), -(2 ** 31), -(2 ** 31)], edge };
  }
  return { min: positionFrom((axis) => Math.floor(min[axis] / edge) * edge), edge };
}

function orthantsOf({ min, edge }: Cube): readonly Box[] {
  const half = edge / 2;
  return Array.from({ length: 2 ** AXES.length }, (_, orthant) => {
    const corner = positionFrom((axis) => min[axis] + ((orthant >>> axis) & 1) * half);
    return { min: corner, max: positionFrom((axis) => corner[axis] + half) };
  });
}
