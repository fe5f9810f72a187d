import { AXES, type Box, boxEquals } from "@orthant/core";
import { cellAround, childSlot } from "./cell.ts";
import { CHILDREN } from "./index-node.ts";
import type { IndexPage } from "./index-page.ts";
import { Branch, type HasCell, overlapping, type TrieNode } from "./leaf-trie.ts";

/**
 * Returns the unique trie of leaves and pages, given in any order; `undefined` without any. Throws
 * `ORT_ARGUMENT` if two of them overlap. The cells must be aligned cubes.
 */
export function trieOf<Leaf extends HasCell>(
  entries: readonly (Leaf | IndexPage<Leaf>)[],
): TrieNode<Leaf> | undefined {
  const [first] = entries;
  if (first === undefined || entries.length === 1) return first;
  const cell = cellAroundAll(entries);
  const inSlots: (Leaf | IndexPage<Leaf>)[][] = Array.from({ length: CHILDREN }, () => []);
  for (const entry of entries) {
    if (boxEquals(entry.cell, cell)) throw overlapping(entry);
    inSlots[childSlot(cell, entry.cell.min)]?.push(entry);
  }
  const children: TrieNode<Leaf>[] = [];
  let slots = 0;
  for (const [slot, inSlot] of inSlots.entries()) {
    const child = trieOf(inSlot);
    if (child === undefined) continue;
    children.push(child);
    slots |= 1 << slot;
  }
  return new Branch(cell, children, slots);
}

/** Returns the smallest aligned cube around all entries. */
function cellAroundAll(entries: readonly HasCell[]): Box {
  const first: [number, number, number, number] = [Infinity, Infinity, Infinity, Infinity];
  const last: [number, number, number, number] = [-Infinity, -Infinity, -Infinity, -Infinity];
  for (const { cell } of entries) {
    for (const axis of AXES) {
      first[axis] = Math.min(first[axis], cell.min[axis]);
      last[axis] = Math.max(last[axis], cell.max[axis] - 1);
    }
  }
  return cellAround(first, last);
}
