import type { Box, Position } from "@orthant/core";
import {
  boxEquals,
  comparePositions,
  PositionSet,
  positionsEqual,
  REGION_EDGE_CHUNKS,
} from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import { isSameRef, type RecordRef } from "../codec/blob.ts";
import type { TaggedPart } from "../codec/blob-sections.ts";
import { describeCube } from "./cube.ts";

/** A leaf of the index: a cube of chunks, and the location of its content. */
export interface LeafEntry {
  readonly cube: Box;
  readonly chunkRefs: readonly RecordRef[];
  readonly entityRefs: readonly RecordRef[];
  /** Number of chunks in its chunk records; 0 when unknown. */
  readonly chunks: number;
  /** Clocks of the regions in the cube, in region order. */
  readonly clocks: readonly RegionClock[];
  /** What an index of version 4 says about the leaf besides. They hold for exactly this entry. Rule S118. */
  readonly parts?: readonly TaggedPart[];
}

/** `format_version` of a single-file tree index: 1 follows the specification, 2 adds the clocks. */
export type WholeIndexVersion = 1 | 2;

/** `format_version` of a page: 4 adds parts to entries and links. */
export type PageVersion = 3 | 4;

/** Returns whether an index of this version consists of pages. */
export function isPageVersion(version: number): version is PageVersion {
  return version === 3 || version === 4;
}

/** `format_version` of a tree index: the single-file versions, and those that are split into pages. */
export type IndexVersion = WholeIndexVersion | PageVersion;

/** Versions in which a save can begin: 3 only follows from 2, when an index grows. */
export type NewIndexVersion = Exclude<IndexVersion, 3>;

/** Maximum number of clocks in a leaf. */
export const CLOCKS_PER_LEAF_MAX = 16_777_216;

/** Returns whether two leaves have the same cube, records and clocks. */
export function isSameLeaf(a: LeafEntry, b: LeafEntry): boolean {
  return (
    a === b ||
    (boxEquals(a.cube, b.cube) &&
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

/**
 * Returns the first fault in the content of leaves, whose cubes must be in order; `undefined` if there is
 * none.
 */
export function findLeafFault(leaves: readonly LeafEntry[]): string | undefined {
  const regions = new PositionSet();
  for (const { cube, chunkRefs, entityRefs, clocks } of leaves) {
    // Formatted lazily: every commit checks every leaf here.
    const where = (): string => `the leaf at ${describeCube(cube)}`;
    if (chunkRefs.length + entityRefs.length + clocks.length === 0) return `${where()} holds nothing`;
    for (const [index, { region }] of clocks.entries()) {
      const previous = clocks[index - 1];
      if (previous !== undefined && comparePositions(previous.region, region) >= 0) {
        return `${where()} lists the clock of region [${region}] out of order`;
      }
      if (!touches(cube, region)) return `${where()} has a clock of region [${region}]`;
      if (cube.max[0] - cube.min[0] >= REGION_EDGE_CHUNKS) continue;
      // Only leaves smaller than a region can share one.
      if (regions.has(...region)) return `two leaves have a clock of region [${region}]`;
      regions.add(...region);
    }
  }
  return undefined;
}

/**
 * Returns whether a region's chunks intersect an aligned cube. Either one contains the other, or they are
 * disjoint.
 */
function touches({ min, max }: Box, [x, y, z, w]: Position): boolean {
  const edge = REGION_EDGE_CHUNKS;
  return (
    x * edge < max[0] &&
    min[0] < (x + 1) * edge &&
    y * edge < max[1] &&
    min[1] < (y + 1) * edge &&
    z * edge < max[2] &&
    min[2] < (z + 1) * edge &&
    w * edge < max[3] &&
    min[3] < (w + 1) * edge
  );
}

/** Sums over the content of leaves. */
export interface IndexTotals {
  readonly leaves: number;
  /** Without those of uncounted leaves. */
  readonly chunks: number;
  /** Number of leaves with an unknown number of chunks, from an index that does not record it. */
  readonly uncounted: number;
  readonly clocks: number;
  /** Bytes of all records, including their headers. */
  readonly recordBytes: number;
}

/** Totals of no leaves. */
const NO_TOTALS: IndexTotals = { leaves: 0, chunks: 0, uncounted: 0, clocks: 0, recordBytes: 0 };

/** Returns the totals of one leaf. */
export function totalsOfLeaf({ chunks, clocks, chunkRefs, entityRefs }: LeafEntry): IndexTotals {
  let recordBytes = 0;
  for (const ref of chunkRefs) recordBytes += ref.recordBytes;
  for (const ref of entityRefs) recordBytes += ref.recordBytes;
  const uncounted = chunkRefs.length > 0 && chunks === 0 ? 1 : 0;
  return { leaves: 1, chunks, uncounted, clocks: clocks.length, recordBytes };
}

/** Adds up totals. */
export function sumTotals(parts: Iterable<IndexTotals>): IndexTotals {
  const sum = { ...NO_TOTALS };
  for (const { leaves, chunks, uncounted, clocks, recordBytes } of parts) {
    sum.leaves += leaves;
    sum.chunks += chunks;
    sum.uncounted += uncounted;
    sum.clocks += clocks;
    sum.recordBytes += recordBytes;
  }
  return sum;
}
