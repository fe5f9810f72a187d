import type { ChunkShape } from "@orthant/core";
import { PACKED_BLOB_VERSION, type SaveLimits, TABLE_BLOB_VERSION } from "../codec/layout.ts";
import { EncodedLeaves } from "../index/bulk-index.ts";
import type { LeafEntry } from "../index/leaf-entry.ts";
import { partitionLeaf, prepareLeaf } from "../index/leaf-partition.ts";
import { encodeLeaves, finishLeaves, type PlannedLeaf, plannedOf } from "../index/leaf-plan.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import type { PackWriter } from "../pack/pack-writer.ts";
import { type BlobContext, readLeafEntities, readLeafStored } from "../read/blob-reader.ts";

/** Options for bringing a save to the newest versions. */
export interface UpgradeOptions {
  readonly nowMs: number;
  /** Called after each leaf of the save, of which `index.totals.leaves` has the number. */
  readonly onLeaf?: () => void;
}

/** Parameters of the blobs, old and new. */
interface RewriteContext extends BlobContext {
  readonly limits: SaveLimits;
}

/** Writes leaves again with records of the newest versions, and collects their entries for a new index. */
export class LeafRewriter {
  /** The rewritten leaves. */
  readonly leaves: EncodedLeaves = new EncodedLeaves();
  /** Packs that got records. */
  readonly packIds: Set<number> = new Set<number>();
  readonly #packs: PackWriter;
  readonly #packReader: PackReader;
  readonly #context: RewriteContext;
  readonly #shape: ChunkShape;

  constructor(packs: PackWriter, packReader: PackReader, context: RewriteContext, shape: ChunkShape) {
    this.#packs = packs;
    this.#packReader = packReader;
    this.#context = context;
    this.#shape = shape;
  }

  /** Writes a leaf. Records that have the newest version already stay where they are. */
  async rewrite(leaf: LeafEntry): Promise<void> {
    const planned = await this.#plan(leaf);
    const records = await encodeLeaves(planned, this.#context.limits);
    const refs = await this.#packs.append(records.flat());
    for (const { packId } of refs) this.packIds.add(packId);
    for (const entry of finishLeaves(planned, records, refs)) this.leaves.add(entry);
  }

  async #plan(leaf: LeafEntry): Promise<readonly PlannedLeaf[]> {
    const { cube, chunkRefs, entityRefs, clocks } = leaf;
    const isNew =
      leaf.chunks > 0 === chunkRefs.length > 0 &&
      chunkRefs.every(({ blobVersion }) => blobVersion === TABLE_BLOB_VERSION) &&
      entityRefs.every(({ blobVersion }) => blobVersion === PACKED_BLOB_VERSION);
    if (isNew) return [leaf];
    const chunks = await readLeafStored(this.#packReader, leaf, this.#context);
    const entities = await readLeafEntities(this.#packReader, leaf, this.#context);
    const content = prepareLeaf(cube, chunks, entities, clocks, this.#shape);
    return partitionLeaf(content, this.#context.limits).map(plannedOf);
  }
}
