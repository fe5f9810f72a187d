import type { Position } from "../lattice/position.ts";
import { contentEquals, isSpreadable } from "./content.ts";
import { clipLeaf, Leaf, sameSides } from "./leaf.ts";
import { bitCount, RegionNode, withItem } from "./region-node.ts";

/*
 * The shape of every tree of chunks: a 16-way trie over 32-bit positions, with boxes as leaves.
 *
 * A cube is aligned and has an edge of 2^level. Cutting it in half on all four axes makes sixteen slots;
 * bit 0 of a slot is x ... bit 3 is w, set in the upper half. A node represents the contents of a cube:
 *
 *   nothing                          no node
 *   one box of one content           a leaf, wherever in the cube the box lies
 *   anything else                    in a cube as small as a region, a region node, which lists its contents;
 *                                    in a larger one, a branch, whose cube is the smallest around them all
 *
 * A leaf of several chunks has spreadable content only: one block or one generator. So the shape depends on
 * the contents, never on the order of the edits: the same contents always make the same tree.
 */

/** Maximum number of children of a branch: one for each orthant around its middle. */
export const SLOTS = 16;
const FULL_MASK = 2 ** SLOTS - 1;
/** Level of the smallest cubes, which are regions. */
export const REGION_LEVEL = 2;
/** Level of the cube that is the whole lattice. */
const LEVEL_MAX = 32;

/** An aligned cube of the lattice with an edge of 2^level, given by its lowest corner. */
export interface Cube {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** A cube with more than one box. Its children are packed in slot order; `mask` has a bit for each slot. */
export class Branch implements Cube {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly mask: number;
  readonly children: readonly TreeNode[];

