import {
  type BlockCatalog,
  type ChunkShape,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import { boxContains, getOrAdd } from "@orthant/core/lattice";
import type { GlobalState, SaveChange, StoredEntity, WorldDescription } from "@orthant/save";
import { DurableWaiters, type JournalChunk, type LogEvents } from "@orthant/save/journal";
import type { ExternalLog, LoggedChange, LoggedEntry, LoggedStep } from "@orthant/world/engine";
import type { AppendOutcome, Journal, JournalRecord } from "../backbone/backbone.ts";
import { Retries } from "../backbone/retries.ts";
import type { TakenEdits } from "../shard/border-edits.ts";
import type { EntityItem, TransferItem } from "../shard/entity-record.ts";
import { regionOfPoint, sectorOfRegion } from "../shard/sectors.ts";
import { newerBlocks, type ShardMap, type ShardSplit, shardsOf } from "../shard/shard-map.ts";
import { encodeShardRecord } from "../shard/shard-record.ts";
import { BorderState } from "./border-state.ts";
import { checkpointOf, type SavedBorder, withCheckpoint } from "./checkpoint.ts";
import { requireRecordable } from "./edit-group.ts";
import { AppendPace, EntryGroups } from "./entry-groups.ts";
import { endOfForeign } from "./foreign-records.ts";
import { JournalCapacity } from "./journal-capacity.ts";
import { isStored, type ReadChangesOptions, readChanges } from "./journal-changes.ts";
import { firstToReplay, isReplacement, openShardJournal } from "./open-journal.ts";
import { fullJournal, requireHeld, type ShardLogOptions } from "./shard-log-options.ts";
import { isEmptyStep, requireStepFits } from "./step-entry.ts";

/**
 * The log of a shard's owner. Appends groups of edits to the shard's journal, one at a time, at the end it
 * expects. A rejected append means that another node owns the shard; the log then stores nothing more.
 */
export class ShardLog implements ExternalLog {
  /** The owner's term, which its clocks carry as their epoch. */
  readonly epoch: number;
  /** What crosses the border of the shard. */
  readonly border: BorderState = new BorderState();
  /** The edits of other shards that the next step applies. */
  taking: readonly TakenEdits[] = [];
  readonly pace: AppendPace;
  readonly #options: ShardLogOptions;
  readonly #shape: ChunkShape;
  readonly #retries: Retries;
  readonly #waiters = new DurableWaiters();
  #journal: Journal | undefined;
  #capacity: JournalCapacity | undefined;
  #events: LogEvents | undefined;
  readonly #groups: EntryGroups;
  #durableTo = 0;
  #stored = 0;
  /** Sequence of the journal's last record as far as this owner knows, which is its own. */
  #last = 0;
  /** Sequence up to which durable generations contain everything. */
  checkpointed = 0;
  #checkpointedPosition = 0;
  /** For each position passed to a running commit, the journal's end that the commit will record. */
  readonly #marks = new Map<number, number>();
  /** For each position passed to a running commit, what crossed the border. */
  readonly #saved = new Map<number, SavedBorder>();
  #unsavedBytes = 0;
  #splitting: Promise<void> | undefined;
  /** Splits of this shard that this owner read from its journal or wrote to it. */
  readonly #splits: ShardSplit[] = [];
  #pins = 0;
  #failure: { readonly error: unknown } | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: ShardLogOptions) {
    const { maps, shard, events } = options;
    this.#options = options;
    this.#shape = maps.map.world.shape;
    this.epoch = options.term;
    this.pace = new AppendPace(options.time);
    this.#groups = new EntryGroups({
      term: options.term,
      shape: this.#shape,
      border: this.border,
      onAdded: (bytes) => {
        this.#capacity?.expect(bytes);
        this.#start();
      },
    });
    this.#retries = new Retries(options.time, (error, waitedMs) => events?.onStuck?.(shard, error, waitedMs));
  }

  /** Sequence of the last stored record. */
  get last(): number {
    return this.#last;
  }

  /** Records and bytes of edits that no generation contains yet. */
  get unsaved(): { readonly records: number; readonly bytes: number } {
    const records = this.#durableTo > this.#checkpointedPosition ? this.#last - this.checkpointed : 0;
    return { records, bytes: this.#unsavedBytes };
  }

  /** True if the journal has no room for more edits before a save. */
  get isFull(): boolean {
    return this.#capacity?.isFull === true;
  }

  /** True if some entries are not stored yet. */
  get isPending(): boolean {
    return this.#durableTo < this.#groups.position;
  }

  newerBlocks(held: BlockCatalog): BlockCatalog {
    return newerBlocks(held, this.#options.maps.map);
  }

  attach(events: LogEvents): void {
    this.#events = events;
  }

  async *recover(description: WorldDescription): AsyncIterable<LoggedChange> {
    const { inherited, time } = this.#options;
    const shape = this.#shape;
    const hasBorder = this.border.load(description);
    const onTransfers: ReadChangesOptions["onTransfers"] = (record) => this.border.replay(record);
    if (inherited !== undefined) {
      yield* inherited(description, onTransfers);
      this.border.clearOutboxes();
    }
    const checkpointed = inherited === undefined ? (checkpointOf(description)?.sequence ?? 0) : 0;
    this.#journal = await this.#retries.until(() => openShardJournal(this.#options, checkpointed));
    this.#last = await this.#retries.until(() => this.#appendTermRecord());
    this.checkpointed = checkpointed;
    const { first, bytes } = await this.#retries.until(() => opened(this.#journal).state());
    this.#capacity = await this.#retries.until(() =>
      JournalCapacity.open(opened(this.#journal), bytes, time),
    );
    try {
      yield* readChanges(opened(this.#journal), {
        // A new shard's journal has at most what failed attempts to split it off have left.
        from: inherited ? this.#last : firstToReplay(this.#options.shard, checkpointed, first),
        to: this.#last,
        shape,
        termMax: this.epoch,
        retries: this.#retries,
        onTransfers,
        onForeign: (...foreign) => this.#reportForeign(...foreign),
        onSplit: (split) => this.#commitSplit(split),
      });
    } catch (error) {
      // A newer owner may have saved and trimmed these records meanwhile.
      if (isOrthantError(error, "ORT_JOURNAL")) await requireHeld(this.#options);
      throw error;
    }
    if (inherited === undefined && (!hasBorder || isReplacement(checkpointed, first))) {
      const keepsEntity = ({ position }: StoredEntity): boolean => this.owns(regionOfPoint(shape, position));
      yield { clocks: [], chunks: [], origins: [], keepsEntity };
    }
    this.border.stamps.begin();
  }

  /**
   * Records that sectors now belong to another shard, and puts the split into the map. No generation contains
   * the record before the map has the split, so the next owner finds it. Nothing may be pending.
   */
  async split(split: ShardSplit): Promise<void> {
    const bytes = encodeShardRecord({ kind: "split", term: this.epoch, split }, this.#shape.volume);
    await this.#whileSplitting(
      this.#storeRecords([{ subject: { kind: "control" }, bytes }]).then(() => this.#commitSplit(split)),
    );
  }

  /**
   * Returns true if a region belongs to the shard: it does according to the map, and was never split off, which a restored
   * map may not know.
   */
  owns(region: Position): boolean {
    const { maps, shard } = this.#options;
    if (maps.shardOf(region) !== shard) return false;
    const sector = sectorOfRegion(region);
    return !this.#splits.some(({ sectors }) => boxContains(sectors, sector));
  }

  /** How often sectors went to another shard. */
  get splitCount(): number {
    return this.#splits.length;
  }

  /** Puts splits that a restored map lacks back into it. Rule K25. */
  async mapChanged(map: ShardMap): Promise<void> {
    const shards = shardsOf(map);
    for (const split of this.#splits)
      if (!shards.includes(split.to)) await this.#whileSplitting(this.#completeSplit(split));
  }

  admit(chunks: readonly JournalChunk[]): void {
    const bytes = requireRecordable(chunks);
    const max = this.#capacity?.editBytesMax ?? bytes;
    if (bytes > max)
      throw new OrthantError("ORT_LIMIT", `an edit of ${bytes} bytes where a journal takes ${max}`);
  }

  admitStep(step: Omit<LoggedStep, "clocks">): void {
    requireStepFits(step, this.#shape, this.#capacity?.editBytesMax);
  }

  add(entry: LoggedEntry): void {
    // Gateways send recent player positions to a new owner again, so the journal need not store them.
    if (entry.kind === "player") return;
    // `addEntity` logs them, with the sectors between which they move.
    if (entry.kind === "entity" || entry.kind === "entityGone") return;
    if (entry.kind === "step") this.addStep(entry);
    else if (entry.kind !== "edit")
      throw new OrthantError("ORT_ARGUMENT", `a shard's journal has edits and steps, and no ${entry.kind}`);
    // An edit that advances no clock has no visible effect.
    else if (entry.clocks.length > 0) this.#groups.addEdit(entry);
  }

  /** A step that changed nothing is not stored: the next owner may make one with its number again. Rule K64. */
  addStep(step: LoggedStep): void {
    const taken = this.taking;
    this.taking = [];
    if (!isEmptyStep(step) || taken.length > 0) this.#groups.addStep(step, taken);
  }

  /** Adds a change of an entity that is visible in these sectors of the shard. */
  addEntity(item: EntityItem, sectors: readonly Position[]): void {
    this.#groups.addEntity(item, sectors);
  }

  /** Adds what the shard learned about a transfer. It is stored together with the last change of an entity. */
  addTransfer(item: TransferItem): void {
    this.#groups.addTransfer(item);
  }

  /** Ensures that later changes of entities have greater stamps. */
  observe(stamp: number): void {
    this.#groups.observe(stamp);
  }

  whenDurable(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (!this.isPending) return Promise.resolve();
    return this.#waiters.wait(this.#groups.position);
  }

  rotate(): number {
    // A generation contains a record entirely or not at all.
    this.cut();
    const { position } = this.#groups;
    this.#saved.set(position, this.border.toSave());
    // A split that is recorded from now on is not in the generation.
    if (!this.isPending && !this.#marks.has(position)) this.#marks.set(position, this.#last);
    return position;
  }

  /** Ends the current group: later entries go into other records. */
  cut(): void {
    this.#groups.cut();
  }

  /** Waits until all entries up to `position` are stored, and marks the last record in the description. */
  async prepare(change: SaveChange, global: () => GlobalState, position: number): Promise<SaveChange> {
    const state = change.global ?? global();
    while (this.#durableTo < position) await this.whenDurable();
    while (this.#splitting !== undefined) await this.#splitting;
    const sequence = getOrAdd(this.#marks, position, () => this.#last);
    const mark = { term: this.epoch, sequence };
    const description = withCheckpoint(state.description, mark, this.#saved.get(position));
    return { ...change, global: { ...state, description } };
  }

  async committed(_generation: number, position: number): Promise<void> {
    this.checkpointed = this.#marks.get(position) ?? this.checkpointed;
    this.#checkpointedPosition = position;
    for (const map of [this.#marks, this.#saved])
      for (const known of map.keys()) if (known <= position) map.delete(known);
    this.#unsavedBytes = 0;
    this.trim();
  }

  /** Keeps all later journal records until the returned function is called. */
  pin(): () => void {
    this.#pins++;
    return () => {
      this.#pins--;
      this.trim();
    };
  }

  stop(error: unknown): void {
    this.#failure ??= { error };
    this.#retries.end(error);
    this.pace.end();
    this.#waiters.reject(error);
  }

  async close(): Promise<void> {
    this.stop(new OrthantError("ORT_CLOSED", "the shard was released"));
    await this.#writing;
  }

  #commitSplit(split: ShardSplit): Promise<void> {
    this.#splits.push(split);
    return this.#completeSplit(split);
  }

  /** Puts a committed split into the map. */
  #completeSplit(split: ShardSplit): Promise<void> {
    return this.#options.maps.completeSplit(split, () => requireHeld(this.#options));
  }

  /** Holds back saves while a split is in progress. */
  async #whileSplitting(splitting: Promise<void>): Promise<void> {
    this.#splitting = splitting;
    try {
      await splitting;
    } catch (error) {
      // The next owner finds out whether the split counts.
      this.stop(error);
      this.#events?.onFailure(error);
      throw error;
    } finally {
      this.#splitting = undefined;
    }
  }

  /** Drops from the journal what is saved. On failure the next save tries again. */
  trim(): void {
    if (this.#pins > 0) return;
    this.#capacity?.trim(this.checkpointed).catch((error) => {
      // An owner that takes a lost journal for full appends nothing to it, and finds out only here.
      if (!isOrthantError(error, "ORT_JOURNAL") || !this.isFull || this.#failure !== undefined) return;
      this.stop(error);
      this.#events?.onFailure(error);
    });
  }

  /** Appends a term record at the journal's end. From then on every older owner's append is rejected. */
  async #appendTermRecord(): Promise<number> {
    const { node } = this.#options;
    const journal = opened(this.#journal);
    const bytes = encodeShardRecord({ kind: "term", term: this.epoch, node }, this.#shape.volume);
    for (;;) {
      const { last } = await journal.state();
      // A late owner must not append behind a newer one, which takes the folder before it writes its own
      // record.
      await requireHeld(this.#options);
      const outcome = await journal.append([{ subject: { kind: "control" }, bytes }], last);
      if (outcome.kind === "stored") return outcome.last;
      if (outcome.kind === "full") throw fullJournal(this.#options.shard);
    }
  }

  #start(): void {
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#failure === undefined) {
        await this.pace.whenDue(() => this.#groups.open);
        const group = this.#groups.shift();
        if (group === undefined || this.#failure !== undefined) return;
        this.pace.started(group);
        const records = group.records(this.epoch, ++this.#stored, this.#shape.volume);
        await this.#storeRecords(records, group.bytes);
        this.#markDurable(group.lastPosition);
      }
    } catch (error) {
      this.stop(error);
      this.#events?.onFailure(error);
    } finally {
      // In the same step in which it found nothing more: an entry that is added next must start it again.
      this.#writing = undefined;
    }
  }

  /** Stores records. `expected` is what the room of the journal expects of them. */
  async #storeRecords(records: readonly JournalRecord[], expected = 0): Promise<void> {
    let isUnknown = false;
    await this.#retries.until(async () => {
      try {
        const outcome = await this.#append(records);
        if (outcome.kind === "stored") this.#last = outcome.last;
        else if (outcome.kind === "full") throw fullJournal(this.#options.shard);
        // These very records can be stored already only if an earlier attempt had an unknown outcome.
        else if (isUnknown && (await isStored(opened(this.#journal), this.#last + 1, records)))
          this.#last += records.length;
        else throw new OrthantError("ORT_FENCED", `shard ${this.#options.shard} has a newer owner`);
      } catch (error) {
        isUnknown ||= isOrthantError(error, "ORT_BACKBONE_AWAY");
        throw error;
      }
    });
    this.#unsavedBytes += records.reduce((sum, { bytes }) => sum + bytes.length, 0);
    this.#capacity?.add(records, expected);
  }

  /** Appends at the expected end. Moves it behind messages that no owner wrote, as long as no newer one has the folder. */
  async #append(records: readonly JournalRecord[]): Promise<AppendOutcome> {
    for (;;) {
      const outcome = await opened(this.#capacity).append(records, this.#last, () => this.#whileFull());
      if (outcome.kind !== "stale") return outcome;
      const check = { volume: this.#shape.volume, termMax: this.epoch };
      const end = await endOfForeign(opened(this.#journal), this.#last + 1, check, (...foreign) =>
        this.#reportForeign(...foreign),
      );
      if (end === undefined) return outcome;
      await requireHeld(this.#options);
      this.#last = end;
    }
  }

  #reportForeign(sequence: number, error: unknown): void {
    const { shard, events } = this.#options;
    const detail = `message ${sequence} in the journal of shard ${shard} is not from an owner: ${error}`;
    events?.onForeign?.(shard, new OrthantError("ORT_JOURNAL", detail, {}, { cause: error }));
  }

  #whileFull(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.trim();
  }

  #markDurable(position: number): void {
    this.#durableTo = position;
    // A commit that waits for exactly this position contains everything up to here and nothing later.
    this.#marks.set(position, this.#last);
    this.#waiters.reached(position);
  }
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new OrthantError("ORT_CLOSED", "the journal was not opened");
  return part;
}
