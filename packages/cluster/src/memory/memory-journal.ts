import { OrthantError } from "@orthant/core";
import {
  APPEND_RECORDS_MAX,
  type AppendOutcome,
  type JournalRecord,
  type JournalState,
  type PublishedRecord,
  type StoredRecord,
} from "../engine/engine.ts";

/** Outcome of an append, and the stored records to deliver to followers. */
export interface MemoryAppend {
  readonly outcome: AppendOutcome;
  readonly published: readonly Omit<PublishedRecord, "shard">[];
}

/** The journal of one shard. */
export class MemoryJournal {
  readonly #bytesMax: number;
  /** Sequence of the last record about each region. */
  readonly #latest = new Map<string, number>();
  #records: StoredRecord[] = [];
  #first: number;
  #last: number;
  #bytes = 0;

  /** Creates an empty journal whose first record gets `firstSequence`. */
  constructor(firstSequence: number, bytesMax: number) {
    this.#first = firstSequence;
    this.#last = firstSequence - 1;
    this.#bytesMax = bytesMax;
  }

  get state(): JournalState {
    return { first: this.#first, last: this.#last, bytes: this.#bytes };
  }

  append(records: readonly JournalRecord[], expectedLast: number): MemoryAppend {
    if (records.length < 1 || records.length > APPEND_RECORDS_MAX)
      throw new OrthantError("ORT_ARGUMENT", `an append of ${records.length} records`);
    if (expectedLast !== this.#last) return { outcome: { kind: "stale" }, published: [] };
    const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0);
    if (this.#bytes + bytes > this.#bytesMax) return { outcome: { kind: "full" }, published: [] };
    const published = records.map((record) => this.#store(record));
    this.#bytes += bytes;
    return { outcome: { kind: "stored", last: this.#last }, published };
  }

  read(from: number, to: number): readonly StoredRecord[] {
    if (from < this.#first || to > this.#last)
      throw new OrthantError(
        "ORT_JOURNAL",
        `records ${from} to ${to} of a journal of ${this.#first} to ${this.#last}`,
      );
    return this.#records.slice(from - this.#first, to - this.#first + 1);
  }

  trim(upTo: number): void {
    const first = Math.max(this.#first, Math.min(upTo, this.#last) + 1);
    const trimmed = this.#records.splice(0, first - this.#first);
    this.#bytes -= trimmed.reduce((sum, record) => sum + record.bytes.length, 0);
    this.#first = first;
  }

  #store({ subject, bytes }: JournalRecord): Omit<PublishedRecord, "shard"> {
    const record: StoredRecord = { subject, bytes: bytes.slice(), sequence: ++this.#last };
    this.#records.push(record);
    if (subject.kind !== "region") return { ...record, previous: 0 };
    const before = this.#latest.get(subject.region) ?? 0;
    this.#latest.set(subject.region, record.sequence);
    return { ...record, previous: before < this.#first ? 0 : before };
  }
}
