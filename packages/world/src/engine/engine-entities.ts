import type { Box, Position } from "@orthant/core";
import { requireId } from "@orthant/core/arguments";
import { chunksOfVoxels, WHOLE_LATTICE } from "@orthant/core/lattice";
import type { StoredEntity } from "@orthant/save";
import { checkedEntityChange, checkedNewEntity } from "../entities/checked-records.ts";
import {
  chunksAround,
  type EntityChange,
  type LoadedEntities,
  type NewStoredEntity,
  type StoredEntityEvent,
} from "../entities/loaded-entities.ts";
import type { EngineCore } from "./engine-core.ts";

/** The entities of an open world. */
export class EngineEntities {
  readonly #core: EngineCore;

  /** @internal */
  constructor(core: EngineCore) {
    this.#core = core;
  }

  /** Adds an entity with a new, never used id. */
  spawn(entity: NewStoredEntity): StoredEntity {
    this.#core.requireWritable();
    return this.#add(checkedNewEntity(entity, this.#store.shape), undefined);
  }

  /** Adds an entity under an id that another shard of the world gave it, in place of one that has it here. */
  place(entityId: bigint, entity: NewStoredEntity): StoredEntity {
    this.#core.requireWritable();
    requireId("entityId", entityId);
    return this.#add(checkedNewEntity(entity, this.#store.shape), entityId);
  }

  /** Moves or otherwise changes a loaded entity. Changes inside its leaf are saved only periodically. */
  change(entityId: bigint, change: EntityChange): void {
    const { requireWritable, saver, content, time } = this.#core;
    requireWritable();
    requireId("entityId", entityId);
    const checked = checkedEntityChange(change, this.#store.shape);
    const storedAt = saver.isJournaling ? this.#store.storedAtOf(entityId) : undefined;
    const { entity, crosses, isOnlyMovement } = this.#store.change(entityId, checked, time.nowMs());
    const kind = crosses ? "world" : "entities";
    saver.addChange(kind, { kind: "entity", entity, storedAt }, isOnlyMovement);
    content.entityListeners.emit({ kind: "present", entity });
  }

  /** Removes a loaded entity. */
  despawn(entityId: bigint): void {
    const { requireWritable, saver, content } = this.#core;
    requireWritable();
    requireId("entityId", entityId);
    const storedAt = this.#store.storedAtOf(entityId);
    this.#store.despawn(entityId);
    saver.addChange("world", { kind: "entityGone", entityId, storedAt });
    content.entityListeners.emit({ kind: "gone", entityId });
  }

  /** Returns an entity by id, if its surroundings are loaded. */
  get(entityId: bigint): StoredEntity | undefined {
    requireId("entityId", entityId);
    return this.#store.get(entityId);
  }

  /** Returns the entities in a box of voxels, ordered by id. */
  async in(box: Box): Promise<readonly StoredEntity[]> {
    const { saver, content } = this.#core;
    saver.requireOpen();
    await content.loadEntities(chunksAround(chunksOfVoxels(this.#store.shape, box)));
    return this.#store.within(box);
  }

  /** Reads all entities into memory. */
  loadAll(): Promise<void> {
    return this.#core.content.loadEntities(WHOLE_LATTICE);
  }

  /** Removes loaded entities without an entry in the log, which implies their removal. */
  drop(isDropped: (entity: StoredEntity) => boolean): void {
    this.#core.requireWritable();
    for (const entityId of this.#store.drop(isDropped))
      this.#core.content.entityListeners.emit({ kind: "gone", entityId });
  }

  /** Returns a chunk of the leaf that stores an entity, which a log needs to replay its change. */
  storedAtOf(entityId: bigint): Position | undefined {
    return this.#store.storedAtOf(entityId);
  }

  /**
   * Calls `listener` when an entity is spawned, changed, loaded into memory or despawned. Returns an unsubscribe
   * function. When a listener throws, the change stands, and its maker or the loader of the entity gets the error.
   */
  onEvent(listener: (event: StoredEntityEvent) => void): () => void {
    return this.#core.content.entityListeners.add(listener);
  }

  get #store(): LoadedEntities {
    return this.#core.content.entities;
  }

  #add(entity: NewStoredEntity, givenId: bigint | undefined): StoredEntity {
    const { saver, content, time } = this.#core;
    const storedAt = givenId === undefined ? undefined : this.#store.storedAtOf(givenId);
    if (givenId !== undefined && this.#store.get(givenId) !== undefined) this.#store.despawn(givenId);
    const stored = this.#store.spawn(entity, time.nowMs(), givenId);
    saver.addChange("world", { kind: "entity", entity: stored, storedAt });
    content.entityListeners.emit({ kind: "present", entity: stored });
    return stored;
  }
}
