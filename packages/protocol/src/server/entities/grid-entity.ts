import type { Vector } from "@orthant/core";
import type { EntityDetails, NumberedEntity } from "../../message/entity.ts";

/** A present entity or player. Only the grid changes it. */
export interface GridEntity extends NumberedEntity {
  position: Vector;
  orientation: Vector;
  details: EntityDetails;
}

/** Whether an entity has a tag or data. */
export function hasDetails({ details: { tags, data } }: GridEntity): boolean {
  return tags.length + data.length > 0;
}
