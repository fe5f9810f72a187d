import type { Dimensions, Vector, VoxelBox } from "@orthant/core";
import { requireId, wrongArgument } from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import type { ActivePlayer } from "../engine/engine-steps.ts";
import {
  type NewEntity,
  publicEntity,
  storedEntityChange,
  storedNewEntity,
  type WorldEntity,
} from "../entities/public-records.ts";
import type { EngineStep } from "../steps/engine-step.ts";

const DISTANCE_MAX = 65_536;

/** The entities of active regions in a step. Systems see what the step has changed so far; it is applied when the step ends. */
export interface StepEntities<D extends Dimensions> {
  /** Returns an entity; `undefined` if it is gone or in no active region. */
  find(id: bigint): WorldEntity<D> | undefined;
  /** Returns the entities in a box of voxels, ordered by id. */
  in(voxels: VoxelBox<D>): readonly WorldEntity<D>[];
  /** Returns the entities within a distance, the nearest first. */
  near(position: Vector<D>, distance: number): readonly WorldEntity<D>[];
  /** Adds an entity with a new, never used id. */
  add(entity: NewEntity<D>): WorldEntity<D>;
  /** Moves or otherwise changes an entity. Omitted fields keep their value. Returns false if `find` would not find it. */
  change(id: bigint, change: Partial<NewEntity<D>>): boolean;
  /** Removes an entity. Returns false if `find` would not find it. */
  remove(id: bigint): boolean;
}

/** A player who is online during a step. */
export interface StepPlayer<D extends Dimensions> {
  readonly id: bigint;
  readonly position: Vector<D>;
}

/** Returns the entities that systems see. */
export function publicStepEntities<D extends Dimensions>(engine: EngineStep, axes: Axes<D>): StepEntities<D> {
  return {
    find(id) {
      const found = engine.entities.find(requireId("id", id));
      return found && publicEntity(axes, found);
    },
    in: (voxels) =>
      engine.entities.within(axes.voxels("voxels", voxels)).map((entity) => publicEntity(axes, entity)),
    near(position, distance) {
      const center = axes.vector("position", position);
      const found = engine.entities.near(center, requireDistance(distance));
      return found.map((entity) => publicEntity(axes, entity));
    },
    add: (entity) => publicEntity(axes, engine.entities.add(storedNewEntity(axes, entity))),
    change: (id, change) => engine.entities.change(requireId("id", id), storedEntityChange(axes, change)),
    remove: (id) => engine.entities.remove(requireId("id", id)),
  };
}

/** Returns the players that systems see, each once. */
export function publicPlayers<D extends Dimensions>(
  axes: Axes<D>,
  players: readonly ActivePlayer[],
): readonly StepPlayer<D>[] {
  const byId = new Map(players.map(({ playerId, position }) => [playerId, position]));
  return [...byId]
    .map(([id, position]) => ({ id, position: axes.publicPosition(position) as Vector<D> }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function requireDistance(distance: unknown): number {
  if (typeof distance === "number" && distance >= 0 && distance <= DISTANCE_MAX) return distance;
  throw wrongArgument("distance", distance, `it is a number of voxels from 0 to ${DISTANCE_MAX}`);
}
