/** The value of a key, and where it stands in the order of all writes to the table. */
export interface Entry {
  readonly key: string;
  /** `undefined` when the key was removed. */
  readonly value: Uint8Array | undefined;
  /** Rises with every write to any key of the table, also over the loss of all of it: no revision comes again. */
  readonly revision: number;
}

/** Small values that all nodes see in one order. A write that was answered is stored by a quorum. */
export interface Table {
  get(key: string): Promise<Entry | undefined>;
  /** Writes whatever was there before; gives the revision. */
  put(key: string, value: Uint8Array): Promise<number>;
  /** Writes when the key stands at this revision, 0 when it is not there; `undefined` when it is not so. */
  swap(key: string, value: Uint8Array, expected: number): Promise<number | undefined>;
  /**
   * Calls back for every key that begins with the prefix as it stands, then for every write, in the order of revisions.
   * Resolves after the former. A write that another one to the same key has followed may be left out.
   */
  watch(prefix: string, listener: (entry: Entry) => void): Promise<Subscription>;
}

/** A record for a journal: about one region, or a control record of the shard. */
export interface JournalRecord {
  readonly subject: JournalSubject;
  readonly bytes: Uint8Array;
}

/** What a record is about. Subscribers follow cells; `control` records reach nobody but readers of the journal. */
export type JournalSubject =
  | { readonly kind: "region"; readonly cell: string; readonly region: string }
  | { readonly kind: "control" };

/** A record that is stored. */
export interface StoredRecord extends JournalRecord {
  readonly sequence: number;
}

/** A record as subscribers of a cell get it, after it was stored. */
export interface PublishedRecord extends StoredRecord {
  readonly shard: string;
  /** The sequence of the last record about the same region before it; 0 when there is none, or it was folded. */
  readonly previous: number;
}

/** Where a journal begins and ends. `last` stays when everything before it was folded; an empty one has `first > last`. */
export interface JournalState {
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
}

/** What became of an append. Anything else that may happen is thrown, and means: unknown, read the tail. */
export type AppendOutcome =
  | { readonly kind: "stored"; readonly last: number }
  /** The journal does not end where the writer thought: somebody else wrote. Nothing was stored. */
  | { readonly kind: "stale" }
  /** The journal may not grow. Nothing was stored. */
  | { readonly kind: "full" };

/** How many records one append takes. */
export const APPEND_RECORDS_MAX = 1000;

/** The log of a shard since its last snapshot. When it is gone, its methods reject with `ORT_JOURNAL`. */
export interface Journal {
  state(): Promise<JournalState>;
  /**
   * Stores all records or none, if the journal ends at `expectedLast`. Resolves when a quorum has them on disk. Takes 1
   * to {@link APPEND_RECORDS_MAX} of them.
   */
  append(records: readonly JournalRecord[], expectedLast: number): Promise<AppendOutcome>;
  /** The records `from` to `to`, both included, in order; throws `ORT_JOURNAL` when one of them is not there. */
  read(from: number, to: number): AsyncIterable<StoredRecord>;
  /** Lets go of all records up to this one. Sequences go on. */
  fold(upTo: number): Promise<void>;
}

/** Until `end` is called, callbacks come; after it none does. Other nodes learn a moment late that somebody listens. */
export interface Subscription {
  end(): void;
}

/** How the node sees the engine. `lagging`: deliveries were lost, so whatever was followed has a gap. */
export type EngineStatus = "connected" | "disconnected" | "lagging";

/**
 * What a cluster needs of the system that it is built on. Every promise may reject with an `OrthantError`:
 * `ORT_ENGINE_AWAY` when the engine did not answer, after which nobody knows whether it was done, and `ORT_CLOSED`
 * after `close`.
 */
export interface Engine {
  readonly table: Table;
  /** The journal of a shard. It is made, to begin at `firstSequence`, when it is not there. */
  journal(world: string, shard: string, firstSequence?: number): Promise<Journal>;
  /** The journal of a shard when it is there. */
  findJournal(world: string, shard: string): Promise<Journal | undefined>;
  removeJournal(world: string, shard: string): Promise<void>;
  /** Calls back for every record about a region of the cell, of whatever shard, that is stored from now on. */
  follow(world: string, cell: string, listener: (record: PublishedRecord) => void): Promise<Subscription>;
  /**
   * Answers requests that are sent to this address. When several nodes do, each gets the question, and the first answer
   * counts. An answer that rejects makes the question reject with `ORT_ENGINE_AWAY`.
   */
  respond(address: string, answer: (question: Uint8Array) => Promise<Uint8Array>): Promise<Subscription>;
  /** Asks whoever responds at an address; rejects with `ORT_ENGINE_NOBODY` when nobody does. */
  request(address: string, question: Uint8Array, timeoutMilliseconds: number): Promise<Uint8Array>;
  /**
   * Tells everybody who listens, this node too, with no promise that it arrives: positions, presence. What arrives of one
   * topic arrives in order.
   */
  tell(topic: string, bytes: Uint8Array): void;
  listen(topic: string, listener: (bytes: Uint8Array) => void): Promise<Subscription>;
  onStatus(listener: (status: EngineStatus) => void): Subscription;
  close(): Promise<void>;
}
