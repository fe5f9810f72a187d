import type { Dimensions, Entity, Vector } from "@orthant/core";
import {
  requireBytes,
  requireKnownFields,
  requireObject,
  requirePrintableName,
} from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import type { StoredEntity, StoredPlayer } from "@orthant/save";
import type { EntityChange, NewStoredEntity } from "./loaded-entities.ts";
import type { PlayerChange } from "./player-records.ts";

/** An entity of a world. */
export interface WorldEntity<D extends Dimensions> extends Entity<D> {
  /** In voxels per second. Orthant stores it and moves nothing by itself. */
  readonly velocity: Vector<D>;
}

/** The fields of a new entity. All but its kind and position have defaults. */
export interface NewEntity<D extends Dimensions> extends Partial<Omit<WorldEntity<D>, "id" | "isPlayer">> {
  readonly kind: number;
  readonly position: Vector<D>;
}

/** Reports that an entity is present (spawned, changed or loaded into memory) or gone. */
export type WorldEntityEvent<D extends Dimensions> =
  | { readonly kind: "present"; readonly entity: WorldEntity<D> }
  | { readonly kind: "gone"; readonly id: bigint };

/** A player as the world stores it, online or not. */
export interface WorldPlayer<D extends Dimensions> extends Omit<StoredPlayer, "position"> {
  readonly position: Vector<D>;
  /** Whether the player is connected to a server that shares this open world. */
  readonly isOnline: boolean;
}

/** A change to a player. Omitted fields keep their value, or get a default for a new player. */
export type PlayerUpdate<D extends Dimensions> = Partial<Omit<WorldPlayer<D>, "lastSavedMs" | "isOnline">> & {
  readonly playerId: bigint;
};

const ENTITY_FIELDS: readonly (keyof NewEntity<4>)[] = [
  "kind",
  "position",
  "orientation",
  "velocity",
  "scale",
  "block",
  "name",
  "tags",
  "data",
];

/** Returns an entity as a world of D dimensions shows it. */
export function publicEntity<D extends Dimensions>(axes: Axes<D>, entity: StoredEntity): WorldEntity<D> {
  const { entityId, kind, position, orientation, velocity, scale, block, displayName, tags, payload } =
    entity;
  return {
    id: entityId,
    isPlayer: false,
    kind,
    position: axes.publicPosition(position),
    orientation,
    velocity: axes.publicPosition(velocity),
    scale,
    block,
    name: displayName ?? "",
    tags,
    data: payload,
  };
}

/** Returns the change to a stored entity. Throws `ORT_ARGUMENT` for a field that an entity does not have. */
export function storedEntityChange<D extends Dimensions>(
  axes: Axes<D>,
  change: Partial<NewEntity<D>>,
): EntityChange {
  requireObject("the entity", change, "it is an object such as { kind: 1, position: [0, 64, 0] }");
  requireKnownFields("an entity", change, ENTITY_FIELDS);
  const { position, velocity, name, data, ...others } = change;
  return {
    ...others,
    ...(position !== undefined && { position: axes.vector("position", position) }),
    ...(velocity !== undefined && { velocity: axes.vector("velocity", velocity) }),
    ...(name !== undefined && { displayName: requirePrintableName("name", name) }),
    ...(data !== undefined && { payload: requireBytes("data", data) }),
  };
}

/** Like {@link storedEntityChange}, for a new entity. */
export function storedNewEntity<D extends Dimensions>(axes: Axes<D>, entity: NewEntity<D>): NewStoredEntity {
  const { kind, ...fields } = storedEntityChange(axes, entity);
  return { ...fields, kind: kind as number, position: axes.vector("position", entity.position) };
}

/** Returns a player as a world of D dimensions shows it. */
export function publicPlayer<D extends Dimensions>(
  axes: Axes<D>,
  player: StoredPlayer,
  online: ReadonlySet<bigint>,
): WorldPlayer<D> {
  const isOnline = online.has(player.playerId);
  return { ...player, position: axes.publicPosition(player.position), isOnline };
}

/** Returns the change to a stored player. */
export function storedPlayerChange<D extends Dimensions>(
  axes: Axes<D>,
  update: PlayerUpdate<D>,
): PlayerChange {
  requireObject("the player", update, "it is an object such as { playerId: 1n, name: 'Ada' }");
  const { position, ...others } = update;
  if (others.name !== undefined) requirePrintableName("name", others.name);
  return position === undefined ? others : { ...others, position: axes.vector("position", position) };
}
