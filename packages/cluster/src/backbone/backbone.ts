/** A key's value, and its place in the order of all writes to the table. */
export interface TableEntry {
  readonly key: string;
  /** `undefined` if the key was removed. */
  readonly value: Uint8Array | undefined;
  /** Rises with every write to any key, even across a loss of the whole table: no revision is ever reused. */
  readonly revision: number;
}

/** Small values that all nodes see in one order. An acknowledged write is stored by a quorum. */
export interface BackboneTable {
  /** Returns the last write to a key; `undefined` if there was none. */
  get(key: string): Promise<TableEntry | undefined>;
  /** Writes unconditionally. Returns the revision. */
  put(key: string, value: Uint8Array): Promise<number>;
  /** Writes if the key is at revision `expected`, where 0 means absent. Returns `undefined` otherwise. */
  swap(key: string, value: Uint8Array, expected: number): Promise<number | undefined>;
  /**
   * Calls `listener` with the current entry of every key that begins with `prefix`, then with every write, in
   * order of revisions. Resolves after the current entries. May skip a write that a later one to the same key
   * supersedes.
   */
  watch(prefix: string, listener: (entry: TableEntry) => void): Promise<Subscription>;
}

/** A record for a journal: about one region, or a control record of the shard. */
export interface JournalRecord {
  readonly subject: JournalSubject;
  readonly bytes: Uint8Array;
}

/** Subject of a record. Subscribers follow sectors; only readers of the journal see `control` records. */
export type JournalSubject =
  | { readonly kind: "region"; readonly sector: string; readonly region: string }
  | { readonly kind: "control" };

/** A stored record. */
export interface StoredRecord extends JournalRecord {
  readonly sequence: number;
}

/** Bounds of a journal. `last` stays when all records are trimmed; an empty journal has `first > last`. */
export interface JournalState {
  readonly first: number;
  readonly last: number;
  readonly bytes: number;
  /** True if it can be read and removed, and nothing else, for good. Then `append` rejects with `ORT_JOURNAL`. */
  readonly isSealed?: boolean;
}

/** Outcome of an append. A thrown error means that the outcome is unknown: read the tail. */
export type AppendOutcome =
  | { readonly kind: "stored"; readonly last: number }
  /** The journal does not end where the writer expected, because another node wrote. Nothing was stored. */
  | { readonly kind: "stale" }
  /** The journal has no room for the records. Nothing was stored. */
  | { readonly kind: "full" };

/** Maximum number of records in one append. */
export const APPEND_RECORDS_MAX = 1000;

/** The log of a shard since its last save. If the journal is gone, all methods reject with `ORT_JOURNAL`. */
export interface Journal {
  state(): Promise<JournalState>;
  /**
   * Stores all records or none, provided that the journal ends at `expectedLast`. Resolves when a quorum has
   * them on disk. Takes 1 to `APPEND_RECORDS_MAX` records. A journal that is full still stores control records, as
   * far as the backbone has room: a new owner needs them to save what the journal holds.
   */
  append(records: readonly JournalRecord[], expectedLast: number): Promise<AppendOutcome>;
  /** Yields the records `from` to `to`, inclusive, in order. Throws `ORT_JOURNAL` if one is missing. */
  read(from: number, to: number): AsyncIterable<StoredRecord>;
  /** Drops all records up to `upTo`. Sequences continue. */
  trim(upTo: number): Promise<void>;
  /**
   * Sets room aside for `bytes` of records in all: more than before as far as the backbone has room, or less. Returns the
   * size above which the journal is full from now on.
   */
  reserve(bytes: number): Promise<number>;
}

/** An active subscription. No callback comes after `end`. Other nodes learn of it with a short delay. */
export interface Subscription {
  end(): void;
}

/**
 * The node's view of the backbone. `lagging` means that deliveries were lost, so everything followed has a gap.
 */
export type BackboneStatus = "connected" | "disconnected" | "lagging";

/**
 * The services that a cluster needs from its underlying system. Every promise may reject with an
 * `OrthantError`: `ORT_BACKBONE_AWAY` if the backbone did not answer, which leaves the outcome unknown, and
 * `ORT_CLOSED` after `close`.
 */
export interface Backbone {
  readonly table: BackboneTable;
  /**
   * Opens the journal of a shard. Creates it, beginning at `firstSequence`, if it does not exist. Rejects with
   * `ORT_BACKBONE_FULL` if the backbone has no room for another journal.
   */
  journal(world: string, shard: string, firstSequence?: number): Promise<Journal>;
  /** Opens the journal of a shard if it exists. */
  findJournal(world: string, shard: string): Promise<Journal | undefined>;
  removeJournal(world: string, shard: string): Promise<void>;
  /**
   * Calls `listener` for every record about a region of the sector, of any shard, that is stored from now on.
   */
  follow(world: string, sector: string, listener: (record: Uint8Array) => void): Promise<Subscription>;
  /**
   * Answers requests sent to this address. If several nodes respond, each gets the request and the first
   * answer counts. If `answer` rejects, the request rejects with `ORT_BACKBONE_AWAY`.
   */
  respond(address: string, answer: (request: Uint8Array) => Promise<Uint8Array>): Promise<Subscription>;
  /** Sends a request to an address. Rejects with `ORT_BACKBONE_NO_RESPONDER` if no node responds there. */
  request(address: string, request: Uint8Array, timeoutMilliseconds: number): Promise<Uint8Array>;
  /**
   * Broadcasts to all listeners, including this node, without a delivery guarantee; used for positions and
   * presence. Messages of one topic that arrive do so in order.
   */
  broadcast(topic: string, bytes: Uint8Array): void;
  listen(topic: string, listener: (bytes: Uint8Array) => void): Promise<Subscription>;
  onStatus(listener: (status: BackboneStatus) => void): Subscription;
  close(): Promise<void>;
}
