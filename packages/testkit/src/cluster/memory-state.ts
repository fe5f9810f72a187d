import type { AppendOutcome, JournalRecord, JournalState, StoredRecord, TableEntry } from "@orthant/cluster";
import { APPEND_RECORDS_MAX } from "@orthant/cluster/internal";
import { OrthantError, type TimeSource } from "@orthant/core";

/** Fault injection settings of the backbone. Probabilities are from 0 to 1. */
export interface BackboneFaultPlan {
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Probability that a call never arrives. */
  readonly requestLoss: number;
  /** Probability that a call is executed but its answer is lost. */
  readonly answerLoss: number;
  /** Probability that a record or message silently fails to reach one of its subscribers. */
  readonly deliveryLoss: number;
}

/** No faults: everything arrives after a short delay. */
export const NO_ENGINE_FAULTS: BackboneFaultPlan = {
  delayMsMin: 1,
  delayMsMax: 1,
  requestLoss: 0,
  answerLoss: 0,
  deliveryLoss: 0,
};

/** What a node may not do any more: write to the table, or write to journals. */
export type DeniedWrites = "none" | "table" | "journal";

/** Dependencies and settings of the in-memory backbone. */
export interface MemoryHubOptions {
  readonly time: TimeSource;
  /** Returns a number from 0 up to but excluding 1. The source of all randomness, in one order. */
  readonly random: () => number;
  /** Size of a new journal, and the largest one. Both are large by default. */
  readonly journalBytesMin?: number;
  readonly journalBytesMax?: number;
}

const JOURNAL_BYTES_MIN = 16 * 1024 * 1024;
const JOURNAL_BYTES_MAX = 1_073_741_824;
/** Factor between two sizes of a journal. */
const JOURNAL_GROWTH = 4;
/** Gap between the revisions of a lost table and those of its replacement. */
const LOST_REVISIONS = 1_000;

/** Outcome of an append, and the stored records to deliver to followers. */
export interface MemoryAppend {
  readonly outcome: AppendOutcome;
  readonly published: readonly StoredRecord[];
}

/** The journal of one shard. */
export class MemoryJournal {
  #bytesMax: number;
  /** Whether nothing can be appended any more, nor trimmed. */
  isSealed = false;
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

  /** Size above which it is full. */
  get bytesMax(): number {
    return this.#bytesMax;
  }

  get state(): JournalState {
    return {
      first: this.#first,
      last: this.#last,
      bytes: this.#bytes,
      ...(this.isSealed && { isSealed: true }),
    };
  }

