import { type Box, type Codec, list, type Place, placeCodec } from "@orthant/core";
import { type BlobRef, blobRefsCodec } from "./blob-ref.ts";

/** The version of one region. */
export interface RegionClock {
  readonly region: Place;
  readonly clock: number;
}

/** A leaf of the index: a cube of chunks, and where its content lies. */
export interface LeafEntry {
  readonly cell: Box;
  readonly blockRefs: readonly BlobRef[];
  readonly entityRefs: readonly BlobRef[];
  /** The clocks of the regions in the cell, in the order of the regions. */
  readonly clocks: readonly RegionClock[];
}

/** A leaf entry as its bytes have it: without the cell, which is its node's. */
export interface StoredLeaf extends Omit<LeafEntry, "cell"> {
  readonly leafId: number;
}

/** `format_version` of a tree index: 1 is the specification as it stands, 2 adds the clocks. */
export type IndexVersion = 1 | 2;

const CLOCKS_PER_LEAF_MAX = 16_777_216;

const clocksCodec = list<RegionClock>(
  {
    write(out, { region, clock }) {
      placeCodec.write(out, region);
      out.varUint(clock);
    },
    read: (input) => ({ region: placeCodec.read(input), clock: input.varUint() }),
  },
  CLOCKS_PER_LEAF_MAX,
);

/** What a leaf entry has behind its id. Rules S26 and S28. */
export function leafContentCodec(version: IndexVersion): Codec<Omit<LeafEntry, "cell">> {
  return {
    write(out, { blockRefs, entityRefs, clocks }) {
      blobRefsCodec.write(out, blockRefs);
      blobRefsCodec.write(out, entityRefs);
      if (version === 2) clocksCodec.write(out, clocks);
    },

    read: (input) => ({
      blockRefs: blobRefsCodec.read(input),
      entityRefs: blobRefsCodec.read(input),
      clocks: version === 2 ? clocksCodec.read(input) : [],
    }),
  };
}

/** One leaf entry. */
export function storedLeafCodec(version: IndexVersion): Codec<StoredLeaf> {
  const content = leafContentCodec(version);
  return {
    write(out, leaf) {
      out.varU32(leaf.leafId);
      content.write(out, leaf);
    },

    read: (input) => ({ leafId: input.varU32(), ...content.read(input) }),
  };
}
