import { encode } from "@orthant/core";
import type { NewRecord } from "../files/pack-writer.ts";
import { BLOCK_BLOB, ENTITY_BLOB } from "../layout.ts";
import type { SaveLimits } from "../limits.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { encodeBlockBlob } from "../records/block-blob.ts";
import { entityBlobCodec } from "../records/entity-blob.ts";
import type { LeafEntry } from "../records/leaf-entry.ts";
import { entityBatches } from "./leaf-partition.ts";
import type { PlannedLeaf } from "./leaf-plan.ts";

/** The records that each leaf of a plan needs, blocks before entities. */
export function encodeLeaves(
  planned: readonly PlannedLeaf[],
  limits: SaveLimits,
): readonly (readonly NewRecord[])[] {
  return planned.map(({ cell, newBlocks = [], newEntities = [] }) => {
    const records: NewRecord[] = [];
    if (newBlocks.length > 0) records.push({ blobType: BLOCK_BLOB, payload: encodeBlockBlob(newBlocks) });
    for (const entities of entityBatches(cell, newEntities, limits)) {
      records.push({ blobType: ENTITY_BLOB, payload: encode(entityBlobCodec, { volume: cell, entities }) });
    }
    return records;
  });
}

/** The leaves of a plan with the references to their records, which come in the order of {@link encodeLeaves}. */
export function finishLeaves(
  planned: readonly PlannedLeaf[],
  records: readonly (readonly NewRecord[])[],
  refs: readonly BlobRef[],
): readonly LeafEntry[] {
  let next = 0;
  return planned.map(({ cell, blockRefs, entityRefs, chunks, clocks }, index) => {
    const count = records[index]?.length ?? 0;
    const own = refs.slice(next, next + count);
    next += count;
    const ofType = (type: number): readonly BlobRef[] => own.filter(({ blobType }) => blobType === type);
    return {
      cell,
      blockRefs: [...blockRefs, ...ofType(BLOCK_BLOB)],
      entityRefs: [...entityRefs, ...ofType(ENTITY_BLOB)],
      chunks,
      clocks,
    };
  });
}
