import type { Vector } from "@orthant/core";
import { decodeUtf8, encodeUtf8 } from "@orthant/core/bytes";
import { positionFrom } from "@orthant/core/lattice";
import { type EntityDetails, NO_DETAILS, type Pose, type VisibleEntity } from "./entity.ts";
import {
  ENTITY_DATA_BYTES_MAX,
  ENTITY_SPEED_MAX,
  ENTITY_TAG_BYTES_MAX,
  ENTITY_TAGS_MAX,
  NAME_BYTES_MAX,
  VOXEL_COORDINATE_MAX,
} from "./limits.ts";
import { roundPose } from "./pose-codec.ts";

/** Clips a text to `bytesMax` bytes of UTF-8. Replaces what UTF-8 cannot represent by a question mark. */
export function clipText(text: string, bytesMax: number): string {
  const bytes = encodeUtf8(text.replace(/[\uD800-\uDFFF]/gu, "?"));
  let length = Math.min(bytes.length, bytesMax);
  // A cut inside a character moves back to its start.
  while (length < bytes.length && ((bytes[length] ?? 0) & 0xc0) === 0x80) length--;
  return decodeUtf8(bytes, 0, length) ?? "";
}

/** Clamps a pose of the world, which may contain any numbers, to the range that messages support. */
export function sendablePose({ position, orientation }: Pose): Pose {
  const longest = Math.max(1, ...orientation.map((component) => Math.abs(finite(component))));
  return {
    position: positionFrom((axis) => inReach(position[axis])),
    orientation: positionFrom((axis) => finite(orientation[axis]) / longest),
  };
}

function inReach(coordinate: number): number {
  return Math.min(VOXEL_COORDINATE_MAX, Math.max(-VOXEL_COORDINATE_MAX, finite(coordinate)));
}

function finite(number: number): number {
  if (Number.isNaN(number)) return 0;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, number));
}

/** Returns a pose of a player as their client sees it. Clamps invalid orientations from a world or a game. */
export function seenPose(pose: Pose): Pose {
  return roundPose(clampedPose(pose));
}

/** Clamps invalid orientations from a world or a game. */
export function clampedPose({ position, orientation }: Pose): Pose {
  const [x, y, z, w] = orientation;
  return { position, orientation: [within(x), within(y), within(z), within(w)] };
}

function within(component: number): number {
  // NaN becomes 0.
  return Math.max(-1, Math.min(1, component || 0));
}

/** An entity as a world stores it. */
export interface EntityFields extends Pose {
  readonly entityId: bigint;
  readonly entityClass: number;
  readonly kind: number;
  readonly scale: number;
  readonly block: number;
  readonly displayName: string | undefined;
  readonly tags: readonly string[];
  readonly payload: Uint8Array;
  /** In voxels a second. */
  readonly velocity?: Vector;
}

/** Converts a stored entity to its visible form. Clips names and numbers that messages cannot carry. */
export function visibleEntity(entity: EntityFields): VisibleEntity {
  const { entityId, entityClass, kind, scale, block, displayName, velocity } = entity;
  const name = clipText(displayName ?? "", NAME_BYTES_MAX);
  return {
    id: entityId,
    entityClass,
    kind,
    scale,
    block,
    name,
    ...sendablePose(entity),
    ...sendableDetails(entity),
    ...(velocity?.some((speed) => speed !== 0) && { velocity: sendableVelocity(velocity) }),
  };
}

function sendableVelocity(velocity: Vector): Vector {
  return positionFrom((axis) =>
    Math.min(ENTITY_SPEED_MAX, Math.max(-ENTITY_SPEED_MAX, finite(velocity[axis]))),
  );
}

/** Omits tags and data that messages cannot carry. Rule N46. */
function sendableDetails({ tags, payload }: Pick<EntityFields, "tags" | "payload">): EntityDetails {
  return {
    tags: tags.filter((tag) => clipText(tag, ENTITY_TAG_BYTES_MAX) === tag).slice(0, ENTITY_TAGS_MAX),
    data: payload.length <= ENTITY_DATA_BYTES_MAX ? payload : NO_DETAILS.data,
  };
}
