import { OrthantError, PlaceSet } from "@orthant/core";
import { type BlobContext, readBlockBlob, readEntityBlob } from "../blob-reader.ts";
import { packFile } from "../files/file-names.ts";
import type { PackShelf } from "../files/pack-shelf.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import type { EntityRecord } from "../records/entity-record.ts";
import type { LeafEntry } from "../records/leaf-entry.ts";
import type { BlockAssignment } from "../records/prepared-blocks.ts";
import { type Finding, findingOf } from "./finding.ts";
import { attempt } from "./survey.ts";

/** What is known about the blobs of a generation; without the global file, not how large a chunk is. */
export interface LeafContext extends Omit<BlobContext, "chunkVolume"> {
  readonly chunkVolume: number | undefined;
}

/** Reads every record that leaves refer to. Generations share most records; each is read once. */
export class LeafVerifier {
  readonly #shelf: PackShelf;
  /** What is wrong with a record, by where it is and whose it is. */
  readonly #seen = new Map<string, Verdict>();

  constructor(shelf: PackShelf) {
    this.#shelf = shelf;
  }

  /** Every fault in the content of leaves. */
  async verify(
    leaves: readonly LeafEntry[],
    context: LeafContext,
    generation: number,
  ): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const entityIds = new Set<bigint>();
    for (const { cell, blockRefs, entityRefs } of leaves) {
      const places = new PlaceSet();
      const report = (error: OrthantError, ref: BlobRef): void => {
        findings.push(findingOf(error, packFile(ref.dataFileId), generation, cell));
      };
      for (const ref of blockRefs) {
        const { error, blocks } = await this.#blocks(ref, cell, context);
        if (error !== undefined) report(error, ref);
        if (blockRefs.length === 1) continue;
        for (const { place } of blocks) {
          if (places.has(...place)) report(twice(ref, `the block at [${place}]`), ref);
          places.add(...place);
        }
      }
      for (const ref of entityRefs) {
        const { error, entityIds: ids } = await this.#entities(ref, cell, context);
        if (error !== undefined) report(error, ref);
        for (const id of ids) {
          if (entityIds.has(id)) report(twice(ref, `entity ${id}`), ref);
          entityIds.add(id);
        }
      }
    }
    return findings;
  }

  async #blocks(ref: BlobRef, cell: LeafEntry["cell"], context: LeafContext): Promise<Verdict> {
    return this.#once(ref, cell, async () => {
      const { chunkVolume } = context;
      const [blocks, error] = await attempt<readonly BlockAssignment[]>(async () => {
        if (chunkVolume !== undefined)
          return readBlockBlob(this.#shelf, ref, cell, { ...context, chunkVolume });
        // Without the global file only the checksum can be looked at.
        await this.#shelf.readPayload(ref, ref.recordBytes);
        return [];
      });
      // Chunks would fill the memory; only the places are looked at again.
      return { error, blocks: (blocks ?? []).map(({ place }) => ({ place })), entityIds: [] };
    });
  }

  async #entities(ref: BlobRef, cell: LeafEntry["cell"], context: LeafContext): Promise<Verdict> {
    return this.#once(ref, cell, async () => {
      const [entities, error] = await attempt<readonly EntityRecord[]>(() =>
        readEntityBlob(this.#shelf, ref, cell, { ...context, chunkVolume: 1 }),
      );
      return { error, blocks: [], entityIds: (entities ?? []).map(({ entityId }) => entityId) };
    });
  }

  async #once(ref: BlobRef, cell: LeafEntry["cell"], read: () => Promise<Verdict>): Promise<Verdict> {
    const key = [...Object.values(ref), cell.min, cell.max].join();
    let verdict = this.#seen.get(key);
    if (verdict === undefined) {
      verdict = await read();
      this.#seen.set(key, verdict);
    }
    return verdict;
  }
}

interface Verdict {
  readonly error: OrthantError | undefined;
  readonly blocks: readonly Pick<BlockAssignment, "place">[];
  readonly entityIds: readonly bigint[];
}

function twice(ref: BlobRef, what: string): OrthantError {
  return new OrthantError("ORT_BLOB", `${what} is stored twice`, { offset: ref.recordOffset });
}
