import type { ChunkShape } from "@orthant/core";
import type { SaveLimits } from "../codec/layout.ts";
import { bulkTrie, EncodedLeaves } from "../leaves/bulk-index.ts";
import {
  draftOf,
  finishLeaves,
  LeafEncoder,
  type PlannedLeaf,
  recordsOfLeaves,
} from "../leaves/leaf-encoder.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import { partitionLeaf, prepareLeaf } from "../leaves/leaf-partition.ts";
import { type IndexPlace, type LaidOutIndex, NEWEST_FORMAT } from "../leaves/save-format.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import type { PackWriter } from "../pack/pack-writer.ts";
import { type BlobContext, readLeafEntities, readLeafStored } from "../read/blob-reader.ts";

/** Options for bringing a save to the newest versions. */
export interface UpgradeOptions {
  readonly nowMs: number;
  /** Called after each leaf of the save, of which `index.totals.leaves` has the number. */
  readonly onLeaf?: () => void;
}

/** Facts of the save. */
interface RewriteContext {
  readonly shape: ChunkShape;
  readonly limits: SaveLimits;
}

/** Writes leaves again with records of the newest versions, and collects their entries for a new index. */
export class LeafRewriter {
  /** Packs that got records. */
  readonly packIds: Set<number> = new Set<number>();
  readonly #leaves = new EncodedLeaves();
  readonly #packs: PackWriter;
  readonly #packReader: PackReader;
  readonly #blobs: BlobContext;
  readonly #context: RewriteContext;
  readonly #encoder: LeafEncoder;

  constructor(packs: PackWriter, packReader: PackReader, context: RewriteContext) {
    this.#packs = packs;
    this.#packReader = packReader;
    this.#context = context;
    this.#encoder = new LeafEncoder({ limits: context.limits, blobs: NEWEST_FORMAT.blobs });
    this.#blobs = { chunkVolume: context.shape.volume, limits: context.limits };
  }

  /** Writes all leaves of an index. */
  async rewriteAll(index: LeafIndex, onLeaf: (() => void) | undefined): Promise<void> {
    for await (const leaf of index.all()) {
      await this.#rewrite(leaf);
      onLeaf?.();
    }
  }

  /** Lays out the index of the rewritten leaves. Only a few of its pages are ever in memory. */
  layOut(place: IndexPlace): Promise<LaidOutIndex> {
    return NEWEST_FORMAT.layOut((pages) => bulkTrie(this.#leaves, pages), place);
  }

  /** Writes a leaf. Records that have the newest version already stay where they are. */
  async #rewrite(leaf: LeafEntry): Promise<void> {
    const planned = await this.#plan(leaf);
    const records = await recordsOfLeaves(planned);
    const refs = await this.#packs.append(records.flat());
    for (const { packId } of refs) this.packIds.add(packId);
    for (const entry of finishLeaves(planned, records, refs)) this.#leaves.add(entry);
  }

  async #plan(leaf: LeafEntry): Promise<readonly PlannedLeaf[]> {
    const { cube, chunkRefs, entityRefs, clocks } = leaf;
    const { version, entityVersion } = NEWEST_FORMAT.blobs;
    const isNew =
      leaf.chunks > 0 === chunkRefs.length > 0 &&
      chunkRefs.every(({ blobVersion }) => blobVersion === version) &&
      entityRefs.every(({ blobVersion }) => blobVersion === entityVersion);
    if (isNew) return [leaf];
    const chunks = await readLeafStored(this.#packReader, leaf, this.#blobs);
    const entities = await readLeafEntities(this.#packReader, leaf, this.#blobs);
    const content = prepareLeaf(cube, chunks, entities, clocks, this.#context.shape);
    const parts = await partitionLeaf(content, this.#context.limits);
    const planned: PlannedLeaf[] = [];
    for (const part of parts) planned.push(await this.#encoder.begin(draftOf(part)));
    return planned;
  }
}
