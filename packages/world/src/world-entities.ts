import type { Clock } from "@orthant/core";
import type { StoredEntity } from "@orthant/save";
import { checkedEntityChange, checkedNewEntity, requireId } from "./checked-arguments.ts";
import type { EntityChange, NewEntity } from "./entity-store.ts";
import type { WorldContent } from "./world-content.ts";
import type { WorldSaver } from "./world-saver.ts";

/** Changes the entities of a world in memory, for the next save, in the journal and for listeners. */
export class WorldEntities {
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #clock: Clock;

  constructor(content: WorldContent, saver: WorldSaver, clock: Clock) {
    this.#content = content;
    this.#saver = saver;
    this.#clock = clock;
  }

  /** Adds an entity with a new, never used id. */
  spawn(entity: NewEntity): StoredEntity {
    const record = this.#content.spawnEntity(checkedNewEntity(entity), this.#clock.nowMs());
    this.#saver.noteChange("worldMs", () => ({
      kind: "entity",
      entity: record,
      storedAt: undefined,
    }));
    this.#content.entityListeners.emit({ kind: "present", entity: record });
    return record;
  }

  /** Changes a loaded entity. */
  change(entityId: bigint, change: EntityChange): void {
    requireId("entityId", entityId);
    const checked = checkedEntityChange(change);
    const storedAt = this.#saver.isJournaling ? this.#content.entities.storedAtOf(entityId) : undefined;
    const { entity, crosses, isStep } = this.#content.changeEntity(entityId, checked, this.#clock.nowMs());
    const due = crosses ? "worldMs" : "entitiesMs";
    this.#saver.noteChange(due, () => ({ kind: "entity", entity, storedAt }), isStep);
    this.#content.entityListeners.emit({ kind: "present", entity });
  }

  /** Removes a loaded entity. */
  despawn(entityId: bigint): void {
    requireId("entityId", entityId);
    const storedAt = this.#content.entities.storedAtOf(entityId);
    this.#content.despawnEntity(entityId);
    this.#saver.noteChange("worldMs", () => ({ kind: "entityGone", entityId, storedAt }));
    this.#content.entityListeners.emit({ kind: "gone", entityId });
  }
}
