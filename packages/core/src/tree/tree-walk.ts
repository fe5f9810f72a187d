import { type Box, boxAt, subtractBox } from "../lattice/box.ts";
import { type Content, contentEquals } from "./content.ts";
import { Leaf } from "./leaf.ts";
import { type Corner, contentsOf, coordinatesOf, nodeIndexOf, RegionNode } from "./region-node.ts";

import { clip, leafOver } from "./tree-edit.ts";
import {
  Branch,
  commonCube,
  indexOfSlot,
  partIn,
  REGION_LEVEL,
  SLOTS,
  slotOf,
  type TreeNode,
} from "./tree-node.ts";

/** A box with one content. */
export interface Piece<Held> {
  readonly box: Box;
  readonly content: Held;
}

/** A box in which two trees differ, and the content of each; `undefined` if it has none. */
export interface Difference<Held> {
  readonly box: Box;
  readonly before: Held | undefined;
  readonly after: Held | undefined;
}

/** Returns the content of a position. */
export function contentAt(
  root: TreeNode | undefined,
  x: number,
  y: number,
  z: number,
  w: number,
): Content | undefined {
  let node = root;
  // No need to check on the way that the position is in a branch's cube: the node found in the end tells.
  while (node instanceof Branch) {
    const index = indexOfSlot(node.mask, slotOf(node.level, x, y, z, w));
    if (index === undefined) return undefined;
    node = node.children[index];
  }
  if (node instanceof RegionNode)
    return node.contains(x, y, z, w) ? node.at(nodeIndexOf(x, y, z, w)) : undefined;
  if (node === undefined || x < node.minX || y < node.minY || z < node.minZ || w < node.minW)
    return undefined;
  return x < node.maxX && y < node.maxY && z < node.maxZ && w < node.maxW ? node.content : undefined;
}

/** Yields the boxes of a node, in slot order. */
export function* piecesOf(node: TreeNode | undefined): Generator<Piece<Content>> {
  if (node instanceof Leaf) yield { box: boxOfLeaf(node), content: node.content };
  else if (node instanceof RegionNode) yield* piecesOfRegion(node);
  else if (node !== undefined) for (const child of node.children) yield* piecesOf(child);
}

/** Yields the differences of two nodes in disjoint boxes, skipping what they share. */
export function* differencesBetween(
  before: TreeNode | undefined,
  after: TreeNode | undefined,
): Generator<Difference<Content>> {
  if (before === after) return;
  if (before === undefined) {
    for (const { box, content } of piecesOf(after)) yield { box, before: undefined, after: content };
  } else if (after === undefined) {
    for (const { box, content } of piecesOf(before)) yield { box, before: content, after: undefined };
  } else if (before instanceof Leaf && after instanceof Leaf) {
    yield* leafDifferences(before, after);
  } else {
    const cube = commonCube(before, after);
    if (cube.level === REGION_LEVEL) {
      yield* regionDifferences(cube, before as Leaf | RegionNode, after as Leaf | RegionNode);
    } else {
      for (let slot = 0; slot < SLOTS; slot++) {
        yield* differencesBetween(partIn(before, cube, slot), partIn(after, cube, slot));
      }
    }
  }
}

/** Returns the smallest box around the contents of a node. */
export function boundsOf(node: TreeNode | undefined): Box | undefined {
  if (node === undefined) return undefined;
  if (node instanceof Leaf) return boxOfLeaf(node);
  const min: [number, number, number, number] = [Infinity, Infinity, Infinity, Infinity];
  const max: [number, number, number, number] = [-Infinity, -Infinity, -Infinity, -Infinity];
  const boxes =
    node instanceof RegionNode
      ? piecesOfRegion(node)
      : node.children.map((child) => ({ box: boundsOf(child) }));
  for (const { box } of boxes) {
    for (let axis = 0; box !== undefined && axis < 4; axis++) {
      min[axis] = Math.min(min[axis] ?? 0, box.min[axis] ?? 0);
      max[axis] = Math.max(max[axis] ?? 0, box.max[axis] ?? 0);
    }
  }
  return { min, max };
}

/** Returns the number of leaves of a node, which determines its memory and the cost of visiting all. */
export function countLeaves(node: TreeNode | undefined): number {
  if (node === undefined) return 0;
  if (node instanceof Leaf) return 1;
  if (node instanceof RegionNode) return node.contents.length;
  return node.children.reduce((sum, child) => sum + countLeaves(child), 0);
}

function* piecesOfRegion(region: RegionNode): Generator<Piece<Content>> {
  for (const [chunk, content] of region.all().entries()) {
    if (content !== undefined) yield { box: boxOfChunk(region, chunk), content };
  }
}

function* regionDifferences(
  corner: Corner,
  before: Leaf | RegionNode,
  after: Leaf | RegionNode,
): Generator<Difference<Content>> {
  const afterContents = contentsOf(after);
  for (const [chunk, old] of contentsOf(before).entries()) {
    const now = afterContents[chunk];
    const same = old === now || (old !== undefined && now !== undefined && contentEquals(old, now));
    if (!same) yield { box: boxOfChunk(corner, chunk), before: old, after: now };
  }
}

function* leafDifferences(before: Leaf, after: Leaf): Generator<Difference<Content>> {
  const beforeBox = boxOfLeaf(before);
  const afterBox = boxOfLeaf(after);
  for (const box of subtractBox(beforeBox, afterBox)) yield { box, before: before.content, after: undefined };
  for (const box of subtractBox(afterBox, beforeBox)) yield { box, before: undefined, after: after.content };
  const common = clip(leafOver(beforeBox, before.content), afterBox);
  if (common instanceof Leaf && !contentEquals(before.content, after.content)) {
    yield { box: boxOfLeaf(common), before: before.content, after: after.content };
  }
}

function boxOfLeaf({ minX, minY, minZ, minW, maxX, maxY, maxZ, maxW }: Leaf): Box {
  return { min: [minX, minY, minZ, minW], max: [maxX, maxY, maxZ, maxW] };
}

function boxOfChunk({ x, y, z, w }: Corner, chunk: number): Box {
  const [chunkX, chunkY, chunkZ, chunkW] = coordinatesOf(chunk);
  return boxAt([x + chunkX, y + chunkY, z + chunkZ, w + chunkW]);
}
