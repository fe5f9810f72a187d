import { type BlockAddress, describeAddress } from "../records/pointer.ts";

/** Location and size of a block. */
export interface Extent {
  readonly address: BlockAddress;
  readonly bytes: number;
}

/** The blocks of a state, each once however many pointers lead to it. */
export class BlockExtents {
  readonly #extents = new Map<string, Extent>();

  /** Adds a block. Two kinds of blocks at one address are added as two. */
  add(extent: Extent): void {
    this.#extents.set(`${describeAddress(extent.address)}+${extent.bytes}`, extent);
  }

  /** Returns all blocks in the order of blobs and addresses. */
  sorted(): readonly Extent[] {
    return [...this.#extents.values()].sort(
      ({ address: a }, { address: b }) => a.blob - b.blob || a.offset - b.offset,
    );
  }
}

/** Returns whether two blocks partly overlap. Equal extents may be the same block. */
export function collide(a: Extent, b: Extent): boolean {
  if (a.address.blob !== b.address.blob) return false;
  const isSame = a.address.offset === b.address.offset && a.bytes === b.bytes;
  const apart =
    a.address.offset + a.bytes <= b.address.offset || b.address.offset + b.bytes <= a.address.offset;
  return !isSame && !apart;
}
