import type { BlobRef } from "../codec/blob-ref.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import type { PackedRecord } from "../pack/pack-table.ts";

/** Records are grouped by stretches of their pack. Each stretch is sorted, read and written at once. */
const STRETCH_BYTES = 256 * 1024;

/** The records that generations need, by pack. Takes about 40 bytes of memory per record. */
export class RecordMark {
  readonly #packs = new Map<number, PackMark>();

  /** Adds the records of a leaf. */
  addLeaf({ chunkRefs, entityRefs }: LeafEntry): void {
    for (const ref of chunkRefs) this.#add(ref);
    for (const ref of entityRefs) this.#add(ref);
  }

  /** Returns the needed part of a pack; `undefined` if there is none. */
  of(packId: number): PackMark | undefined {
    return this.#packs.get(packId);
  }

  #add({ dataFileId, recordOffset, recordBytes }: BlobRef): void {
    const pack = this.#packs.get(dataFileId) ?? new PackMark();
    this.#packs.set(dataFileId, pack);
    pack.add({ firstOffset: recordOffset, bytes: recordBytes });
  }
}

/** The records of one pack that generations need. */
export class PackMark {
  /** Sizes of records by their original offsets, by stretch. */
  readonly #stretches = new Map<number, Map<number, number>>();
  #bytes = 0;
  #count = 0;
  #isContradictory = false;

  /** Adds a record, unless it is already there. */
  add({ firstOffset, bytes }: PackedRecord): void {
    const number = Math.floor(firstOffset / STRETCH_BYTES);
    const stretch = this.#stretches.get(number) ?? new Map<number, number>();
    this.#stretches.set(number, stretch);
    const known = stretch.get(firstOffset);
    if (known === undefined) {
      stretch.set(firstOffset, bytes);
      this.#bytes += bytes;
      this.#count++;
    } else if (known !== bytes) this.#isContradictory = true;
  }

  /** Total bytes of all records. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of records. */
  get count(): number {
    return this.#count;
  }

  /** Whether two references give different lengths for one offset, so that one of them is wrong. */
  get isContradictory(): boolean {
    return this.#isContradictory;
  }

  /** Yields the records in the order of their original offsets, stretch by stretch. */
  *stretches(): Generator<readonly PackedRecord[]> {
    for (const number of [...this.#stretches.keys()].sort((a, b) => a - b)) {
      const records = Array.from(this.#stretches.get(number) ?? [], ([firstOffset, bytes]) => ({
        firstOffset,
        bytes,
      }));
      yield records.sort((a, b) => a.firstOffset - b.firstOffset);
    }
  }
}
