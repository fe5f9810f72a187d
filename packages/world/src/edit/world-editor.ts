import { type ChunkShape, OrthantError, type Position, type TimeSource } from "@orthant/core";
import { requireId } from "@orthant/core/arguments";
import { encode } from "@orthant/core/bytes";
import type { VoxelEdit } from "@orthant/core/chunk";
import type { ClockChange, EditOrigin, StateEdit, WorldState } from "@orthant/core/tree";
import { ListenerSet } from "@orthant/core/world";
import { SerialQueue } from "@orthant/disk/files";
import type { StoredEntity } from "@orthant/save";
import { worldDescriptionCodec } from "@orthant/save/content";
import type { ChunkTickChanges } from "@orthant/save/journal";
import {
  checkedEntityChange,
  checkedNewEntity,
  checkedPlayer,
  requireLabel,
  requireOnAxes,
} from "../checked-arguments.ts";
import { checkedOrigin } from "../content/last-edit-store.ts";
import type { WorldContent } from "../content/world-content.ts";
import type { EntityChange, NewStoredEntity, StoredEntityEvent } from "../entities/entity-store.ts";
import { placeEntity } from "../entities/place-entities.ts";
import type { PlayerChange } from "../entities/player-store.ts";
import {
  journalChunkOf,
  type LoggedStep,
  type LoggedStepEntity,
  loggedChunksOf,
  loggedClocksOf,
  loggedEditOf,
} from "../journal/world-log.ts";
import type { WorldSaver } from "../saving/world-saver.ts";
import type { StepEntityChange } from "../simulation/step-entity-changes.ts";
import type { BorderEdit } from "../simulation/step-part.ts";
import type { ChunkTicks } from "../simulation/tick-store.ts";
import type { WorldLabel } from "../world-options.ts";
import { type QueuedEdit, watchedEdit } from "./queued-edit.ts";
import type { SessionEpoch } from "./session-epoch.ts";

/** Options for editing voxels. */
export interface EditOptions {
  /** Identifies the edit, so that it is applied once however often it is requested, even after a crash. */
  readonly origin?: EditOrigin;
  /**
   * What the promise waits for in a world with a journal: until the edit is `durable` (default) or only until
   * it is `applied`; `whenDurable` waits for the rest. Without a journal, the promise never waits for the
   * disk.
   */
  readonly wait?: "applied" | "durable";
  /** Called with the world to which the edit is applied, just before; not for a duplicate. It must not throw. */
  readonly onApply?: (before: WorldState) => void;
}

/** What an edit changed. */
export interface EngineEdit {
  /** The changed chunks, in lexicographic order. */
  readonly chunks: readonly Position[];
  /** The regions of these chunks, with their clocks before and after. */
  readonly clocks: readonly ClockChange[];
  /** `duplicate`: this edit, or a later one by the same client, was applied before; nothing changed now. */
  readonly status: "applied" | "unchanged" | "duplicate";
}

/** An edit that changed something, as listeners get it. */
export interface AppliedEdit extends EngineEdit {
  /** The world before the edit and after it. */
  readonly before: WorldState;
  readonly after: WorldState;
  /** The player whose edit it was, if any. */
  readonly author: bigint | undefined;
}

/** What a step of a simulation changes. */
export interface StepChange {
  readonly step: number;
  readonly edit: StateEdit;
  /** Returns the blocks that a changed chunk got, if they were recorded one by one. */
  readonly blocksOf: (chunk: Position) => readonly VoxelEdit[] | undefined;
  /** The chunks whose ticks it changed. */
  readonly ticks: readonly ChunkTicks[];
  readonly entities: readonly StepEntityChange[];
  /** Its edits in other parts of a larger world, in order. */
  readonly sent: readonly BorderEdit[];
  /** Takes back what the step changed already: ticks. */
  readonly undo: () => void;
}

/** What a log gets of a step before its regions have new clocks. */
type StepEntry = Omit<LoggedStep, "clocks">;

