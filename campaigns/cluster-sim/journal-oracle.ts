import {
  clientKey,
  decodeShardRecord,
  ownerAnswerCodec,
  ownerRequestCodec,
  type RegionRecord,
} from "@orthant/cluster/internal";
import { type Chunk, isOrthantError, type Position } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import type { GeneratedSpace } from "@orthant/core/generate";
import { PositionMap, positionsEqual } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { chunkAfter } from "@orthant/save/journal";
import { MemoryHub, type MemoryHubOptions, type MemoryJournal } from "@orthant/testkit/cluster";
import type { ClusterWorkload } from "./cluster-workload.ts";
import { HerdOracle } from "./herd-oracle.ts";
import type { Shuttles } from "./shuttles.ts";

/** Content of a region at one clock: its changed chunks, by name. */
interface StoredState {
  readonly before: number;
  readonly chunks: ReadonlyMap<string, Chunk>;
}

/** An edit in a journal. */
interface StoredEdit {
  readonly clocks: { readonly region: Position; readonly after: number }[];
  readonly shards: Set<string>;
  isExcused: boolean;
  /** Its place among the edits of all clients, and where its group ends. */
  readonly author: number;
  groupEnd: number;
}

/** An edit that may be in no journal, made between two places in the order of all edits. */
interface UnstoredEdit {
  readonly clientId: bigint;
  readonly start: number;
  end: number;
}

type Stored = Parameters<MemoryHub["publish"]>[2];

/**
 * Knows everything that was ever stored, from the journals alone, and detects what must never be stored: a
 * record of a past term, a second owner in one term, a reused clock, a duplicate edit, a block without its data.
 */
export class JournalOracle {
  readonly #volume: number;
  readonly #space: GeneratedSpace;
  readonly #workload: Pick<ClusterWorkload, "faultOf">;
  readonly #clientsMax: number;
  readonly #fail: (error: Error) => void;
  readonly #states = new PositionMap<Map<number, StoredState>>();
  readonly #edits = new Map<string, StoredEdit>();
  /** Edits that an owner has rejected. Another one may take a repeat for a duplicate: it is decided. */
  readonly #rejected = new Set<string>();
  /** The clients of all edits, in the order of their records. */
  readonly #authors: bigint[] = [];
  /** Edits that may change nothing: a shard remembers them, and no journal has them. */
  readonly #unstored: UnstoredEdit[] = [];
  /** Where the current group begins. Its edits are stored at once, so that each may be the first of them. */
  #groupStart = 0;
  /** The term of each journal, and the node that began it. */
  readonly #terms = new Map<string, { term: number; node: string }>();
  /** The entities. */
  readonly herd: HerdOracle;
  /** The blocks that steps move across borders. */
  readonly shuttles: Shuttles;
  records = 0;

  constructor(
    volume: number,
    space: GeneratedSpace,
    workload: Pick<ClusterWorkload, "faultOf">,
    clientsMax: number,
    shuttles: Shuttles,
    fail: (error: Error) => void,
  ) {
    this.shuttles = shuttles;
    this.#clientsMax = clientsMax;
    this.#volume = volume;
    this.#space = space;
    this.#workload = workload;
    this.#fail = fail;
    this.herd = new HerdOracle(fail);
  }

  /** Checks and records what was stored in the journal of a shard. */
  record(shard: string, { published }: Stored): void {
    const group = new Set<string>();
    this.#groupStart = this.#authors.length;
    for (const { bytes, subject } of published) {
      this.records++;
      const record = decodeShardRecord(bytes, this.#volume);
      const known = this.#terms.get(shard) ?? { term: 0, node: "" };
      if (record.kind === "term") {
        if (record.term < known.term)
          this.#bad(`shard ${shard} went from term ${known.term} to ${record.term}`);
        if (record.term === known.term && record.node !== known.node)
          this.#bad(`shard ${shard} has two owners in term ${record.term}: ${known.node} and ${record.node}`);
        this.#terms.set(shard, { term: record.term, node: record.node });
        continue;
      }
      if (record.term !== known.term)
        this.#bad(`shard ${shard} took a record of term ${record.term} in term ${known.term}`);
      if (record.kind === "region") this.#takeRegion(shard, record, group);
      if (record.kind === "entities")
        this.herd.take(record, subject.kind === "region" ? subject.sector : undefined);
      if (record.kind === "step") this.shuttles.take(shard, record);
    }
    for (const key of group) {
      const edit = this.#edits.get(key);
      if (edit !== undefined) edit.groupEnd = this.#authors.length;
    }
  }

