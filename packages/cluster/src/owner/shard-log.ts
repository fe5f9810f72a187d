import { boxContains, type Clock, isOrthantError, OrthantError, type Place } from "@orthant/core";
import type { GlobalState, SaveChange, WorldDescription } from "@orthant/formats";
import type { LogEvents, LoggedChange, LoggedEntry, OutsideLog } from "@orthant/world";
import type { Engine, Journal, JournalRecord } from "../engine/engine.ts";
import { cellOfRegion } from "../shard/names.ts";
import { type ShardMap, type ShardSplit, shardsOf } from "../shard/shard-map.ts";
import { decodeRecord, encodeRecord } from "../shard/shard-record.ts";
import { EditGroup } from "./edit-group.ts";
import { foldMarkOf, withFoldMark } from "./fold-mark.ts";
import { Retries } from "./retries.ts";

/** What a log is given. */
export interface ShardLogOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly world: string;
  readonly shard: string;
  readonly node: string;
  readonly epoch: number;
  readonly volume: () => number;
  /** Throws `ORT_FENCED` when the shard's folder is another's by now. */
  readonly requireHeld: () => Promise<void>;
  /** Records of another shard that come before all of this one's: what a new shard has not got with its copy. */
  readonly inherited?: (description: WorldDescription) => AsyncIterable<LoggedChange>;
  /** Makes a split count that was begun before: it has to be in the map before anything else happens. */
  readonly completeSplit: (split: ShardSplit) => Promise<void>;
  /** Makes every split fail that is stored in a journal which is lost, and not in the map yet. */
  readonly forgetSplits: () => Promise<void>;
  /** The journal is not what it was: changes that were made since the last save are lost. */
  readonly onLost?: (detail: string) => void;
}

interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A journal that takes the place of one that was lost begins so far behind it that nobody who knew the lost one can
 * think that he knows its end. Rule K10.
 */
const LOST_JOURNAL_GAP = 2 ** 30;

/**
 * The log of a shard's owner: groups of edits in the shard's journal, one append at a time, each at the end that the
 * owner knows. An append that is refused there means that somebody else owns the shard; then nothing more is stored.
 */
