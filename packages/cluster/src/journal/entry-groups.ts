import type { ChunkShape, Position, Timer, TimeSource } from "@orthant/core";
import type { JournalEdit } from "@orthant/save/journal";
import type { LoggedStep } from "@orthant/world/engine";
import type { TakenEdits } from "../shard/border-edits.ts";
import type { EntityItem, TransferItem } from "../shard/entity-record.ts";
import { nameOfPosition } from "../shard/sectors.ts";
import type { BorderState } from "./border-state.ts";
import { EditGroup } from "./edit-group.ts";
import { itemsOfStep, type PlacedItem, stepBodyOf } from "./step-entry.ts";

/** What the groups of a log need. */
interface EntryGroupsContext {
  readonly term: number;
  readonly shape: ChunkShape;
  readonly border: BorderState;
  /** Called with the bytes that an entry adds to the journal, after it was added. */
  readonly onAdded: (bytes: number) => void;
}

/** The entries of a log that are not stored yet, in groups that are stored one after the other. */
export class EntryGroups {
  readonly #context: EntryGroupsContext;
  readonly #closed: EditGroup[] = [];
  #collecting: EditGroup | undefined;
  /** Position of the last entry. */
  position = 0;

  constructor(context: EntryGroupsContext) {
    this.#context = context;
  }

  addEdit(edit: JournalEdit): void {
    if (this.#collecting?.hasRoom(edit) === false) this.cut();
    const group = this.#current();
    this.#add(group, () => group.add(edit));
  }

  /** Adds a change of an entity that is visible in these sectors of the shard. */
  addEntity(item: EntityItem, sectors: readonly Position[]): void {
    if (this.#collecting?.hasRoomForEntity === false) this.cut();
    const group = this.#stamped();
    this.#add(group, () => this.#place(group, { item, sectors }));
  }

  /** Adds a step, which is stored in a group of its own. */
  addStep(step: LoggedStep, taken: readonly TakenEdits[]): void {
    const { border, term, shape } = this.#context;
    const { chunks, clocks } = step;
    const nextNumber = (): number => border.nextNumber();
    const items = itemsOfStep(step, shape, nextNumber);
    const body = stepBodyOf(step, taken, shape, nextNumber);
    this.cut();
    const group = items.length > 0 ? this.#stamped() : this.#current();
    this.#add(group, () => {
      if (clocks.length > 0) group.add({ kind: "edit", origin: undefined, chunks, clocks });
      for (const item of items) this.#place(group, item);
      group.addStep(body);
    });
    border.replay({ kind: "step", term, ...body });
    this.cut();
  }

  #place(group: EditGroup, { item, sectors }: PlacedItem): void {
    const { term, border } = this.#context;
    const { stamps } = border;
    const names = sectors.map(nameOfPosition);
    for (const sector of names) {
      if (group.hasSector(sector)) continue;
      group.addSector(sector, stamps.of(sector));
      stamps.set(sector, group.stamp);
    }
    border.apply(item, term);
    if (names.length > 0) group.addEntity(item, names);
    else group.addUnplaced(item);
  }

  /** Adds what the shard learned about a transfer, to the group of the last change. */
  addTransfer(item: TransferItem): void {
    const group = this.#stamped();
    const { border, term } = this.#context;
    border.apply(item, term);
    this.#add(group, () => group.addUnplaced(item));
  }

  /** Ensures that later changes of entities have greater stamps. */
  observe(stamp: number): void {
    const { stamps } = this.#context.border;
    if (stamp < stamps.latest) return;
    this.cut();
    stamps.observe(stamp);
  }

  /** Ends the current group: later entries go into other records. */
  cut(): void {
    if (this.#collecting !== undefined) this.#closed.push(this.#collecting);
    this.#collecting = undefined;
  }

  /** The group to which entries are added, if it is the next one to be stored. */
  get open(): EditGroup | undefined {
    return this.#closed.length === 0 ? this.#collecting : undefined;
  }

  /** Removes and returns the first group. */
  shift(): EditGroup | undefined {
    if (this.#closed.length === 0) this.cut();
    return this.#closed.shift();
  }

  #current(): EditGroup {
    this.#collecting ??= new EditGroup();
    return this.#collecting;
  }

  #stamped(): EditGroup {
    const group = this.#current();
    if (group.stamp === 0) group.stamp = this.#context.border.stamps.next();
    return group;
  }

  #add(group: EditGroup, add: () => void): void {
    const before = group.bytes;
    add();
    group.lastPosition = ++this.position;
    this.#context.onAdded(group.bytes - before);
  }
}

/**
 * Least time between the starts of two appends while several clients edit. An append costs NATS about as much with one
 * edit as with ten, and players see an edit with the next tick of their gateway, which comes every 100 ms.
 */
const APPEND_MS = 40;
/** Edits in a group that are worth an append of their own. */
const EDITS_FOR_APPEND = 64;

/**
 * Decides when a log may append its next group. Edits of one request go together. While several clients edit, their edits
 * share an append every 40 ms; the edits of one client alone never wait.
 */
export class AppendPace {
  readonly #time: TimeSource;
  /** Requests whose edits are being made. */
  #gathering = 0;
  #startedMs = Number.NEGATIVE_INFINITY;
  /** The client of the last group; `undefined` if it had edits of several, or none. */
  #lastClient: bigint | undefined;
  /** Ends the current wait. */
  #wake: (() => void) | undefined;
  #isEnded = false;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  /** Has the next append wait for edits that are about to be added, until the returned function is called. */
  gather(): () => void {
    this.#gathering++;
    return () => {
      if (--this.#gathering === 0) this.#wake?.();
    };
  }

  /** Resolves when the group that `next` returns may be appended; at once if it returns none. */
  async whenDue(next: () => EditGroup | undefined): Promise<void> {
    await this.#whenGathered();
    const group = next();
    const pauseMs = group === undefined ? 0 : this.#pauseMs(group);
    if (pauseMs <= 0) return;
    await this.#wait(pauseMs, () => false);
    await this.#whenGathered();
  }

  /** Records that a group is appended now. */
  started({ client }: EditGroup): void {
    this.#startedMs = this.#time.nowMs();
    this.#lastClient = client;
  }

  /** Ends all waits. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** An edit may have to wait long for its region or its blocks, and others do not wait for it. */
  async #whenGathered(): Promise<void> {
    if (this.#gathering > 0) await this.#wait(APPEND_MS, () => this.#gathering === 0);
  }

  #pauseMs({ edits, client }: EditGroup): number {
    if (edits === 0 || edits >= EDITS_FOR_APPEND) return 0;
    if (client !== undefined && client === this.#lastClient) return 0;
    // A clock that was set back must not delay an append.
    return APPEND_MS - Math.abs(this.#time.nowMs() - this.#startedMs);
  }

  async #wait(ms: number, isOver: () => boolean): Promise<void> {
    if (this.#isEnded) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      timer = this.#time.wait(ms, resolve);
      this.#wake = () => {
        if (this.#isEnded || isOver()) resolve();
      };
    });
    this.#wake = undefined;
    timer?.cancel();
  }
}
