import type { PackedRecord } from "../files/pack-table.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import type { LeafEntry } from "../records/leaf-entry.ts";

/** Records are gathered by stretches of their pack, each of which is sorted, read and written at once. */
const STRETCH_BYTES = 256 * 1024;

/** Which records generations need, pack by pack. It takes some 40 bytes of memory for each. */
export class RecordMark {
  readonly #packs = new Map<number, PackMark>();

  /** Adds the records of a leaf. */
  addLeaf({ blockRefs, entityRefs }: LeafEntry): void {
    for (const ref of blockRefs) this.#add(ref);
    for (const ref of entityRefs) this.#add(ref);
  }

  /** What is needed of a pack; `undefined` when nothing is. */
  of(packId: number): PackMark | undefined {
    return this.#packs.get(packId);
  }

  #add({ dataFileId, recordOffset, recordBytes }: BlobRef): void {
    const pack = this.#packs.get(dataFileId) ?? new PackMark();
    this.#packs.set(dataFileId, pack);
    pack.add({ firstOffset: recordOffset, bytes: recordBytes });
  }
}

/** Which records of one pack generations need. */
export class PackMark {
  /** The bytes of records by their first offsets, by stretch. */
  readonly #stretches = new Map<number, Map<number, number>>();
  #bytes = 0;
  #count = 0;
  #isContradictory = false;

  /** Adds a record, which may be there already. */
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

  /** Bytes of all records. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many records there are. */
  get count(): number {
    return this.#count;
  }

  /** Whether two references name one place and mean records of different lengths, of which one is wrong. */
  get isContradictory(): boolean {
    return this.#isContradictory;
  }

  /** The records in the order of their first offsets, stretch by stretch. */
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