  constructor({ level, x, y, z, w }: Cube, mask: number, children: readonly TreeNode[]) {
    this.level = level;
    this.x = x;
    this.y = y;
    this.z = z;
    this.w = w;
    this.mask = mask;
    this.children = children;
  }
}

/** The contents of a cube; an empty cube has `undefined`. */
export type TreeNode = Leaf | RegionNode | Branch;

/** Returns the slot of a cube of this level in which a position lies. */
export function slotOf(level: number, x: number, y: number, z: number, w: number): number {
  const shift = level - 1;
  const slot =
    ((x >>> shift) & 1) |
    (((y >>> shift) & 1) << 1) |
    (((z >>> shift) & 1) << 2) |
    (((w >>> shift) & 1) << 3);
  // At the top level the bit is the sign, and negative coordinates are the lower half.
  return level === LEVEL_MAX ? slot ^ 0b1111 : slot;
}

/** Whether a position lies in a cube. */
export function cubeContains(cube: Cube, x: number, y: number, z: number, w: number): boolean {
  const differing = (x ^ cube.x) | (y ^ cube.y) | (z ^ cube.z) | (w ^ cube.w);
  // A shift by 32 would shift by 0.
  return cube.level === LEVEL_MAX || differing >>> cube.level === 0;
}

/** Returns the index of a slot's child among the existing children; `undefined` if there is none. */
export function indexOfSlot(mask: number, slot: number): number | undefined {
  if (mask === FULL_MASK) return slot;
  const bit = 1 << slot;
  return (mask & bit) === 0 ? undefined : bitCount(mask & (bit - 1));
}

/** Returns the child in a slot. */
export function childAt({ mask, children }: Branch, slot: number): TreeNode | undefined {
  const index = indexOfSlot(mask, slot);
  return index === undefined ? undefined : children[index];
}

/** Returns the smallest cube that contains both nodes, at least as large as a region. */
export function commonCube(a: TreeNode, b: TreeNode): Cube {
  const [ax, ay, az, aw] = cornerOf(a);
  const [bx, by, bz, bw] = cornerOf(b);
  const differing = (ax ^ bx) | (ay ^ by) | (az ^ bz) | (aw ^ bw);
  return alignedCube(Math.max(LEVEL_MAX - Math.clz32(differing), levelOf(a), levelOf(b)), ax, ay, az, aw);
}

/** Returns the smallest cube that contains a leaf, at least as large as a region. */
export function cubeOfLeaf(leaf: Leaf): Cube {
  return alignedCube(levelOf(leaf), leaf.minX, leaf.minY, leaf.minZ, leaf.minW);
}

/** Returns the part of a node in one slot of a cube that contains the node and is larger than a region. */
export function partIn(node: TreeNode, cube: Cube, slot: number): TreeNode | undefined {
  if (!(node instanceof Leaf)) {
    if (node instanceof Branch && node.level === cube.level) return childAt(node, slot);
    return slotOf(cube.level, node.x, node.y, node.z, node.w) === slot ? node : undefined;
  }
  const half = 2 ** (cube.level - 1);
  const x = cube.x + (slot & 1 ? half : 0);
  const y = cube.y + (slot & 2 ? half : 0);
  const z = cube.z + (slot & 4 ? half : 0);
  const w = cube.w + (slot & 8 ? half : 0);
  return clipLeaf(node, x, y, z, w, x + half, y + half, z + half, w + half);
}

/** Returns the node for a cube with these slots: none, the only one, one leaf over all, or a branch. */
export function combine(cube: Cube, slots: readonly (TreeNode | undefined)[]): TreeNode | undefined {
  let mask = 0;
  const children: TreeNode[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const child = slots[slot];
    if (child === undefined) continue;
    mask |= 1 << slot;
    children.push(child);
  }
  return nodeOf(cube, mask, children);
}

/** Returns the branch with another child in one slot. */
export function withChild(branch: Branch, slot: number, child: TreeNode | undefined): TreeNode | undefined {
  const index = indexOfSlot(branch.mask, slot);
  if ((index === undefined ? undefined : branch.children[index]) === child) return branch;
  const { mask, children } = branch;
  const bit = 1 << slot;
  const at = bitCount(mask & (bit - 1));
  if (child === undefined) {
    const others = children.filter((_, other) => other !== at);
    return nodeOf(branch, mask & ~bit, others);
  }
  return nodeOf(branch, mask | bit, withItem(children, at, child, index !== undefined));
}

/** Whether two nodes are the same, in the same position, with the same contents. */
export function nodesEqual(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (a instanceof Leaf) return b instanceof Leaf && sameSides(a, b) && contentEquals(a.content, b.content);
  if (b instanceof Leaf || a.x !== b.x || a.y !== b.y || a.z !== b.z || a.w !== b.w) return false;
  if (a instanceof RegionNode) return b instanceof RegionNode && a.equals(b);
  if (b instanceof RegionNode || a.level !== b.level || a.mask !== b.mask) return false;
  return a.children.every((child, index) => nodesEqual(child, b.children[index]));
}

function nodeOf(cube: Cube, mask: number, children: readonly TreeNode[]): TreeNode | undefined {
  if (children.length <= 1) return children[0];
  return mergeLeaves(cube, mask, children) ?? new Branch(cube, mask, children);
}

/** Returns one leaf for all the children, if they are leaves of one content that together form a box. */
function mergeLeaves(cube: Cube, mask: number, children: readonly TreeNode[]): Leaf | undefined {
  const [first] = children;
  const last = children[children.length - 1];
  if (!(first instanceof Leaf) || !(last instanceof Leaf) || !isSpreadable(first.content)) return undefined;
  for (const child of children) {
    if (!(child instanceof Leaf) || !contentEquals(child.content, first.content)) return undefined;
  }
  // If they form a box, its lowest corner is in the lowest slot and its highest corner in the highest.
  const box = new Leaf(
    first.minX,
    first.minY,
    first.minZ,
    first.minW,
    last.maxX,
    last.maxY,
    last.maxZ,
    last.maxW,
    first.content,
  );
  let index = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    const expected = partIn(box, cube, slot);
    const child = (mask & (1 << slot)) === 0 ? undefined : children[index++];
    if (!nodesEqual(expected, child)) return undefined;
  }
  return box;
}

function levelOf(node: TreeNode): number {
  if (node instanceof Branch) return node.level;
  if (node instanceof RegionNode) return REGION_LEVEL;
  const differing =
    (node.minX ^ (node.maxX - 1)) |
    (node.minY ^ (node.maxY - 1)) |
    (node.minZ ^ (node.maxZ - 1)) |
    (node.minW ^ (node.maxW - 1));
  return Math.max(LEVEL_MAX - Math.clz32(differing), REGION_LEVEL);
}

function cornerOf(node: TreeNode): Position {
  return node instanceof Leaf
    ? [node.minX, node.minY, node.minZ, node.minW]
    : [node.x, node.y, node.z, node.w];
}

function alignedCube(level: number, x: number, y: number, z: number, w: number): Cube {
  return {
    level,
    x: alignDown(x, level),
    y: alignDown(y, level),
    z: alignDown(z, level),
    w: alignDown(w, level),
  };
}

function alignDown(coordinate: number, level: number): number {
  return level === LEVEL_MAX ? -0x8000_0000 : (coordinate >> level) << level;
}
