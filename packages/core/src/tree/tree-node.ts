import type { Place } from "../lattice/place.ts";
import { contentEquals, isSpreadable } from "./content.ts";
import { clipLeaf, Leaf, sameSides } from "./leaf.ts";
import { bitCount, Tile } from "./tile.ts";

/*
 * The shape of every tree of chunks: a 16-way trie over the lattice of 32-bit places whose leaves are boxes.
 *
 * A cell is an aligned cube whose edge is a power of two: its level says which. Cutting a cell at its middle on
 * all four axes gives sixteen; bit 0 of a slot is x ... bit 3 is w, set in the upper half. A node stands for what
 * a cell holds:
 *
 *   nothing                          no node
 *   one box of one content           a leaf, wherever in the cell the box lies
 *   anything else                    in a cell as small as a region a tile, which has its contents one by one;
 *                                    in a larger one a branch, whose cell is the smallest that holds it all
 *
 * A leaf of several chunks holds spreadable content only. So the shape follows from what is held, never from the
 * order of the edits: the same content always gives the same tree.
 */

/** Children that a branch can have: one for each orthant around its middle. */
export const SLOTS = 16;
const FULL_MASK = 2 ** SLOTS - 1;
/** The level of the smallest cells that are told apart: tiles, as large as regions. */
export const TILE_LEVEL = 2;
/** The level of a cell that is the whole lattice. */
const LEVEL_MAX = 32;

/** An aligned cube of the lattice with an edge of 2^level, given by its lowest corner. */
export interface Cell {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** A cell that holds more than one box. Its children are packed in slot order; `mask` has a bit for each slot. */
export class Branch implements Cell {
  readonly level: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly mask: number;
  readonly children: readonly TreeNode[];

