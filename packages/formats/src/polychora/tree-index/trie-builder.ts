import { boxContainsBox, boxEquals } from "@orthant/core";
import { cellAroundBoth, childSlot } from "./cell.ts";
import { CHILDREN } from "./index-node.ts";
import type { IndexPage } from "./index-page.ts";
import { Branch, type HasCell, overlapping, type TrieNode } from "./leaf-trie.ts";

/**
 * The one trie that leaves and pages make, in whatever order they come; `undefined` without any. `ORT_ARGUMENT` when
 * two of them overlap. The cells are aligned cubes.
 */
export function trieOf<Leaf extends HasCell>(
  entries: readonly (Leaf | IndexPage<Leaf>)[],
): TrieNode<Leaf> | undefined {
  const [first] = entries;
  if (first === undefined || entries.length === 1) return first;
  let { cell } = first;
  for (const entry of entries) if (!boxContainsBox(cell, entry.cell)) cell = cellAroundBoth(cell, entry.cell);
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
