import {
  type Box,
  boxContains,
  boxContainsBox,
  boxEquals,
  type Chunk,
  type Position,
  PositionMap,
} from "@orthant/core";
import { type BlobRef, isSameRef } from "../codec/blob-ref.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import type { SaveContent } from "../index/save-content.ts";

/** State of a chunk: unedited, so as generated; edited to only air; or with other content. */
export type ChunkState = "untouched" | "empty" | "content";

/** A chunk that differs between two saves. */
export interface ChunkDifference {
  readonly position: Position;
  readonly before: ChunkState;
  readonly after: ChunkState;
  /**
   * Number of differing voxels; `undefined` if one side is untouched, which only a generator could determine.
   */
  readonly voxels: number | undefined;
}

/** The leaves of each side that may differ from the other's. */
export interface LeavesToCompare {
  before(): AsyncIterable<LeafEntry> | Iterable<LeafEntry>;
  after(): AsyncIterable<LeafEntry> | Iterable<LeafEntry>;
}

/**
 * Yields the chunks in which two saves with the same chunk shape differ. Their leaves need not coincide: each
 * is compared with those it intersects, with the larger one of a pair in memory. Aligned leaves, as in trees,
 * are read once.
 */
export async function* compareChunks(
  before: SaveContent,
  after: SaveContent,
  leaves: LeavesToCompare,
  options: { readonly samePacks?: boolean; readonly onLeaf?: () => void },
): AsyncGenerator<ChunkDifference> {
  const samePacks = options.samePacks === true;
  for await (const leaf of leaves.before()) {
    const others = await after.touching(leaf.cell);
    options.onLeaf?.();
    // A leaf inside a larger one is compared together with the larger one.
    if (others.some(({ cell }) => isLarger(cell, leaf.cell))) continue;
    if (others.length === 1 && samePacks && isSame(leaf, others[0] as LeafEntry)) continue;
    yield* compareAround(before, leaf, after, others, (position) => boxContains(leaf.cell, position));
  }
  for await (const leaf of leaves.after()) {
    const others = await before.touching(leaf.cell);
    options.onLeaf?.();
    const inside = others.filter(({ cell }) => isLarger(leaf.cell, cell));
    const beyond = others.filter(({ cell }) => !isLarger(leaf.cell, cell));
    if (beyond.some(({ cell }) => boxContainsBox(cell, leaf.cell))) continue;
    const isOurs = (position: Position): boolean =>
      boxContains(leaf.cell, position) && !beyond.some(({ cell }) => boxContains(cell, position));
    for await (const difference of compareAround(after, leaf, before, inside, isOurs)) {
      yield { ...difference, before: difference.after, after: difference.before };
    }
  }
}

/** Compares one leaf with those of another save, at positions accepted by `isOurs`. */
async function* compareAround(
  content: SaveContent,
  leaf: LeafEntry,
  otherContent: SaveContent,
  others: readonly LeafEntry[],
  isOurs: (position: Position) => boolean,
): AsyncGenerator<ChunkDifference> {
  const chunks = new PositionMap<Chunk>();
  for (const { position, chunk } of await content.readChunks(leaf)) {
    if (isOurs(position)) chunks.set(...position, chunk);
  }
  for (const other of others) {
    for (const { position, chunk } of await otherContent.readChunks(other)) {
      if (!isOurs(position)) continue;
      const ours = chunks.get(...position);
      if (ours !== undefined) chunks.delete(...position);
      if (ours === undefined || !ours.equals(chunk)) yield differenceAt(position, ours, chunk);
    }
  }
  for (const [position, chunk] of chunks) yield differenceAt(position, chunk, undefined);
}

function isLarger(outer: Box, inner: Box): boolean {
  return boxContainsBox(outer, inner) && !boxEquals(outer, inner);
}

function isSame(a: LeafEntry, b: LeafEntry): boolean {
  return (
    boxEquals(a.cell, b.cell) &&
    a.chunkRefs.length > 0 &&
    a.chunkRefs.length === b.chunkRefs.length &&
    a.chunkRefs.every((ref, index) => isSameRef(ref, b.chunkRefs[index] as BlobRef))
  );
}

function differenceAt(
  position: Position,
  before: Chunk | undefined,
  after: Chunk | undefined,
): ChunkDifference {
  return {
    position,
    before: stateOf(before),
    after: stateOf(after),
    voxels: before === undefined || after === undefined ? undefined : differingVoxels(before, after),
  };
}

function stateOf(chunk: Chunk | undefined): ChunkState {
  if (chunk === undefined) return "untouched";
  return chunk.isEmpty ? "empty" : "content";
}

function differingVoxels(before: Chunk, after: Chunk): number {
  const theirs = after.voxels();
  let count = 0;
  before.forEach((block, index) => {
    if (block !== theirs[index]) count++;
  });
  return count;
}
