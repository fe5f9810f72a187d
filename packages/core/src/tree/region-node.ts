import { type Content, contentEquals, isSpreadable } from "./content.ts";

import { Leaf } from "./leaf.ts";

/** Chunks along the edge of a region. */
const REGION_EDGE = 4;

/** Chunks in a region. */
export const REGION_CHUNKS: number = REGION_EDGE ** 4;
const WORDS = REGION_CHUNKS / 32;

// Shared by all calls, which never overlap: an edit makes a new node, and is to leave nothing else behind.
const scratchBits = new Int32Array(WORDS);

/** The content of each of the 256 positions of a region, x running fastest. */
type RegionContents = readonly (Content | undefined)[];

/** The lowest position of a region. */
export interface Corner {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/**
 * Returns the index of a chunk in its node, x running fastest. Messages count with w running fastest instead: see
 * `cellOfChunk`.
 */
export function nodeIndexOf(x: number, y: number, z: number, w: number): number {
  return (x & 3) | ((y & 3) << 2) | ((z & 3) << 4) | ((w & 3) << 6);
}

/**
 * A region with more than one box: packed contents, with a bit for each chunk. The eight words of bits are
 * separate fields, so that a lookup touches one object and one array: with a million chunks, cache misses
 * dominate the cost.
 */
export class RegionNode {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  readonly #bits0: number;
  readonly #bits1: number;
  readonly #bits2: number;
  readonly #bits3: number;
  readonly #bits4: number;
  readonly #bits5: number;
  readonly #bits6: number;
  readonly #bits7: number;
  /** Number of occupied chunks before each word: one byte per word, since it is at most 224. */
  readonly #ranksLow: number;
  readonly #ranksHigh: number;
  /** The contents, in chunk order. */
  readonly contents: readonly Content[];

  private constructor({ x, y, z, w }: Corner, bits: Int32Array, contents: readonly Content[]) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.w = w;
    this.#bits0 = bits[0] ?? 0;
    this.#bits1 = bits[1] ?? 0;
    this.#bits2 = bits[2] ?? 0;
    this.#bits3 = bits[3] ?? 0;
    this.#bits4 = bits[4] ?? 0;
    this.#bits5 = bits[5] ?? 0;
    this.#bits6 = bits[6] ?? 0;
    this.#bits7 = bits[7] ?? 0;
    this.#ranksLow = ranksOf(bits, 0, 0);
    this.#ranksHigh = ranksOf(bits, 4, countBits(bits, 4));
    this.contents = contents;
  }

  /** Returns the region at this corner with these 256 chunks. */
  static of(corner: Corner, all: RegionContents): RegionNode {
    const bits = new Int32Array(WORDS);
    const contents: Content[] = [];
    for (let chunk = 0; chunk < REGION_CHUNKS; chunk++) {
      const content = all[chunk];
      if (content === undefined) continue;
      bits[chunk >>> 5] = (bits[chunk >>> 5] ?? 0) | (1 << (chunk & 31));
      contents.push(content);
    }
    return new RegionNode(corner, bits, contents);
  }

  /** Whether a position lies in the region. */
  contains(x: number, y: number, z: number, w: number): boolean {
    return ((x ^ this.x) | (y ^ this.y) | (z ^ this.z) | (w ^ this.w)) >>> 2 === 0;
  }

  /** Returns the content of a chunk. */
  at(chunk: number): Content | undefined {
    return this.#has(chunk) ? this.contents[this.#indexOf(chunk)] : undefined;
  }

