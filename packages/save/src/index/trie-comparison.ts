import { boxContainsBox, boxEquals } from "@orthant/core";
import { childSlot } from "./cell.ts";
import type { IndexPage, PageLink } from "./index-page.ts";
import { type Branch, type HasCell, isBranch, isPage, type TrieNode } from "./leaf-trie.ts";

/** A difference between two tries: a leaf that is replaced or only in one, or a page that is only in one. */
export type TrieDifference<Leaf> =
  | { readonly kind: "leaf"; readonly before?: Leaf; readonly after?: Leaf }
  | { readonly kind: "page"; readonly before?: PageLink; readonly after?: PageLink };

type Node<Leaf extends HasCell> = TrieNode<Leaf> | undefined;

/** Functions for comparing two tries. */
export interface TrieComparison<Leaf extends HasCell> {
  readonly peekBefore: (page: IndexPage<Leaf>) => Promise<Branch<Leaf>>;
  readonly peekAfter: (page: IndexPage<Leaf>) => Promise<Branch<Leaf>>;
  readonly isSame: (before: Leaf, after: Leaf) => boolean;
}

/** Yields all differences between two tries. Skips what they share, in memory or as the same page. */
export async function* compareTries<Leaf extends HasCell>(
  before: Node<Leaf>,
  after: Node<Leaf>,
  { peekBefore, peekAfter, isSame }: TrieComparison<Leaf>,
): AsyncGenerator<TrieDifference<Leaf>> {
  const ahead: (readonly [Node<Leaf>, Node<Leaf>])[] = [[before, after]];
  for (let pair = ahead.pop(); pair !== undefined; pair = ahead.pop()) {
    const [old, now] = pair;
    if (old === now || isSamePage(old, now)) continue;
    // Opens the larger one first, because the other may be an unchanged page inside it.
    if (isPage(old) && !isInside(old, now)) {
      if (old.link !== undefined) yield { kind: "page", before: old.link };
      ahead.push([await peekBefore(old), now]);
    } else if (isPage(now) && !isInside(now, old)) {
      if (now.link !== undefined) yield { kind: "page", after: now.link };
      ahead.push([old, await peekAfter(now)]);
    } else if (isBranch(old) && !isInside(old, now)) {
      pushParts(ahead, old, now, (part, other) => [part, other]);
    } else if (isBranch(now)) {
      pushParts(ahead, now, old, (part, other) => [other, part]);
    } else if (old === undefined || now === undefined || !boxEquals(old.cell, now.cell)) {
      if (old !== undefined) yield { kind: "leaf", before: old as Leaf };
      if (now !== undefined) yield { kind: "leaf", after: now as Leaf };
    } else if (!isSame(old as Leaf, now as Leaf)) {
      yield { kind: "leaf", before: old as Leaf, after: now as Leaf };
    }
  }
}

function isSamePage<Leaf extends HasCell>(a: Node<Leaf>, b: Node<Leaf>): boolean {
  if (!isPage(a) || !isPage(b) || a.link === undefined || b.link === undefined) return false;
  return (
    a.link.generation === b.link.generation &&
    a.link.number === b.link.number &&
    a.link.crc32 === b.link.crc32 &&
    a.link.bytes === b.link.bytes
  );
}

/** Returns whether a node lies inside a larger one that has parts. */
function isInside<Leaf extends HasCell>(inner: HasCell, outer: Node<Leaf>): boolean {
  if (!isBranch(outer) && !isPage(outer)) return false;
  return boxContainsBox(outer.cell, inner.cell) && !boxEquals(outer.cell, inner.cell);
}

/** Pushes the parts of a branch, each paired with its counterpart in the other trie. */
function pushParts<Leaf extends HasCell>(
  ahead: (readonly [Node<Leaf>, Node<Leaf>])[],
  branch: Branch<Leaf>,
  other: Node<Leaf>,
  pair: (part: Node<Leaf>, other: Node<Leaf>) => readonly [Node<Leaf>, Node<Leaf>],
): void {
  const isSameCube = isBranch(other) && boxEquals(branch.cell, other.cell);
  const home =
    other !== undefined && !isSameCube && boxContainsBox(branch.cell, other.cell)
      ? childSlot(branch.cell, other.cell.min)
      : undefined;
  for (let slot = 15; slot >= 0; slot--) {
    const counterpart = isSameCube ? other.child(slot) : slot === home ? other : undefined;
    const part = branch.child(slot);
    if (part !== undefined || counterpart !== undefined) ahead.push(pair(part, counterpart));
  }
  if (other !== undefined && !isSameCube && home === undefined) ahead.push(pair(undefined, other));
}