/**
 * Changes a world in memory, for the next save, in the journal and for listeners. Edits of voxels are applied
 * one after the other, in the order of the requests.
 */
export class WorldEditor {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #epoch: SessionEpoch;
  readonly #time: TimeSource;
  readonly #queue = new SerialQueue();
  /** Always the same function, so that edits share a call. */
  readonly #whenDurable = (): Promise<void> => this.#saver.whenDurable();
  readonly #listeners = new ListenerSet<[AppliedEdit]>();

  constructor(content: WorldContent, saver: WorldSaver, epoch: SessionEpoch, time: TimeSource) {
    this.#content = content;
    this.#saver = saver;
    this.#epoch = epoch;
    this.#time = time;
  }

  /** Calls `listener` after each edit that changed something. Returns an unsubscribe function. */
  onEdit(listener: (edit: AppliedEdit) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Runs a change between edits, in the order of the requests. */
  inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(() => {
      this.#saver.requireWriter();
      return change();
    });
  }

  /** Gives the world an id if it has none, as an edit does: it was created before ids existed. */
  async requireId(): Promise<void> {
    if (this.#content.global.description.worldId === 0n) await this.#epoch.open();
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Runs `work` between two edits. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.run(work);
  }

  /** Applies an edit when its turn comes and the chunks it touches are in memory. Throws for a wrong origin. */
  edit(request: QueuedEdit, options: EditOptions = {}): Promise<EngineEdit> {
    const { wait = "durable", onApply } = options;
    const origin = options.origin && checkedOrigin(options.origin);
    const watched = watchedEdit(request, onApply);
    // Waits even for an edit that changed nothing: what it found may not be on the disk yet.
    const until = wait === "durable" && this.#saver.isJournaling ? this.#whenDurable : undefined;
    return this.#queue.run<EngineEdit>(() => this.#edit(watched, origin), until);
  }

  #edit(request: QueuedEdit, origin: EditOrigin | undefined): EngineEdit | Promise<EngineEdit> {
    this.#saver.requireWriter();
    const room = this.#saver.whenRoom();
    if (room !== undefined) return room.then(() => this.#edit(request, origin));
    // Checked only now, since the same edit may have been queued before it.
    if (origin && this.#content.lastEdits.includes(origin))
      return { chunks: [], clocks: [], status: "duplicate" };
    if (origin && this.#content.lastEdits.isDoubtful(origin)) throw forgotten(origin);
    if (request.hasData === true) this.#content.requireRoomFor("data of voxels");
    return this.#content.whenLoaded(request.touched, () => {
      const epoch = this.#epoch.current;
      const preparing = epoch && this.#content.regions.prepare(request);
      // Most edits need nothing and do not wait.
      if (epoch !== undefined && preparing === undefined) return this.#apply(request, epoch.number, origin);
      return this.#applyLater(request, origin, preparing);
    });
  }

  /** Applies an edit as soon as the session has an epoch, and what the edit needs was generated. */
  async #applyLater(
    request: QueuedEdit,
    origin: EditOrigin | undefined,
    preparing: Promise<() => void> | undefined,
  ): Promise<EngineEdit> {
    const epoch = await this.#epoch.open();
    const release = await (preparing ?? this.#content.regions.prepare(request));
    try {
      // A save may have failed while this edit waited.
      this.#saver.requireWriter();
      return this.#apply(request, epoch.number, origin);
    } finally {
      release?.();
    }
  }

  /**
   * Runs a step of a simulation between two edits. What it changes is applied, logged and saved as one. With `hasNumbers`,
   * its number is durable before it runs.
   */
  step(
    { hasNumbers }: { readonly hasNumbers: boolean },
    run: (before: WorldState) => StepChange,
  ): Promise<EngineEdit> {
    return this.#queue.run(async () => {
      // Before the epoch opens, whose commit then has both.
      if (hasNumbers) this.#content.steps.reserve();
      const epoch = await this.#epoch.open();
      if (hasNumbers && !this.#content.steps.isReservedIn(this.#content.save.global.description))
        await this.#saver.save("what is due");
      await this.#saver.whenRoom();
      this.#saver.requireWriter();
      return this.#applyStep(run(this.#content.regions.state), epoch.number);
    });
  }