  constructor({ level, x, y, z, w }: Cell, mask: number, children: readonly TreeNode[]) {
    this.level = level;
    this.x = x;
    this.y = y;
    this.z = z;
    this.w = w;
    this.mask = mask;
    this.children = children;
  }
}

/** What a cell holds; a cell that holds nothing has `undefined`. */
export type TreeNode = Leaf | Tile | Branch;

/** The slot of a cell of this level in which a place lies. */
export function slotOf(level: number, x: number, y: number, z: number, w: number): number {
  const shift = level - 1;
  const slot =
    ((x >>> shift) & 1) |
    (((y >>> shift) & 1) << 1) |
    (((z >>> shift) & 1) << 2) |
    (((w >>> shift) & 1) << 3);
  // At the top the bit is the sign, and what is below zero is the lower half.
  return level === LEVEL_MAX ? slot ^ 0b1111 : slot;
}

/** Whether a place lies in a cell. */
export function cellContains(cell: Cell, x: number, y: number, z: number, w: number): boolean {
  const differing = (x ^ cell.x) | (y ^ cell.y) | (z ^ cell.z) | (w ^ cell.w);
  // A shift by 32 would be a shift by none.
  return cell.level === LEVEL_MAX || differing >>> cell.level === 0;
}

/** The index of a slot's child among the children that are there; `undefined` where there is none. */
export function indexOfSlot(mask: number, slot: number): number | undefined {
  if (mask === FULL_MASK) return slot;
  const bit = 1 << slot;
  return (mask & bit) === 0 ? undefined : bitCount(mask & (bit - 1));
}

/** The child in a slot. */
export function childAt({ mask, children }: Branch, slot: number): TreeNode | undefined {
  const index = indexOfSlot(mask, slot);
  return index === undefined ? undefined : children[index];
}

/** The smallest cell that holds both nodes, at least as large as a tile. */
export function commonCell(a: TreeNode, b: TreeNode): Cell {
  const [ax, ay, az, aw] = cornerOf(a);
  const [bx, by, bz, bw] = cornerOf(b);
  const differing = (ax ^ bx) | (ay ^ by) | (az ^ bz) | (aw ^ bw);
  return cellAt(Math.max(LEVEL_MAX - Math.clz32(differing), levelOf(a), levelOf(b)), ax, ay, az, aw);
}

/** The smallest cell that holds a leaf, at least as large as a tile. */
export function cellOfLeaf(leaf: Leaf): Cell {
  return cellAt(levelOf(leaf), leaf.minX, leaf.minY, leaf.minZ, leaf.minW);
}

/** What of a node lies in one slot of a cell that holds it and is larger than a tile. */
export function partIn(node: TreeNode, cell: Cell, slot: number): TreeNode | undefined {
  if (!(node instanceof Leaf)) {
    if (node instanceof Branch && node.level === cell.level) return childAt(node, slot);
    return slotOf(cell.level, node.x, node.y, node.z, node.w) === slot ? node : undefined;
  }
  const half = 2 ** (cell.level - 1);
  const x = cell.x + (slot & 1 ? half : 0);
  const y = cell.y + (slot & 2 ? half : 0);
  const z = cell.z + (slot & 4 ? half : 0);
  const w = cell.w + (slot & 8 ? half : 0);
  return clipLeaf(node, x, y, z, w, x + half, y + half, z + half, w + half);
}

/** The node for a cell whose slots hold these nodes: none, the only one, one leaf over all, or a branch. */
export function combine(cell: Cell, slots: readonly (TreeNode | undefined)[]): TreeNode | undefined {
  let mask = 0;
  const children: TreeNode[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const child = slots[slot];
    if (child === undefined) continue;
    mask |= 1 << slot;
    children.push(child);
  }
  return nodeOf(cell, mask, children);
}

/** The branch with another child in one slot. */
export function withChild(branch: Branch, slot: number, child: TreeNode | undefined): TreeNode | undefined {
  const index = indexOfSlot(branch.mask, slot);
  if ((index === undefined ? undefined : branch.children[index]) === child) return branch;
  const [mask, children] = replaceAt(branch.mask, branch.children, slot, child);
  return nodeOf(branch, mask, children);
}

/** The same nodes, in the same places, holding the same. */
export function nodesEqual(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (a instanceof Leaf) return b instanceof Leaf && sameSides(a, b) && contentEquals(a.content, b.content);
  if (b instanceof Leaf || a.x !== b.x || a.y !== b.y || a.z !== b.z || a.w !== b.w) return false;
  if (a instanceof Tile) return b instanceof Tile && a.equals(b);
  if (b instanceof Tile || a.level !== b.level || a.mask !== b.mask) return false;
  return a.children.every((child, index) => nodesEqual(child, b.children[index]));
}

function nodeOf(cell: Cell, mask: number, children: readonly TreeNode[]): TreeNode | undefined {
  if (children.length <= 1) return children[0];
  return mergeLeaves(cell, mask, children) ?? new Branch(cell, mask, children);
}

/** A packed list of children with another one, or none, in a slot. */
function replaceAt(
  mask: number,
  children: readonly TreeNode[],
  slot: number,
  child: TreeNode | undefined,
): readonly [mask: number, children: readonly TreeNode[]] {
  const bit = 1 << slot;
  const at = bitCount(mask & (bit - 1));
  const next = children.slice(0, at);
  if (child !== undefined) next.push(child);
  for (let index = (mask & bit) === 0 ? at : at + 1; index < children.length; index++) {
    next.push(children[index] as TreeNode);
  }
  return [child === undefined ? mask & ~bit : mask | bit, next];
}

/** One leaf for all the children, where they are leaves of one content that together are a box. */
function mergeLeaves(cell: Cell, mask: number, children: readonly TreeNode[]): Leaf | undefined {
  const [first] = children;
  const last = children[children.length - 1];
  if (!(first instanceof Leaf) || !(last instanceof Leaf) || !isSpreadable(first.content)) return undefined;
  for (const child of children) {
    if (!(child instanceof Leaf) || !contentEquals(child.content, first.content)) return undefined;
  }
  // If they are a box, its lowest corner is in the lowest slot and its highest corner in the highest.
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
    const expected = partIn(box, cell, slot);
    const child = (mask & (1 << slot)) === 0 ? undefined : children[index++];
    if (!nodesEqual(expected, child)) return undefined;
  }
  return box;
}

function levelOf(node: TreeNode): number {
  if (node instanceof Branch) return node.level;
  if (node instanceof Tile) return TILE_LEVEL;
  const differing =
    (node.minX ^ (node.maxX - 1)) |
    (node.minY ^ (node.maxY - 1)) |
    (node.minZ ^ (node.maxZ - 1)) |
    (node.minW ^ (node.maxW - 1));
  return Math.max(LEVEL_MAX - Math.clz32(differing), TILE_LEVEL);
}

function cornerOf(node: TreeNode): Place {
  return node instanceof Leaf
    ? [node.minX, node.minY, node.minZ, node.minW]
    : [node.x, node.y, node.z, node.w];
}

function cellAt(level: number, x: number, y: number, z: number, w: number): Cell {
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
