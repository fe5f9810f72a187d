import { type BlockAddress, describeAddress } from "../records/pointer.ts";

/** Where a block begins and how long it is. */
export interface Extent {
  readonly address: BlockAddress;
  readonly bytes: number;
}

/** The blocks of a state, each once however many pointers lead to it. */
export class BlockExtents {
  readonly #extents = new Map<string, Extent>();

  /** Notes a block. What begins at one place as two kinds is noted as the two that it is. */
  add(extent: Extent): void {
    this.#extents.set(`${describeAddress(extent.address)}+${extent.bytes}`, extent);
  }

  /** All blocks in the order of blobs and addresses. */
  sorted(): readonly Extent[] {
    return [...this.#extents.values()].sort(
      ({ address: a }, { address: b }) => a.blob - b.blob || a.offset - b.offset,
    );
  }
}

/** Whether a block lies where another one is in part: equal blocks may well be one and the same. */
export function collide(a: Extent, b: Extent): boolean {
  if (a.address.blob !== b.address.blob) return false;
  const isSame = a.address.offset === b.address.offset && a.bytes === b.bytes;
  const apart =
    a.address.offset + a.bytes <= b.address.offset || b.address.offset + b.bytes <= a.address.offset;
  return !isSame && !apart;
}
