import type { Position } from "@orthant/core";
import { ByteReader, ByteWriter, I32_MIN } from "@orthant/core/bytes";
import { boxEquals, positionFrom } from "@orthant/core/lattice";
import { childSlot, cubeAroundBoth } from "./cube.ts";
import type { LeafEntry } from "./leaf-entry.ts";
import { overlapping, TrieBranch, type TrieNode, trieOf } from "./leaf-trie.ts";
import { PageEntryReader, PageEntryWriter } from "./page-entries.ts";
import { type PageWriter, weightOfLeaf } from "./page-writer.ts";

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
    const cube = cubeAroundBoth(first.cube, leafAt(to - 1).cube);
    if (boxEquals(first.cube, cube)) throw overlapping(first);
    const children: Node[] = [];
    let slots = 0;
    for (let start = from; start < to; ) {
      const slotAt = (position: number): number => childSlot(cube, leaves.cornerOf(order[position] ?? 0));
      const slot = slotAt(start);
      const end = lastInSlot(start, to, (position) => slotAt(position) === slot);
      const child = await build(start, end);
      if (child !== undefined) children.push(child);
      slots |= 1 << slot;
      start = end;
    }
    return pages.shrink(new TrieBranch(cube, children, slots));
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

/** Number of bytes allocated at once. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const FIRST_CAPACITY = 1_024;
/** Version of pages whose entries have everything that a leaf may have. */
const ENTRY_VERSION = 4;
const ORIGIN: Position = [0, 0, 0, 0];

/** Many leaves in little memory: each takes its encoded bytes and about thirty more until it is read. */
export class EncodedLeaves {
  readonly #buffers: Uint8Array[] = [];
  #room = 0;
  #count = 0;
  /** Minimum corner of each leaf relative to that of the lattice, axis by axis. */
  #corners = new Uint32Array(FIRST_CAPACITY * 4);
  /** For each leaf, its buffer, where its bytes begin and end in it, and its weight. */
  #spans = new Uint32Array(FIRST_CAPACITY * 4);
  readonly #out = new ByteWriter();

  /** Number of leaves. */
  get count(): number {
    return this.#count;
  }

  /** Adds a leaf. */
  add(leaf: LeafEntry): void {
    this.#out.clear();
    new PageEntryWriter(this.#out, 0, ORIGIN, ENTRY_VERSION).leaf(leaf);
    const bytes = this.#out.view();
    if (bytes.length > this.#room) this.#addBlock(Math.max(bytes.length, BLOCK_BYTES));
    const buffer = this.#buffers.at(-1) as Uint8Array;
    const start = buffer.length - this.#room;
    buffer.set(bytes, start);
    this.#room -= bytes.length;
    if (this.#count * 4 === this.#corners.length) this.#grow();
    for (const [axis, coordinate] of leaf.cube.min.entries()) {
      this.#corners[this.#count * 4 + axis] = coordinate - I32_MIN;
    }
    const span = [this.#buffers.length - 1, start, start + bytes.length, weightOfLeaf(leaf)];
    this.#spans.set(span, this.#count * 4);
    this.#count++;
  }

  /** Writes the leaves from the one with this index on, for {@link read}. */
  write(out: ByteWriter, from: number): void {
    out.varUint(this.#count - from);
    for (let index = from; index < this.#count; index++) out.raw(this.#bytesAt(index));
  }

  /** Adds leaves that {@link write} has written. */
  read(input: ByteReader): void {
    for (let left = input.varUint(); left > 0; left--) {
      this.add(new PageEntryReader(input, 0, ORIGIN, ENTRY_VERSION).next().leaf as LeafEntry);
    }
  }

  /** Returns a leaf by the order of addition. */
  at(index: number): LeafEntry {
    const input = new ByteReader(this.#bytesAt(index));
    return new PageEntryReader(input, 0, ORIGIN, ENTRY_VERSION).next().leaf as LeafEntry;
  }

  /** Returns the minimum corner of a leaf. */
  cornerOf(index: number): Position {
    return positionFrom((axis) => (this.#corners[index * 4 + axis] ?? 0) + I32_MIN);
  }

  /** Returns approximately how many bytes of a page a leaf takes. */
  weightOf(index: number): number {
    return this.#spans[index * 4 + 3] ?? 0;
  }

  /** Returns the indexes of all leaves in the order of a walk through the tree of their cubes. */
  inTreeOrder(): Uint32Array {
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index);
    return order.sort((a, b) => this.#compare(a, b));
  }

  /**
   * Compares by the highest bit in which two corners differ. If several axes differ in it, the last one
   * decides.
   */
  #compare(a: number, b: number): number {
    const corners = this.#corners;
    let highest = 0;
    let result = 0;
    for (let axis = 3; axis >= 0; axis--) {
      const [ours, theirs] = [corners[a * 4 + axis] ?? 0, corners[b * 4 + axis] ?? 0];
      const bits = 32 - Math.clz32(ours ^ theirs);
      if (bits <= highest) continue;
      highest = bits;
      result = ours - theirs;
    }
    return result;
  }

  #bytesAt(index: number): Uint8Array {
    const [buffer = 0, start = 0, end = 0] = this.#spans.subarray(index * 4, index * 4 + 3);
    return this.#buffers[buffer]?.subarray(start, end) ?? new Uint8Array(0);
  }

  #addBlock(bytes: number): void {
    this.#buffers.push(new Uint8Array(bytes));
    this.#room = bytes;
  }

  #grow(): void {
    const [corners, spans] = [this.#corners, this.#spans];
    this.#corners = new Uint32Array(corners.length * 2);
    this.#corners.set(corners);
    this.#spans = new Uint32Array(spans.length * 2);
    this.#spans.set(spans);
  }
}