export class ShardLog implements OutsideLog {
  readonly epoch: number;
  readonly #options: ShardLogOptions;
  readonly #retries: Retries;
  readonly #waiters: Waiter[] = [];
  #journal: Journal | undefined;
  #events: LogEvents | undefined;
  #collecting: EditGroup | undefined;
  #sealed: EditGroup[] = [];
  #position = 0;
  #safeTo = 0;
  #groups = 0;
  /** The last record of the journal, as far as this owner knows: its own. */
  #last = 0;
  /** Up to where generations that are durable have everything. */
  #folded = 0;
  #foldedPosition = 0;
  /** The end of the journal as each commit that runs will have it, by the position that it took. */
  readonly #marks = new Map<number, number>();
  #unfoldedBytes = 0;
  #splitting: Promise<void> | undefined;
  /** Splits of this shard that its journal has, as far as this owner read or wrote it. */
  readonly #given: ShardSplit[] = [];
  #pins = 0;
  #failure: { readonly error: unknown } | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: ShardLogOptions) {
    this.#options = options;
    this.epoch = options.epoch;
    this.#retries = new Retries(options.clock);
  }

  /** The last record that is stored. */
  get last(): number {
    return this.#last;
  }

  /** How many records and bytes of edits no generation has yet. */
  get unfolded(): { readonly records: number; readonly bytes: number } {
    const records = this.#safeTo > this.#foldedPosition ? this.#last - this.#folded : 0;
    return { records, bytes: this.#unfoldedBytes };
  }

  /** Whether there are entries that are not stored. */
  get isPending(): boolean {
    return this.#safeTo < this.#position;
  }

  attach(events: LogEvents): void {
    this.#events = events;
  }

  async *recover(description: WorldDescription): AsyncIterable<LoggedChange> {
    const { inherited } = this.#options;
    if (inherited !== undefined) yield* inherited(description);
    const folded = inherited === undefined ? (foldMarkOf(description)?.sequence ?? 0) : 0;
    this.#journal = await this.#retries.until(() => this.#openJournal(folded));
    this.#last = await this.#retries.until(() => this.#raiseBarrier());
    this.#folded = folded;
    const { first } = await this.#retries.until(() => this.#requireJournal().state());
    try {
      yield* readChanges(this.#requireJournal(), {
        // A journal that took the place of a lost one goes on from this very generation.
        from: first === folded + LOST_JOURNAL_GAP ? first : folded + 1,
        to: this.#last,
        volume: this.#options.volume(),
        retries: this.#retries,
        onSplit: (split) => this.#give(split),
      });
    } catch (error) {
      // A newer owner may have saved and folded it all meanwhile.
      if (isOrthantError(error, "ORT_JOURNAL")) await this.#options.requireHeld();
      throw error;
    }
  }

  /**
   * Stores that cells belong to another shard from now on, and puts that into the map. No generation has the record
   * before the map has the split, so that whoever takes the shard in between finds it. Nothing may be pending.
   */
  async split(split: ShardSplit): Promise<void> {
    const bytes = encodeRecord({ kind: "split", epoch: this.epoch, split }, this.#options.volume());
    await this.#whileSplitting(
      this.#storeRecords([{ subject: { kind: "control" }, bytes }]).then(() => this.#give(split)),
    );
  }

  /** Whether a region was given away: it is not this shard's again, whatever a map says that was put back. */
  hasGiven(region: Place): boolean {
    const cell = cellOfRegion(region);
    return this.#given.some(({ cells }) => boxContains(cells, cell));
  }

  /** Makes splits count again that a map lacks which was put back. Rule K25. */
  async mapChanged(map: ShardMap): Promise<void> {
    const shards = shardsOf(map);
    for (const split of this.#given)
      if (!shards.includes(split.to)) await this.#whileSplitting(this.#options.completeSplit(split));
  }

  add(entry: LoggedEntry): void {
    // Gateways tell a new owner again where players went of late: that takes no quorum.
    if (entry.kind === "player") return;
    if (entry.kind !== "edit")
      throw new OrthantError("ORT_ARGUMENT", `a shard's journal has edits, and no ${entry.kind}`);
    // What changed no clock changed nothing that anybody could have seen.
    if (entry.clocks.length === 0) return;
    if (this.#collecting?.hasRoom(entry) === false) this.cut();
    this.#collecting ??= new EditGroup();
    this.#collecting.add(entry);
    this.#collecting.lastPosition = ++this.#position;
    this.#start();
  }

  whenSafe(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (!this.isPending) return Promise.resolve();
    const position = this.#position;
    return new Promise((resolve, reject) => this.#waiters.push({ position, resolve, reject }));
  }

  rotate(): number {
    // A record is in a generation as a whole or not at all.
    this.cut();
    return this.#position;
  }

  /** What is added from now on is in other records than what was added before. */
  cut(): void {
    if (this.#collecting !== undefined) this.#sealed.push(this.#collecting);
    this.#collecting = undefined;
  }

  /** A generation has nothing that is not stored, and says up to which record it has all. */
  async prepare(change: SaveChange, global: () => GlobalState, position: number): Promise<SaveChange> {
    const state = change.global ?? global();
    while (this.#safeTo < position) await this.whenSafe();
    while (this.#splitting !== undefined) await this.#splitting;
    const sequence = this.#marks.get(position) ?? this.#last;
    this.#marks.set(position, sequence);
    const description = withFoldMark(state.description, { epoch: this.epoch, sequence });
    return { ...change, global: { ...state, description } };
  }

  async committed(_generation: number, position: number): Promise<void> {
    this.#folded = this.#marks.get(position) ?? this.#folded;
    this.#foldedPosition = position;
    for (const known of this.#marks.keys()) if (known <= position) this.#marks.delete(known);
    this.#unfoldedBytes = 0;
    this.#letGo();
  }

  /** Keeps what the journal has from now on, until the function returned is called. */
  pin(): () => void {
    this.#pins++;
    return () => {
      this.#pins--;
      this.#letGo();
    };
  }

  stop(error: unknown): void {
    this.#failure ??= { error };
    this.#retries.end(error);
    for (const { reject } of this.#waiters.splice(0)) reject(error);
  }

  async close(): Promise<void> {
    this.stop(new OrthantError("ORT_CLOSED", "the shard was let go"));
    await this.#writing;
  }

  #give(split: ShardSplit): Promise<void> {
    this.#given.push(split);
    return this.#options.completeSplit(split);
  }

  /** No save is made while a split does not count for sure. */
  async #whileSplitting(splitting: Promise<void>): Promise<void> {
    this.#splitting = splitting;
    try {
      await splitting;
    } catch (error) {
      // Whether it counts is for the next owner to find out.
      this.stop(error);
      this.#events?.onFailure(error);
      throw error;
    } finally {
      this.#splitting = undefined;
    }
  }

  #letGo(): void {
    // What is not folded now is folded after the next save; nobody waits for it.
    if (this.#pins === 0) this.#journal?.fold(this.#folded).catch(() => undefined);
  }

  async #openJournal(folded: number): Promise<Journal> {
    const { engine, world, shard, onLost } = this.#options;
    const found = await engine.findJournal(world, shard);
    if (found !== undefined) {
      const { last } = await found.state();
      if (last >= folded) return found;
      onLost?.(`the journal ends at ${last}, and the save has all up to ${folded}`);
      await engine.removeJournal(world, shard);
    } else if (folded > 0) onLost?.(`there is no journal, and the save has all up to ${folded}`);
    const isNew = found === undefined && folded === 0;
    // A shard that was never owned before has nothing to forget.
    if (this.#options.inherited === undefined) await this.#options.forgetSplits();
    return engine.journal(world, shard, isNew ? 1 : folded + LOST_JOURNAL_GAP);
  }

  /** Stores that a new epoch has begun, behind whatever there is: from then on nobody else's end is right. */
  async #raiseBarrier(): Promise<number> {
    const { node } = this.#options;
    const journal = this.#requireJournal();
    const bytes = encodeRecord({ kind: "epoch", epoch: this.epoch, node }, this.#options.volume());
    for (;;) {
      const { last } = await journal.state();
      // Whoever is late must not raise his behind a newer one's, who took the folder before he raised it.
      await this.#options.requireHeld();
      const outcome = await journal.append([{ subject: { kind: "control" }, bytes }], last);
      if (outcome.kind === "stored") return outcome.last;
      if (outcome.kind === "full")
        throw new OrthantError("ORT_LIMIT", `the journal of shard ${this.#options.shard} is full`);
    }
  }

  #start(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    try {
      // Edits that were asked for together are made one behind the other; those share a group.
      await undefined;
      while (this.#failure === undefined) {
        if (this.#sealed.length === 0) this.cut();
        const group = this.#sealed.shift();
        if (group === undefined) return;
        await this.#store(group);
        this.#markSafe(group.lastPosition);
      }
    } catch (error) {
      this.stop(error);
      this.#events?.onFailure(error);
    }
  }

  #store(group: EditGroup): Promise<void> {
    return this.#storeRecords(group.records(this.epoch, ++this.#groups, this.#options.volume()));
  }

  async #storeRecords(records: readonly JournalRecord[]): Promise<void> {
    let isUnknown = false;
    await this.#retries.until(async () => {
      try {
        const outcome = await this.#requireJournal().append(records, this.#last);
        if (outcome.kind === "stored") this.#last = outcome.last;
        else if (outcome.kind === "full") throw full(this.#options.shard);
        // Only an attempt whose outcome nobody knows can have stored these very records already.
        else if (isUnknown && (await this.#isStored(records))) this.#last += records.length;
        else throw new OrthantError("ORT_FENCED", `shard ${this.#options.shard} has a newer owner`);
      } catch (error) {
        isUnknown ||= isOrthantError(error, "ORT_ENGINE_AWAY");
        throw error;
      }
    });
    this.#unfoldedBytes += records.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  async #isStored(records: readonly JournalRecord[]): Promise<boolean> {
    const first = this.#last + 1;
    const journal = this.#requireJournal();
    const { last } = await journal.state();
    if (last < first + records.length - 1) return false;
    let index = 0;
    for await (const { bytes } of journal.read(first, first + records.length - 1)) {
      const own = records[index++]?.bytes;
      if (own?.length !== bytes.length || !own.every((byte, at) => byte === bytes[at])) return false;
    }
    return true;
  }

  #markSafe(position: number): void {
    this.#safeTo = position;
    // Where a commit waits for exactly this, it has all up to here, and nothing that follows.
    this.#marks.set(position, this.#last);
    const waiting = this.#waiters.findIndex((waiter) => waiter.position > position);
    for (const { resolve } of this.#waiters.splice(0, waiting < 0 ? this.#waiters.length : waiting))
      resolve();
  }

  #requireJournal(): Journal {
    if (this.#journal === undefined) throw new OrthantError("ORT_CLOSED", "the journal was not opened");
    return this.#journal;
  }
}

/** Which records to read. */
export interface ReadChangesOptions {
  readonly from: number;
  readonly to: number;
  readonly volume: number;
  readonly retries: Retries;
  readonly onSplit?: (split: ShardSplit) => Promise<void>;
}

/** How many records are read at once. */
const READ_RECORDS = 256;

/** The changes that records of a journal tell. Epochs never fall in it; `ORT_JOURNAL` when one does. Rule K9. */
export async function* readChanges(
  journal: Journal,
  { from, to, volume, retries, onSplit }: ReadChangesOptions,
): AsyncIterable<LoggedChange> {
  let epoch = 0;
  for (let first = from; first <= to; first += READ_RECORDS) {
    const records = await retries.until(() =>
      readAll(journal, first, Math.min(to, first + READ_RECORDS - 1)),
    );
    for (const bytes of records) {
      const record = decodeRecord(bytes, volume);
      if (record.epoch < epoch)
        throw new OrthantError("ORT_JOURNAL", `a record of epoch ${record.epoch} behind one of ${epoch}`);
      epoch = record.epoch;
      if (record.kind === "split") await onSplit?.(record.split);
      if (record.kind !== "region") continue;
      const { region, before, after, chunks, origins } = record;
      yield { steps: [{ region, before, after }], chunks, origins };
    }
  }
}

async function readAll(journal: Journal, from: number, to: number): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const { bytes } of journal.read(from, to)) all.push(bytes);
  return all;
}

function full(shard: string): OrthantError {
  return new OrthantError("ORT_LIMIT", `the journal of shard ${shard} is full`);
}