  spawnEntity(entity: NewStoredEntity): StoredEntity {
    const stored = this.#content.spawnEntity(checkedNewEntity(entity, this.#shape), this.#time.nowMs());
    this.#saver.addChange("world", { kind: "entity", entity: stored, storedAt: undefined });
    this.#content.entityListeners.emit({ kind: "present", entity: stored });
    return stored;
  }

  placeEntity(entityId: bigint, entity: NewStoredEntity): StoredEntity {
    requireId("entityId", entityId);
    const checked = checkedNewEntity(entity, this.#shape);
    const storedAt = this.#content.entities.storedAtOf(entityId);
    const stored = placeEntity(this.#content, entityId, checked, this.#time.nowMs());
    this.#saver.addChange("world", { kind: "entity", entity: stored, storedAt });
    this.#content.entityListeners.emit({ kind: "present", entity: stored });
    return stored;
  }

  changeEntity(entityId: bigint, change: EntityChange): void {
    requireId("entityId", entityId);
    const checked = checkedEntityChange(change, this.#shape);
    const storedAt = this.#saver.isJournaling ? this.#content.entities.storedAtOf(entityId) : undefined;
    const { entity, crosses, isOnlyMovement } = this.#content.changeEntity(
      entityId,
      checked,
      this.#time.nowMs(),
    );
    const kind = crosses ? "world" : "entities";
    this.#saver.addChange(kind, { kind: "entity", entity, storedAt }, isOnlyMovement);
    this.#content.entityListeners.emit({ kind: "present", entity });
  }

  despawnEntity(entityId: bigint): void {
    requireId("entityId", entityId);
    const storedAt = this.#content.entities.storedAtOf(entityId);
    this.#content.despawnEntity(entityId);
    this.#saver.addChange("world", { kind: "entityGone", entityId, storedAt });
    this.#content.entityListeners.emit({ kind: "gone", entityId });
  }

  upsertPlayer(change: PlayerChange): void {
    const player = this.#content.upsertPlayer(checkedPlayer(change, this.#shape), this.#time.nowMs());
    this.#saver.addChange("players", { kind: "player", player });
  }

  describe({ name, spawn }: WorldLabel): void {
    requireLabel({ name, spawn }, this.#content.global.description.name);
    // Older saves may have a spawn elsewhere, with which the world can still be renamed.
    if (spawn !== this.#content.global.description.spawn) requireOnAxes("spawn", this.#shape, spawn);
    const description = { ...this.#content.global.description, name, spawn };
    // Rejected now rather than in the next save, which would fail with everything in it.
    encode(worldDescriptionCodec, description);
    this.#content.describe(description);
    this.#saver.addChange("world", { kind: "description", name, spawn });
  }

  get #shape(): ChunkShape {
    return this.#content.regions.state.shape;
  }

  /** Must not await: a save includes all of a step or nothing. */
  #applyStep(change: StepChange, epoch: number): EngineEdit {
    const { step, edit: changed, ticks, entities, sent } = change;
    const { state, chunks, regions } = changed;
    const before = this.#content.regions.state;
    const logged = this.#saver.isJournaling ? this.#admittedStep(change) : undefined;
    const clocks = this.#content.regions.clocks.bump(regions, epoch);
    const edit: EngineEdit = { chunks, clocks, status: clocks.length > 0 ? "applied" : "unchanged" };
    this.#content.applyEdit(state, edit);
    for (const chunk of ticks) {
      this.#content.regions.ticks.settle(chunk);
      this.#content.markTicks(chunk.position);
    }
    for (const one of entities) this.#applyEntity(one);
    this.#content.steps.count = step;
    const isIdle = clocks.length + ticks.length + entities.length + sent.length === 0;
    this.#saver.addStep(logged && { ...logged, clocks: loggedClocksOf(clocks) }, { isIdle });
    try {
      if (clocks.length > 0) this.#listeners.emit({ ...edit, before, after: state, author: undefined });
    } finally {
      this.#content.entityListeners.emitAll(entities.map((one) => [entityEventOf(one)]));
    }
    return edit;
  }

  /** Returns what the log gets of a step, before anything is changed. Takes the step back if the log cannot store it. */
  #admittedStep({ step, edit, blocksOf, ticks, entities, sent, undo }: StepChange): StepEntry {
    try {
      const before = this.#content.regions.state;
      const logged: StepEntry = {
        kind: "step",
        step,
        chunks: edit.chunks.map((position) =>
          journalChunkOf(before, edit.state, position, blocksOf(position)),
        ),
        ticks: ticks.map(tickChangesOf).filter(hasChanges),
        entities: entities.map((change) => this.#loggedEntity(change)),
        sent,
      };
      this.#saver.admitStep(logged);
      return logged;
    } catch (error) {
      undo();
      throw error;
    }
  }

  #loggedEntity({ entityId, entity, leaving }: StepEntityChange): LoggedStepEntity {
    const { entities } = this.#content;
    const storedAt = entities.storedAtOf(entityId);
    const from = entities.get(entityId)?.position;
    if (entity !== undefined) return { kind: "entity", entity, storedAt, from };
    return { kind: "entityGone", entityId, storedAt, from, ...(leaving && { leaving }) };
  }

  /** Applies what a step did to an entity. The next save includes it, as it includes the rest of the step. */
  #applyEntity({ entityId, entity }: StepEntityChange): void {
    if (entity !== undefined) this.#content.restoreEntity(entity, this.#time.nowMs());
    // One that was added for another part of the world never was here.
    else if (this.#content.entities.get(entityId) !== undefined) this.#content.despawnEntity(entityId);
  }

  /** Must not await: a save includes an edit and its origin (client and edit number) together or not at all. */
  #apply({ change, placements }: QueuedEdit, epoch: number, origin: EditOrigin | undefined): EngineEdit {
    const before = this.#content.regions.state;
    const { state, chunks, regions } = change(before);
    const logged = this.#saver.isJournaling
      ? loggedChunksOf({ before, after: state, chunks, placements })
      : undefined;
    // Before anything is changed, because no edit can be taken back.
    if (logged !== undefined) this.#saver.admit(logged);
    const clocks = this.#content.regions.clocks.bump(regions, epoch);
    const edit: EngineEdit = { chunks, clocks, status: clocks.length > 0 ? "applied" : "unchanged" };
    if (origin) this.#content.rememberOrigin(origin);
    this.#content.applyEdit(state, edit);
    if (clocks.length > 0 || origin)
      this.#saver.addChange("world", logged && loggedEditOf({ chunks: logged, clocks, origin }));
    if (clocks.length > 0 && !this.#listeners.isEmpty)
      this.#listeners.emit({ ...edit, before, after: state, author: origin?.playerId });
    return edit;
  }
}

function forgotten({ clientId, editId }: EditOrigin): OrthantError {
  const detail = `edit ${editId} of client ${clientId} may have been made before, and the world has forgotten the client`;
  return new OrthantError("ORT_EDIT_REPEAT", detail);
}

function entityEventOf({ entityId, entity }: StepEntityChange): StoredEntityEvent {
  return entity === undefined ? { kind: "gone", entityId } : { kind: "present", entity };
}

function tickChangesOf(chunk: ChunkTicks): ChunkTickChanges {
  return { position: chunk.position, changes: chunk.changes() };
}

function hasChanges({ changes }: ChunkTickChanges): boolean {
  return changes.length > 0;
}