  /** Excuses the edits in these records, because their journal was lost. */
  excuse(records: Iterable<Uint8Array>): void {
    this.shuttles.excuse();
    for (const bytes of records) {
      const record = this.#decode(bytes);
      if (record?.kind === "entities") this.herd.excuse(record);
      if (record?.kind !== "region") continue;
      for (const { clientId, lastEditId } of record.origins) {
        const edit = this.#edits.get(`${clientId}/${lastEditId}`);
        if (edit !== undefined) edit.isExcused = true;
      }
    }
  }

  /** Returns a record; `undefined` for a forged one. */
  #decode(bytes: Uint8Array): ReturnType<typeof decodeShardRecord> | undefined {
    try {
      return decodeShardRecord(bytes, this.#volume);
    } catch (error) {
      if (isOrthantError(error)) return undefined;
      throw error;
    }
  }

  /** Records the edits that an owner rejects. */
  answered(request: Uint8Array, answer: Uint8Array): void {
    const asked = decode(ownerRequestCodec, request);
    const answered = decode(ownerAnswerCodec(this.#volume), answer);
    if (asked.kind !== "edits" || answered.kind !== "edits") return;
    for (const [index, { clientId, editId }] of asked.edits.entries())
      if (answered.outcomes[index]?.kind === "rejected")
        this.#rejected.add(`${clientKey(clientId)}/${editId}`);
  }

  /**
   * Returns true if an owner may have rejected an edit: one that had forgotten its client may have crashed before it
   * answered.
   */
  mayBeRejected(clientId: bigint, editId: number): boolean {
    return this.#rejected.has(`${clientId}/${editId}`) || this.#wasForgotten(clientId, this.#authors.length);
  }

  /** Notes that a client makes an edit that may change nothing. Call the result when it is answered. */
  noteUnstored(clientId: bigint): () => void {
    const edit: UnstoredEdit = { clientId, start: this.#authors.length, end: Number.POSITIVE_INFINITY };
    this.#unstored.push(edit);
    return () => {
      edit.end = this.#authors.length;
    };
  }

  /** Returns true if an edit is in a journal. */
  has(clientId: bigint, editId: number): boolean {
    return this.#edits.has(`${clientId}/${editId}`);
  }

  /** Returns true if an edit was in a journal that was lost. */
  wasLost(clientId: bigint, editId: number): boolean {
    return this.#edits.get(`${clientId}/${editId}`)?.isExcused === true;
  }

  /**
   * Returns true if a shard may have forgotten the client of an edit that it refuses as a possible repeat: the edit is
   * not stored in all its regions, or as many other clients as a shard remembers made edits since, or before it since
   * another edit of the client.
   */
  mayBeForgotten(clientId: bigint, editId: number, regions: readonly Position[]): boolean {
    const edit = this.#edits.get(`${clientId}/${editId}`);
    if (edit === undefined || edit.isExcused || this.missing(clientId, editId, regions).length > 0)
      return true;
    return (
      this.#wasForgotten(clientId, edit.groupEnd) ||
      this.#othersBetween(clientId, edit.author, this.#authors.length) >= this.#clientsMax
    );
  }

  /** Returns true if a shard may have forgotten a client before a place: another gateway's request may come after it. */
  #wasForgotten(clientId: bigint, end: number): boolean {
    let start = 0;
    for (let place = 0; place <= end; place++) {
      if (place < end && this.#authors[place] !== clientId) continue;
      if (this.#othersBetween(clientId, start, place) >= this.#clientsMax) return true;
      start = place + 1;
    }
    return false;
  }

  /** Returns the number of other clients with edits between two places. */
  #othersBetween(clientId: bigint, start: number, end: number): number {
    const others = new Set(this.#authors.slice(start, end));
    for (const edit of this.#unstored) if (edit.start <= end && edit.end >= start) others.add(edit.clientId);
    others.delete(clientId);
    return others.size;
  }

  /** Returns the regions of an edit that no journal has; all of them if it has none of the edit. */
  missing(clientId: bigint, editId: number, regions: readonly Position[]): readonly Position[] {
    const clocks = this.#edits.get(`${clientId}/${editId}`)?.clocks ?? [];
    return regions.filter((region) => !clocks.some((change) => positionsEqual(change.region, region)));
  }

  /** Returns true if an edit is part of its regions at their clocks, or was lost with a journal. */
  isKept(clientId: bigint, editId: number, clockOf: (region: Position) => number): boolean {
    const edit = this.#edits.get(`${clientId}/${editId}`);
    if (edit === undefined) return false;
    return (
      edit.isExcused ||
      edit.clocks.every(({ region, after }) => this.#leadsTo(region, after, clockOf(region)))
    );
  }

  /** Returns true if a region ever had a clock. */
  isStored(region: Position, clock: number): boolean {
    return this.#stateAt(region, clock) !== undefined;
  }

  /** Describes how a chunk differs from what was stored at its region's clock; `undefined` if it does not. */
  faultOf(region: Position, clock: number, position: Position, shown: Chunk): string | undefined {
    const state = this.#stateAt(region, clock);
    if (state === undefined) return `region [${region}] at clock ${clock}, which was never stored`;
    const stored = state.chunks.get(`${position}`) ?? this.#space.realize(...position);
    return shown.equals(stored) ? undefined : `chunk [${position}] at clock ${clock} is not what was stored`;
  }

  #takeRegion(shard: string, record: RegionRecord, group: Set<string>): void {
    const { region, before, after, chunks, origins } = record;
    const base = this.#stateAt(region, before);
    if (base === undefined) {
      this.#bad(`a record builds on clock ${before} of [${region}], which was never stored`);
      return;
    }
    if (this.#stateAt(region, after) !== undefined) {
      this.#bad(`clock ${after} of [${region}] was stored twice`);
      return;
    }
    const made = new Map(base.chunks);
    for (const change of chunks) {
      const key = `${change.position}`;
      const old = made.get(key) ?? this.#space.realize(...change.position);
      const young = chunkAfter(change, () => old);
      const fault = this.#workload.faultOf(change.position, young);
      if (fault !== undefined) this.#bad(`a record of clock ${after}: ${fault}`);
      made.set(key, young);
    }
    const states = this.#states.get(...region) ?? new Map<number, StoredState>();
    states.set(after, { before, chunks: made });
    this.#states.set(...region, states);
    for (const { clientId, lastEditId } of origins) {
      const key = `${clientId}/${lastEditId}`;
      this.#authors.push(clientId);
      const edit = this.#edits.get(key) ?? {
        ...{ clocks: [], shards: new Set<string>(), isExcused: false },
        ...{ author: this.#groupStart, groupEnd: this.#groupStart },
      };
      // One edit may be in several regions of a group, and in several shards, but only once in each shard.
      if (edit.shards.has(shard) && !group.has(key) && !edit.isExcused)
        this.#bad(`edit ${lastEditId} of client ${clientId} was made twice`);
      group.add(key);
      edit.shards.add(shard);
      edit.clocks.push({ region, after });
      this.#edits.set(key, edit);
    }
  }

  #stateAt(region: Position, clock: number): StoredState | undefined {
    if (clock === CLOCK_NEVER) return UNTOUCHED;
    return this.#states.get(...region)?.get(clock);
  }

  #leadsTo(region: Position, clock: number, last: number): boolean {
    for (let at: number | undefined = last; at !== undefined && at >= clock; ) {
      if (at === clock) return true;
      at = this.#stateAt(region, at)?.before;
    }
    return false;
  }

  #bad(detail: string): void {
    this.#fail(new Error(detail));
  }
}

const UNTOUCHED: StoredState = { before: CLOCK_NEVER, chunks: new Map() };

const OWNER_ADDRESSES = "i.";

/** A backbone whose stored records all pass through an oracle. */
export class WatchedHub extends MemoryHub {
  readonly #oracle: () => JournalOracle;
  readonly #onNewJournal: (shard: string) => void;

  constructor(options: MemoryHubOptions, oracle: () => JournalOracle, onNewJournal: (shard: string) => void) {
    super(options);
    this.#oracle = oracle;
    this.#onNewJournal = onNewJournal;
  }

  override makeJournal(...[world, shard, first]: Parameters<MemoryHub["makeJournal"]>): MemoryJournal {
    if (this.journal(world, shard) === undefined) this.#onNewJournal(shard);
    return super.makeJournal(world, shard, first);
  }

  override answered(address: string, request: Uint8Array, answer: Uint8Array): void {
    if (address.startsWith(OWNER_ADDRESSES)) this.#oracle().answered(request, answer);
  }

  override publish(world: string, shard: string, stored: Stored): void {
    this.#oracle().record(shard, stored);
    super.publish(world, shard, stored);
  }
}
