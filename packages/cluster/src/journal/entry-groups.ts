import type { ChunkShape, Position } from "@orthant/core";
import type { JournalEdit } from "@orthant/save/journal";
import type { LoggedStep } from "@orthant/world/engine";
import type { TakenEdits } from "../shard/border-edits.ts";
import type { EntityItem, TransferItem } from "../shard/entity-record.ts";
import { nameOfPosition } from "../shard/sectors.ts";
import type { BorderState } from "./border-state.ts";
import { EditGroup } from "./shard-journal.ts";
import { itemsOfStep, type PlacedItem, stepBodyOf } from "./step-entry.ts";

/** What the groups of a log need. */
export interface EntryGroupsContext {
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

  /** Adds a change of an entity that is visible in these sectors. */
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
    group.addEntity(item, names);
  }

  /** Adds what the shard learned about a transfer, to the group of the last change. */
  addTransfer(item: TransferItem): void {
    const group = this.#stamped();
    const { border, term } = this.#context;
    border.apply(item, term);
    this.#add(group, () => group.addTransfer(item));
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