  /** Returns the region with another content in a chunk. */
  with(chunk: number, content: Content): RegionNode {
    const contents = withItem(this.contents, this.#indexOf(chunk), content, this.#has(chunk));
    for (let word = 0; word < WORDS; word++) scratchBits[word] = this.#bits(word);
    scratchBits[chunk >>> 5] = this.#bits(chunk >>> 5) | (1 << (chunk & 31));
    return new RegionNode(this, scratchBits, contents);
  }

  /** Returns the contents of all 256 chunks in a new array. */
  all(): (Content | undefined)[] {
    const all: (Content | undefined)[] = [];
    let next = 0;
    for (let chunk = 0; chunk < REGION_CHUNKS; chunk++) {
      all.push(this.#has(chunk) ? this.contents[next++] : undefined);
    }
    return all;
  }

  /** Whether two regions at the same corner have the same contents. */
  equals(other: RegionNode): boolean {
    for (let word = 0; word < WORDS; word++) if (this.#bits(word) !== other.#bits(word)) return false;
    return this.contents.every((content, index) => contentEquals(content, other.contents[index] as Content));
  }

  #has(chunk: number): boolean {
    return (this.#bits(chunk >>> 5) & (1 << (chunk & 31))) !== 0;
  }

  /** Returns the number of occupied chunks before this one. */
  #indexOf(chunk: number): number {
    const word = chunk >>> 5;
    const ranks = word < 4 ? this.#ranksLow : this.#ranksHigh;
    const rank = (ranks >>> ((word & 3) << 3)) & 0xff;
    return rank + bitCount(this.#bits(word) & ((1 << (chunk & 31)) - 1));
  }

  #bits(word: number): number {
    switch (word) {
      case 0:
        return this.#bits0;
      case 1:
        return this.#bits1;
      case 2:
        return this.#bits2;
      case 3:
        return this.#bits3;
      case 4:
        return this.#bits4;
      case 5:
        return this.#bits5;
      case 6:
        return this.#bits6;
      default:
        return this.#bits7;
    }
  }
}

/** Returns a copy of a list with another item at an index, in place of the one there or before it. */
export function withItem<Item>(
  items: readonly Item[],
  index: number,
  item: Item,
  isReplaced: boolean,
): readonly Item[] {
  // Never pushes, which would reserve room for many more.
  if (!isReplaced) return items.slice(0, index).concat([item], items.slice(index));
  const copy = items.slice();
  copy[index] = item;
  return copy;
}

/** Returns the number of set bits in a 32-bit word. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function countBits(words: Int32Array, end: number): number {
  let count = 0;
  for (let word = 0; word < end; word++) count += bitCount(words[word] ?? 0);
  return count;
}

/** Returns the ranks of four words, given the number of bits set before the first of them. */
function ranksOf(words: Int32Array, first: number, before: number): number {
  let ranks = 0;
  let rank = before;
  for (let word = 0; word < 4; word++) {
    ranks |= rank << (word << 3);
    rank += bitCount(words[first + word] ?? 0);
  }
  return ranks;
}

/** Returns the content of each position of a region that holds only this node. */
export function contentsOf(node: Leaf | RegionNode | undefined): (Content | undefined)[] {
  if (node instanceof RegionNode) return node.all();
  const all = new Array<Content | undefined>(REGION_CHUNKS).fill(undefined);
  if (node !== undefined) forEachChunk(node, (chunk) => (all[chunk] = node.content));
  return all;
}

/** Returns the coordinates of a chunk in its region. */
export function coordinatesOf(chunk: number): readonly [x: number, y: number, z: number, w: number] {
  const mask = REGION_EDGE - 1;
  return [chunk & mask, (chunk >>> 2) & mask, (chunk >>> 4) & mask, chunk >>> 6];
}

/** Returns the node for the contents of a region: none, a leaf for one box of one content, or a region node. */
export function nodeOfContents(corner: Corner, all: RegionContents): Leaf | RegionNode | undefined {
  const first = all.findIndex((content) => content !== undefined);
  const content = all[first];
  if (content === undefined) return undefined;
  // If it is a box, the first chunk is its lowest corner and the last its highest.
  const box = leafBetween(corner, first, lastChunk(all), content);
  return box !== undefined && isAll(box, all) ? box : RegionNode.of(corner, all);
}

function lastChunk(all: RegionContents): number {
  let last = REGION_CHUNKS - 1;
  while (all[last] === undefined) last--;
  return last;
}

function leafBetween(corner: Corner, first: number, last: number, content: Content): Leaf | undefined {
  const [minX, minY, minZ, minW] = coordinatesOf(first);
  const [maxX, maxY, maxZ, maxW] = coordinatesOf(last);
  if (maxX < minX || maxY < minY || maxZ < minZ || (first !== last && !isSpreadable(content)))
    return undefined;
  const { x, y, z, w } = corner;
  return new Leaf(
    x + minX,
    y + minY,
    z + minZ,
    w + minW,
    x + maxX + 1,
    y + maxY + 1,
    z + maxZ + 1,
    w + maxW + 1,
    content,
  );
}

/** Whether a leaf's content is in each of its chunks, and nothing is in the others. */
function isAll(leaf: Leaf, all: RegionContents): boolean {
  let covered = 0;
  forEachChunk(leaf, (chunk) => {
    const content = all[chunk];
    if (content !== undefined && contentEquals(content, leaf.content)) covered++;
  });
  const volume =
    (leaf.maxX - leaf.minX) * (leaf.maxY - leaf.minY) * (leaf.maxZ - leaf.minZ) * (leaf.maxW - leaf.minW);
  return (
    covered === volume &&
    covered === all.reduce((count, content) => (content === undefined ? count : count + 1), 0)
  );
}

/** Calls `visit` for the chunks that a leaf covers, in a region that contains all of it. */
function forEachChunk(leaf: Leaf, visit: (chunk: number) => void): void {
  for (let w = leaf.minW; w < leaf.maxW; w++) {
    for (let z = leaf.minZ; z < leaf.maxZ; z++) {
      for (let y = leaf.minY; y < leaf.maxY; y++) {
        for (let x = leaf.minX; x < leaf.maxX; x++) visit(nodeIndexOf(x, y, z, w));
      }
    }
  }
}