  append(records: readonly JournalRecord[], expectedLast: number): MemoryAppend {
    if (records.length < 1 || records.length > APPEND_RECORDS_MAX)
      throw new OrthantError("ORT_ARGUMENT", `an append of ${records.length} records`);
    if (this.isSealed) throw new OrthantError("ORT_JOURNAL", "the journal is sealed");
    if (expectedLast !== this.#last) return { outcome: { kind: "stale" }, published: [] };
    const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0);
    const isControl = records.every(({ subject }) => subject.kind === "control");
    if (this.#bytes + bytes > this.#bytesMax && !isControl)
      return { outcome: { kind: "full" }, published: [] };
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
    if (this.isSealed) throw new OrthantError("ORT_JOURNAL", "the journal is sealed");
    const first = Math.max(this.#first, Math.min(upTo, this.#last) + 1);
    const trimmed = this.#records.splice(0, first - this.#first);
    this.#bytes -= trimmed.reduce((sum, record) => sum + record.bytes.length, 0);
    this.#first = first;
  }

  /** Makes it full as it is. */
  fill(): void {
    this.#bytesMax = this.#bytes;
  }

  /** Changes the size unless more is held. Returns the size afterwards. */
  resize(bytesMax: number): number {
    if (bytesMax > this.#bytesMax || this.#bytes * 2 <= bytesMax) this.#bytesMax = bytesMax;
    return this.#bytesMax;
  }

  #store({ subject, bytes }: JournalRecord): StoredRecord {
    const record: StoredRecord = { subject, bytes: bytes.slice(), sequence: ++this.#last };
    this.#records.push(record);
    return record;
  }
}

/** The values of all keys, in order of their writes. */
export class MemoryTable {
  readonly #entries = new Map<string, TableEntry>();
  #revision = 0;

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  get(key: string): TableEntry | undefined {
    return this.#entries.get(key);
  }

  /** Writes a value. Returns the entry. */
  put(key: string, value: Uint8Array): TableEntry {
    const entry: TableEntry = { key, value: value.slice(), revision: ++this.#revision };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** Writes if the key is at revision `expected`. Returns `undefined` otherwise. */
  swap(key: string, value: Uint8Array, expected: number): TableEntry | undefined {
    return (this.#entries.get(key)?.revision ?? 0) === expected ? this.put(key, value) : undefined;
  }

  /** Returns the current entries with `prefix` that were written after a revision, in order. */
  since(revision: number, prefix: string): readonly TableEntry[] {
    // Each write moves its key to the end, so the map is in order of revisions.
    return [...this.#entries.values()].filter(
      (entry) => entry.revision > revision && entry.key.startsWith(prefix),
    );
  }

  /** Loses everything, like a backbone whose disks are all gone. No earlier revision is ever reused. */
  lose(): void {
    this.#entries.clear();
    this.#revision += LOST_REVISIONS;
  }
}

/** The state that a quorum of servers would hold, and the faults on the way to it. */
export class MemoryState {
  readonly time: TimeSource;
  readonly random: () => number;
  readonly table: MemoryTable = new MemoryTable();
  faultPlan: BackboneFaultPlan = NO_ENGINE_FAULTS;
  /** False while the backbone sets nothing aside: no journal can be made or grow. */
  hasRoom = true;
  readonly #journalBytesMin: number;
  readonly #journalBytesMax: number;
  readonly #journals = new Map<string, MemoryJournal>();
  #isAway = false;
  #whenBack: (() => void)[] = [];

  constructor({ time, random, ...sizes }: MemoryHubOptions) {
    const { journalBytesMax = JOURNAL_BYTES_MAX } = sizes;
    const { journalBytesMin = Math.min(journalBytesMax, JOURNAL_BYTES_MIN) } = sizes;
    this.time = time;
    this.random = random;
    this.#journalBytesMin = journalBytesMin;
    this.#journalBytesMax = journalBytesMax;
  }

  /** True while there is no leader. Calls are then lost, or executed once there is one and never answered. */
  get isAway(): boolean {
    return this.#isAway;
  }

  set isAway(isAway: boolean) {
    this.#isAway = isAway;
    if (isAway) return;
    for (const act of this.#whenBack.splice(0)) act();
  }

  /** Runs `act` as soon as there is a leader. */
  whenLed(act: () => void): void {
    if (this.#isAway) this.#whenBack.push(act);
    else act();
  }

  /** Returns a random transit time. */
  delayMs(): number {
    const { delayMsMin, delayMsMax } = this.faultPlan;
    return delayMsMin + Math.floor(this.random() * (delayMsMax - delayMsMin + 1));
  }

  /** Returns true with the given probability. */
  happens(chance: number): boolean {
    return chance > 0 && this.random() < chance;
  }

  journal(world: string, shard: string): MemoryJournal | undefined {
    return this.#journals.get(journalKey(world, shard));
  }

  /** Returns the journal of a shard. Creates it, beginning at `firstSequence`, if it does not exist. */
  makeJournal(world: string, shard: string, firstSequence: number): MemoryJournal {
    const known = this.journal(world, shard);
    if (known !== undefined) return known;
    if (!this.hasRoom)
      throw new OrthantError("ORT_BACKBONE_FULL", `there is no room for a journal of shard ${shard}`);
    const journal = new MemoryJournal(firstSequence, this.#journalBytesMin);
    this.#journals.set(journalKey(world, shard), journal);
    return journal;
  }

  /** Sets room aside for a journal. Returns the size that it has then. */
  reserve(journal: MemoryJournal, bytes: number): number {
    let size = this.#journalBytesMin;
    while (size < bytes) size *= JOURNAL_GROWTH;
    size = Math.min(size, this.#journalBytesMax);
    return size > journal.bytesMax && !this.hasRoom ? journal.bytesMax : journal.resize(size);
  }

  /** Loses a journal with its content, or removes one that is not needed any more. */
  loseJournal(world: string, shard: string): void {
    this.#journals.delete(journalKey(world, shard));
  }
}

function journalKey(world: string, shard: string): string {
  return `${world}/${shard}`;
}
