import type { ChunkShape } from "@orthant/core";
import type { SaveLimits } from "../codec/layout.ts";
import { EncodedLeaves } from "../leaves/bulk-index.ts";
import {
  draftOf,
  type EncodeLeaf,
  finishLeaves,
  leafEncoder,
  type PlannedLeaf,
  recordsOfLeaves,
} from "../leaves/leaf-encoder.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import { partitionLeaf, prepareLeaf } from "../leaves/leaf-partition.ts";
import { NEWEST_FORMAT } from "../leaves/save-format.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import type { PackWriter } from "../pack/pack-writer.ts";
import { readLeafEntities, readLeafStored } from "../read/blob-reader.ts";

/** Options for bringing a save to the newest versions. */
export interface UpgradeOptions {
  readonly nowMs: number;
  /** Called after each leaf of the save, of which `index.totals.leaves` has the number. */
  readonly onLeaf?: () => void;
}

/** A save whose leaves are rewritten. */
interface RewriteContext {
  readonly packs: PackWriter;
  readonly packReader: PackReader;
  readonly shape: ChunkShape;
  readonly limits: SaveLimits;
}

/** The entries of the rewritten leaves. */
interface RewrittenLeaves {
  readonly leaves: EncodedLeaves;
  /** Packs that got records. */
  readonly packIds: ReadonlySet<number>;
}

/**
 * Writes the leaves of an index again, one at a time, with records of the newest versions. Records that have these
 * already stay where they are.
 */
export async function rewriteLeaves(
  index: LeafIndex,
  context: RewriteContext,
  onLeaf: (() => void) | undefined,
): Promise<RewrittenLeaves> {
  const leaves = new EncodedLeaves();
  const packIds = new Set<number>();
  const encode = leafEncoder({ limits: context.limits, blobs: NEWEST_FORMAT.blobs });
  for await (const leaf of index.all()) {
    const planned = isNewest(leaf) ? [leaf] : await planAgain(leaf, encode, context);
    const records = await recordsOfLeaves(planned);
    const refs = await context.packs.append(records.flat());
    for (const { packId } of refs) packIds.add(packId);
    for (const entry of finishLeaves(planned, records, refs)) leaves.add(entry);
    onLeaf?.();
  }
  return { leaves, packIds };
}

/** Returns whether a leaf has only records of the newest versions, and the number of its chunks. */
function isNewest({ chunks, chunkRefs, entityRefs }: LeafEntry): boolean {
  const { version, entityVersion } = NEWEST_FORMAT.blobs;
  return (
    chunks > 0 === chunkRefs.length > 0 &&
    chunkRefs.every(({ blobVersion }) => blobVersion === version) &&
    entityRefs.every(({ blobVersion }) => blobVersion === entityVersion)
  );
}

async function planAgain(
  leaf: LeafEntry,
  encode: EncodeLeaf,
  { packReader, shape, limits }: RewriteContext,
): Promise<readonly PlannedLeaf[]> {
  const blobs = { chunkVolume: shape.volume, limits };
  const chunks = await readLeafStored(packReader, leaf, blobs);
  const entities = await readLeafEntities(packReader, leaf, blobs);
  const content = prepareLeaf(leaf.cube, chunks, entities, leaf.clocks, shape);
  const planned: PlannedLeaf[] = [];
  for (const part of await partitionLeaf(content, limits)) planned.push(await encode(draftOf(part)));
  return planned;
}
