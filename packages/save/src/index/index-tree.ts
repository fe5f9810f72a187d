import { type Box, boxContainsBox, comparePositions, OrthantError } from "@orthant/core";
import { LEAF_LEVEL_MAX, NONE } from "../codec/layout.ts";
import { childCell, childSlot, levelOf } from "./cell.ts";
import { CHILDREN, type IndexNode } from "./index-node.ts";
import { type HasCell, isBranch, type TrieNode } from "./leaf-trie.ts";
import { trieOf } from "./trie-builder.ts";

/**
 * Returns the nodes of the unique tree of a set of leaf cells: a 16-way trie without single-child nodes.
 * Nodes come before their children, children in slot order; leaf entry ids follow the order of `cells`. The
 * cells must be disjoint aligned cubes.
 */
export function buildIndexNodes(cells: readonly Box[]): readonly IndexNode[] {
  const nodes: IndexNode[] = [];
  const trie = trieOf<Entry>(cells.map((cell, leafEntryId) => ({ cell, leafEntryId })));
  if (trie !== undefined) addSubtree(nodes, trie, NONE, 0);
  return nodes;
}

/**
 * Returns the cell of each leaf entry if the nodes are exactly those that {@link buildIndexNodes} makes of
 * the cells. Otherwise throws `ORT_INDEX` with the first broken rule. Rules S22 to S25.
 */
export function checkIndexNodes(nodes: readonly IndexNode[], leafCount: number): readonly Box[] {
  const cells = new Array<Box | undefined>(leafCount);
  const walk = { next: 0 };
  if (nodes.length > 0) checkSubtree(nodes, cells, walk, { parentId: NONE, depth: 0, within: undefined });
  if (walk.next !== nodes.length) throw wrong(`node ${walk.next} cannot be reached`);
  return cells.map((cell, leafEntryId) => {
    if (cell === undefined) throw wrong(`leaf ${leafEntryId} has no node`);
    const previous = cells[leafEntryId - 1];
    if (previous !== undefined && comparePositions(previous.min, cell.min) >= 0) {
      throw wrong(`leaf ${leafEntryId} is out of order`);
    }
    return cell;
  });
}

/** A leaf of the trie that the nodes are built from. */
interface Entry extends HasCell {
  readonly leafEntryId: number;
}

function addSubtree(nodes: IndexNode[], part: TrieNode<Entry>, parentId: number, depth: number): number {
  const nodeId = nodes.length;
  const childIds = new Array<number>(CHILDREN).fill(NONE);
  const isLeaf = !isBranch(part);
  const leafEntryId = isLeaf ? (part as Entry).leafEntryId : NONE;
  nodes.push({ nodeId, parentId, isLeaf, depth, bounds: part.cell, childIds, leafEntryId });
  if (isLeaf) return nodeId;
  for (const child of part.children) {
    childIds[childSlot(part.cell, child.cell.min)] = addSubtree(nodes, child, nodeId, depth + 1);
  }
  return nodeId;
}

/** Properties of a node implied by its parent. */
interface Expectation {
  readonly parentId: number;
  readonly depth: number;
  readonly within: Box | undefined;
}

function checkSubtree(
  nodes: readonly IndexNode[],
  cells: (Box | undefined)[],
  walk: { next: number },
  { parentId, depth, within }: Expectation,
): void {
  const nodeId = walk.next++;
  const node = nodes[nodeId];
  if (node === undefined) throw wrong(`node ${nodeId} is missing`);
  if (node.nodeId !== nodeId) throw wrong(`node ${node.nodeId} stands where node ${nodeId} belongs`);
  if (node.parentId !== parentId) throw wrong(`node ${nodeId} has parent ${node.parentId}, not ${parentId}`);
  if (node.depth !== depth) throw wrong(`node ${nodeId} has depth ${node.depth}, not ${depth}`);
  const level = levelOf(node.bounds);
  if (level === undefined) throw wrong(`node ${nodeId} is not an aligned cube`);
  if (within !== undefined && !boxContainsBox(within, node.bounds)) {
    throw wrong(`node ${nodeId} reaches out of its slot in node ${parentId}`);
  }
  if (node.isLeaf) checkLeaf(node, level, cells);
  else checkBranch(node, nodes, cells, walk);
}

function checkLeaf(node: IndexNode, level: number, cells: (Box | undefined)[]): void {
  const { nodeId, leafEntryId, bounds } = node;
  if (level > LEAF_LEVEL_MAX) throw wrong(`leaf node ${nodeId} has an edge of 2^${level} chunks`);
  if (node.childIds.some((id) => id !== NONE)) throw wrong(`leaf node ${nodeId} has children`);
  if (leafEntryId >= cells.length) throw wrong(`node ${nodeId} means leaf ${leafEntryId} of ${cells.length}`);
  if (cells[leafEntryId] !== undefined) throw wrong(`leaf ${leafEntryId} has two nodes`);
  cells[leafEntryId] = bounds;
}

function checkBranch(
  { nodeId, depth, bounds, childIds, leafEntryId }: IndexNode,
  nodes: readonly IndexNode[],
  cells: (Box | undefined)[],
  walk: { next: number },
): void {
  if (leafEntryId !== NONE) throw wrong(`node ${nodeId} is no leaf and has leaf ${leafEntryId}`);
  if (childIds.filter((id) => id !== NONE).length < 2)
    throw wrong(`node ${nodeId} has less than two children`);
  for (const [slot, childId] of childIds.entries()) {
    if (childId === NONE) continue;
    // Ids count up along the walk, so this catches cycles, shared children and wrong order.
    if (childId !== walk.next) throw wrong(`child ${slot} of node ${nodeId} is ${childId}, not ${walk.next}`);
    checkSubtree(nodes, cells, walk, { parentId: nodeId, depth: depth + 1, within: childCell(bounds, slot) });
  }
}

function wrong(detail: string): OrthantError {
  return new OrthantError("ORT_INDEX", detail);
}
