import {
  type Box,
  boxEquals,
  type Codec,
  list,
  positionCodec,
  positionsEqual,
  type RegionClock,
} from "@orthant/core";
import { type BlobRef, blobRefsCodec, isSameRef } from "./blob-ref.ts";

/** A leaf of the index: a cube of chunks, and the location of its content. */
export interface LeafEntry {
  readonly cell: Box;
  readonly chunkRefs: readonly BlobRef[];
  readonly entityRefs: readonly BlobRef[];
  /** Number of chunks in its chunk records; 0 when unknown. */
  readonly chunks: number;
  /** Clocks of the regions in the cell, in region order. */
  readonly clocks: readonly RegionClock[];
}

/** A leaf entry as encoded: without the cell, which its node has. */
export interface StoredLeaf extends Omit<LeafEntry, "cell"> {
  readonly leafId: number;
}

/** `format_version` of a single-file tree index: 1 follows the specification, 2 adds the clocks. */
export type WholeIndexVersion = 1 | 2;

/** `format_version` of a tree index: the single-file versions, and 3, which is split into pages. */
export type IndexVersion = WholeIndexVersion | 3;

/** Maximum number of clocks in a leaf. */
export const CLOCKS_PER_LEAF_MAX = 16_777_216;

const clocksCodec = list<RegionClock>(
  {
    write(out, { region, clock }) {
      positionCodec.write(out, region);
      out.varUint(clock);
    },
    read: (input) => ({ region: positionCodec.read(input), clock: input.varUint() }),
  },
  CLOCKS_PER_LEAF_MAX,
);

/** Codec of the part of a leaf entry after its id. Rules S26 and S28. */
export function leafContentCodec(version: WholeIndexVersion): Codec<Omit<LeafEntry, "cell">> {
  return {
    write(out, { chunkRefs, entityRefs, clocks }) {
      blobRefsCodec.write(out, chunkRefs);
      blobRefsCodec.write(out, entityRefs);
      if (version === 2) clocksCodec.write(out, clocks);
    },

    read: (input) => ({
      chunkRefs: blobRefsCodec.read(input),
      entityRefs: blobRefsCodec.read(input),
      chunks: 0,
      clocks: version === 2 ? clocksCodec.read(input) : [],
    }),
  };
}

/** Codec of one leaf entry. */
export function storedLeafCodec(version: WholeIndexVersion): Codec<StoredLeaf> {
  const content = leafContentCodec(version);
  return {
    write(out, leaf) {
      out.varU32(leaf.leafId);
      content.write(out, leaf);
    },

    read: (input) => ({ leafId: input.varU32(), ...content.read(input) }),
  };
}

/** Returns whether two leaves have the same cell, records and clocks. */
export function isSameLeaf(a: LeafEntry, b: LeafEntry): boolean {
  return (
    a === b ||
    (boxEquals(a.cell, b.cell) &&
      isSameList(a.chunkRefs, b.chunkRefs, isSameRef) &&
      isSameList(a.entityRefs, b.entityRefs, isSameRef) &&
      isSameList(a.clocks, b.clocks, isSameClock))
  );
}

function isSameClock(a: RegionClock, b: RegionClock): boolean {
  return a.clock === b.clock && positionsEqual(a.region, b.region);
}

function isSameList<Item>(
  a: readonly Item[],
  b: readonly Item[],
  isSame: (a: Item, b: Item) => boolean,
): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index] as Item));
}
