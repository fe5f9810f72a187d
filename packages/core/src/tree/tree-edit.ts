import { OrthantError } from "../error/orthant-error.ts";
import type { Box } from "../lattice/box.ts";
import { type Content, contentEquals, isSpreadable } from "./content.ts";
import { clipLeaf, Leaf, leafAt } from "./leaf.ts";
import {
  type Corner,
  contentsOf,
  coordinatesOf,
  nodeIndexOf,
  nodeOfContents,
  REGION_CHUNKS,
  RegionNode,
} from "./region-node.ts";

import {
  Branch,
  childAt,
  combine,
  commonCube,
  cubeContains,
  cubeOfLeaf,
  partIn,
  REGION_LEVEL,
  SLOTS,
  slotOf,
  type TreeNode,
  withChild,
} from "./tree-node.ts";

/** Cubes that one edit may cut into parts or process chunk by chunk: a thin box in a wide one needs many. */
const EDIT_CUTS_MAX = 65_536;

/** Counts the cubes that an edit cuts, so that no box, however large, exhausts the memory. */
class CutCounter {
  #cuts = 0;

  /** Counts one cut. Throws `ORT_LIMIT` when there have been too many. */
  count(): void {
    if (++this.#cuts <= EDIT_CUTS_MAX) return;
    throw new OrthantError(
      "ORT_LIMIT",
      `an edit that cuts the tree more than ${EDIT_CUTS_MAX} times: make it in parts`,
    );
  }
}

/** Combines two nodes; where both have content, `over` wins. Throws `ORT_LIMIT` for too many cuts. */
export function overlay(
  under: TreeNode | undefined,
  over: TreeNode | undefined,
  cuts: CutCounter = new CutCounter(),
): TreeNode | undefined {
  if (over === undefined || under === over) return under;
  if (under === undefined) return over;
  if (under instanceof Leaf && over instanceof Leaf && hides(under, over)) {
    if (contentEquals(under.content, over.content)) return under;
  }
  if (over instanceof Leaf && hides(over, under)) return over;
  if (under instanceof Branch) {
    const slot = slotHolding(under, over);
    if (slot !== undefined) return withChild(under, slot, overlay(childAt(under, slot), over, cuts));
  }
  cuts.count();
  const cube = commonCube(under, over);
  if (cube.level === REGION_LEVEL)
    return overlayInRegion(cube, under as Leaf | RegionNode, over as Leaf | RegionNode);
  const slots: (TreeNode | undefined)[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    slots.push(overlay(partIn(under, cube, slot), partIn(over, cube, slot), cuts));
  }
  return combine(cube, slots);
}

/** Returns a node with this content at one position. */
export function put(
  node: TreeNode | undefined,
  x: number,
  y: number,
  z: number,
  w: number,
  content: Content,
): TreeNode | undefined {
  if (node instanceof Branch && cubeContains(node, x, y, z, w)) {
    const slot = slotOf(node.level, x, y, z, w);
    return withChild(node, slot, put(childAt(node, slot), x, y, z, w, content));
  }
  if (node instanceof RegionNode && node.contains(x, y, z, w))
    return putInRegion(node, nodeIndexOf(x, y, z, w), content);
  return overlay(node, leafAt(x, y, z, w, content));
}

/** Returns the contents of a node outside a box. Throws `ORT_LIMIT` when it takes too many cuts. */
export function erase(node: TreeNode | undefined, box: Box): TreeNode | undefined {
  return keep(node, box, "outside", new CutCounter());
}

/** Returns the contents of a node inside a box. Throws `ORT_LIMIT` when it takes too many cuts. */
export function clip(node: TreeNode | undefined, box: Box): TreeNode | undefined {
  return keep(node, box, "inside", new CutCounter());
}

/** Returns a leaf over a whole box. */
export function leafOver({ min, max }: Box, content: Content): Leaf {
  return new Leaf(min[0], min[1], min[2], min[3], max[0], max[1], max[2], max[3], content);
}

function overlayInRegion(
  corner: Corner,
  under: Leaf | RegionNode,
  over: Leaf | RegionNode,
): TreeNode | undefined {
  const all = contentsOf(under);
  const overContents = contentsOf(over);
  for (let chunk = 0; chunk < REGION_CHUNKS; chunk++) all[chunk] = overContents[chunk] ?? all[chunk];
  return nodeOfContents(corner, all);
}

function putInRegion(region: RegionNode, chunk: number, content: Content): TreeNode | undefined {
  const present = region.at(chunk);
  if (present !== undefined && contentEquals(present, content)) return region;
  const next = region.with(chunk, content);
  // It can only have become a box of one content when all its contents are equal.
  const uniform = isSpreadable(content) && next.contents.every((other) => contentEquals(other, content));
  return uniform ? nodeOfContents(next, next.all()) : next;
}

function keep(
  node: TreeNode | undefined,
  box: Box,
  side: "inside" | "outside",
  cuts: CutCounter,
): TreeNode | undefined {
  if (node === undefined) return undefined;
  const relation = relate(node, box);
  if (relation !== "partly") return relation === side ? node : undefined;
  if (node instanceof Leaf && side === "inside") {
    const { min, max } = box;
    return clipLeaf(node, min[0], min[1], min[2], min[3], max[0], max[1], max[2], max[3]);
  }
  cuts.count();
  if (node instanceof RegionNode) return keepInRegion(node, node, box, side);
  const cube = node instanceof Leaf ? cubeOfLeaf(node) : node;
  if (cube.level === REGION_LEVEL) return keepInRegion(cube, node as Leaf, box, side);
  const slots: (TreeNode | undefined)[] = [];
  let changed = node instanceof Leaf;
  for (let slot = 0; slot < SLOTS; slot++) {
    const part = partIn(node, cube, slot);
    const kept = keep(part, box, side, cuts);
    changed ||= kept !== part;
    slots.push(kept);
  }
  return changed ? combine(cube, slots) : node;
}

function keepInRegion(
  corner: Corner,
  node: Leaf | RegionNode,
  { min, max }: Box,
  side: "inside" | "outside",
): TreeNode | undefined {
  const all = contentsOf(node);
  let changed = false;
  for (let chunk = 0; chunk < REGION_CHUNKS; chunk++) {
    if (all[chunk] === undefined) continue;
    const [chunkX, chunkY, chunkZ, chunkW] = coordinatesOf(chunk);
    const x = corner.x + chunkX;
    const y = corner.y + chunkY;
    const z = corner.z + chunkZ;
    const w = corner.w + chunkW;
    const inside =
      x >= min[0] &&
      x < max[0] &&
      y >= min[1] &&
      y < max[1] &&
      z >= min[2] &&
      z < max[2] &&
      w >= min[3] &&
      w < max[3];
    if (inside === (side === "inside")) continue;
    all[chunk] = undefined;
    changed = true;
  }
  return changed ? nodeOfContents(corner, all) : node;
}

/** Returns how a node's leaf or cube relates to a box. */
function relate(node: TreeNode, { min, max }: Box): "inside" | "outside" | "partly" {
  const { minX, minY, minZ, minW, maxX, maxY, maxZ, maxW } = sidesOf(node);
  if (minX >= max[0] || minY >= max[1] || minZ >= max[2] || minW >= max[3]) return "outside";
  if (maxX <= min[0] || maxY <= min[1] || maxZ <= min[2] || maxW <= min[3]) return "outside";
  const above = minX >= min[0] && minY >= min[1] && minZ >= min[2] && minW >= min[3];
  const below = maxX <= max[0] && maxY <= max[1] && maxZ <= max[2] && maxW <= max[3];
  return above && below ? "inside" : "partly";
}

/** Whether a leaf covers everything that a node could hold. */
function hides(leaf: Leaf, node: TreeNode): boolean {
  const { minX, minY, minZ, minW, maxX, maxY, maxZ, maxW } = sidesOf(node);
  return (
    leaf.minX <= minX &&
    leaf.minY <= minY &&
    leaf.minZ <= minZ &&
    leaf.minW <= minW &&
    leaf.maxX >= maxX &&
    leaf.maxY >= maxY &&
    leaf.maxZ >= maxZ &&
    leaf.maxW >= maxW
  );
}

function sidesOf(node: TreeNode): Omit<Leaf, "content"> {
  if (node instanceof Leaf) return node;
  const edge = 2 ** (node instanceof RegionNode ? REGION_LEVEL : node.level);
  const { x, y, z, w } = node;
  return {
    minX: x,
    minY: y,
    minZ: z,
    minW: w,
    maxX: x + edge,
    maxY: y + edge,
    maxZ: z + edge,
    maxW: w + edge,
  };
}

/** Returns the slot of a branch that contains all of a node; `undefined` if it needs more than one. */
function slotHolding(branch: Branch, node: TreeNode): number | undefined {
  const { minX, minY, minZ, minW, maxX, maxY, maxZ, maxW } = sidesOf(node);
  if (!cubeContains(branch, minX, minY, minZ, minW)) return undefined;
  if (!cubeContains(branch, maxX - 1, maxY - 1, maxZ - 1, maxW - 1)) return undefined;
  const low = slotOf(branch.level, minX, minY, minZ, minW);
  return low === slotOf(branch.level, maxX - 1, maxY - 1, maxZ - 1, maxW - 1) ? low : undefined;
}
