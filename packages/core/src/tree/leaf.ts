import type { Content } from "./content.ts";

/** A box of one content. Its bounds are plain numbers, half-open, because there are millions of leaves. */
export class Leaf {
  readonly minX: number;
  readonly minY: number;
  readonly minZ: number;
  readonly minW: number;
  readonly maxX: number;
  readonly maxY: number;
  readonly maxZ: number;
  readonly maxW: number;
  readonly content: Content;

  constructor(
    minX: number,
    minY: number,
    minZ: number,
    minW: number,
    maxX: number,
    maxY: number,
    maxZ: number,
    maxW: number,
    content: Content,
  ) {
    this.minX = minX;
    this.minY = minY;
    this.minZ = minZ;
    this.minW = minW;
    this.maxX = maxX;
    this.maxY = maxY;
    this.maxZ = maxZ;
    this.maxW = maxW;
    this.content = content;
  }
}

/** Returns a leaf of one chunk. */
export function leafAt(x: number, y: number, z: number, w: number, content: Content): Leaf {
  return new Leaf(x, y, z, w, x + 1, y + 1, z + 1, w + 1, content);
}

/** Returns the part of a leaf in a box; the leaf itself if that is all of it. */
export function clipLeaf(
  leaf: Leaf,
  minX: number,
  minY: number,
  minZ: number,
  minW: number,
  maxX: number,
  maxY: number,
  maxZ: number,
  maxW: number,
): Leaf | undefined {
  const lowX = Math.max(leaf.minX, minX);
  const lowY = Math.max(leaf.minY, minY);
  const lowZ = Math.max(leaf.minZ, minZ);
  const lowW = Math.max(leaf.minW, minW);
  const highX = Math.min(leaf.maxX, maxX);
  const highY = Math.min(leaf.maxY, maxY);
  const highZ = Math.min(leaf.maxZ, maxZ);
  const highW = Math.min(leaf.maxW, maxW);
  if (lowX >= highX || lowY >= highY || lowZ >= highZ || lowW >= highW) return undefined;
  const clipped = new Leaf(lowX, lowY, lowZ, lowW, highX, highY, highZ, highW, leaf.content);
  return sameSides(leaf, clipped) ? leaf : clipped;
}

/** Whether two leaves have the same box. */
export function sameSides(a: Leaf, b: Leaf): boolean {
  return (
    a.minX === b.minX &&
    a.minY === b.minY &&
    a.minZ === b.minZ &&
    a.minW === b.minW &&
    a.maxX === b.maxX &&
    a.maxY === b.maxY &&
    a.maxZ === b.maxZ &&
    a.maxW === b.maxW
  );
}
