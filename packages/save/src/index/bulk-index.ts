import { boxEquals } from "@orthant/core";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import { cellAroundBoth, childSlot } from "./cell.ts";
import type { EncodedLeaves } from "./encoded-leaves.ts";
import { Branch, overlapping, type TrieNode } from "./leaf-trie.ts";
import type { PageWriter } from "./page-writer.ts";
import { trieOf } from "./trie-builder.ts";

type Node = TrieNode<LeafEntry>;

/**
 * Builds the trie of many leaves. Writes everything that does not fit into a page on the way, so that only a
 * few pages are ever in memory. Throws `ORT_ARGUMENT` if two leaves overlap.
 */
export async function bulkTrie(leaves: EncodedLeaves, pages: PageWriter): Promise<Node | undefined> {
  const order = leaves.inTreeOrder();
  const leafAt = (position: number): LeafEntry => leaves.at(order[position] ?? 0);
  const isSmall = (from: number, to: number): boolean => {
    let room = pages.targetBytes;
    for (let position = from; position < to && room >= 0; position++)
      room -= leaves.weightOf(order[position] ?? 0);
    return room >= 0;
  };

  /** Builds the trie of a range of the order. */
  const build = async (from: number, to: number): Promise<Node | undefined> => {
    if (to - from <= 1 || isSmall(from, to)) {
      return trieOf(Array.from({ length: to - from }, (_, index) => leafAt(from + index)));
    }
    const first = leafAt(from);
    const cell = cellAroundBoth(first.cell, leafAt(to - 1).cell);
    if (boxEquals(first.cell, cell)) throw overlapping(first);
    const children: Node[] = [];
    let slots = 0;
    for (let start = from; start < to; ) {
      const slotAt = (position: number): number => childSlot(cell, leaves.cornerOf(order[position] ?? 0));
      const slot = slotAt(start);
      const end = lastInSlot(start, to, (position) => slotAt(position) === slot);
      const child = await build(start, end);
      if (child !== undefined) children.push(child);
      slots |= 1 << slot;
      start = end;
    }
    return pages.shrink(new Branch(cell, children, slots));
  };
  return build(0, order.length);
}

/** Returns the end of the run that begins at `from` and lies in one slot. */
function lastInSlot(from: number, to: number, isInSlot: (position: number) => boolean): number {
  let [inside, outside] = [from, to];
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (isInSlot(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
}
