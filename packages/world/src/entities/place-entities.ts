import type { StoredEntity } from "@orthant/save";
import type { WorldContent } from "../content/world-content.ts";
import type { NewStoredEntity } from "./entity-store.ts";

/** Adds an entity under a given id, in place of one that has it. */
export function placeEntity(
  content: WorldContent,
  entityId: bigint,
  entity: NewStoredEntity,
  nowMs: number,
): StoredEntity {
  if (content.entities.get(entityId) !== undefined) content.despawnEntity(entityId);
  const record = content.entities.spawn(entityId, entity, nowMs);
  content.useEntityId(entityId);
  content.unsaved.hasUnassigned = true;
  return record;
}

/** Removes loaded entities, and returns them. */
export function dropEntities(
  content: WorldContent,
  isDropped: (entity: StoredEntity) => boolean,
): readonly StoredEntity[] {
  const dropped = content.entities.all().filter(isDropped);
  for (const { entityId } of dropped) content.despawnEntity(entityId);
  return dropped;
}
