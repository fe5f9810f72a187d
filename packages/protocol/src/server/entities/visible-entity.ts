import type { Pose } from "../../message/entity.ts";
import { NAME_BYTES_MAX } from "../../message/limits.ts";
import { sendablePose } from "../../message/sendable-pose.ts";
import { clipText } from "../connection/clip-text.ts";
import type { VisibleEntity } from "../sync-world.ts";

/** An entity as a world stores it. */
export interface EntityFields extends Pose {
  readonly entityId: bigint;
  readonly entityClass: number;
  readonly kind: number;
  readonly scale: number;
  readonly block: number;
  readonly displayName: string | undefined;
}

/** Converts a stored entity to its visible form. Clips names and numbers that messages cannot carry. */
export function visibleEntity(entity: EntityFields): VisibleEntity {
  const { entityId, entityClass, kind, scale, block, displayName } = entity;
  const name = clipText(displayName ?? "", NAME_BYTES_MAX);
  return { id: entityId, entityClass, kind, scale, block, name, ...sendablePose(entity) };
}
