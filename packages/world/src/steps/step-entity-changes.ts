import { type Box, OrthantError, type Position, type Vector } from "@orthant/core";
import {
  AXES,
  boxContains,
  boxVolume,
  chunksOfVoxels,
  PositionMap,
  positionsLexicographic,
  regionOf,
  regionsTouching,
} from "@orthant/core/lattice";
import { chunkOfEntity, type StoredEntity } from "@orthant/save";
import { JOURNAL_STEP_ENTITIES_MAX } from "@orthant/save/journal";
import { checkedEntityChange, checkedNewEntity } from "../entities/checked-records.ts";
import type { EntityChange, LoadedEntities, NewStoredEntity } from "../entities/loaded-entities.ts";
import type { StepEntityChange } from "./step-change.ts";
import { voxelsAround } from "./voxels-around.ts";

/** The entities that a step works on. */
interface StepEntityWorld {
  readonly entities: LoadedEntities;
  readonly nowMs: number;
  /** Returns the id of a new entity. */
  newEntityId(): bigint;
  isActive(region: Position): boolean;
  /** Whether entities in a region stay in this part of the world. */
  owns(region: Position): boolean;
}

/** The entities of active regions as a step sees them. What it changes is applied when the step ends. */
export class StepEntityChanges {
  readonly #world: StepEntityWorld;
  readonly #changed = new Map<bigint, StoredEntity | undefined>();
  /** The ids by region, once they are needed. */
  #byRegion: PositionMap<Set<bigint>> | undefined;

  constructor(world: StepEntityWorld) {
    this.#world = world;
  }

  /** Returns an entity; `undefined` if it is gone or in no active region. */
  find(entityId: bigint): StoredEntity | undefined {
    const { entities, isActive } = this.#world;
    const known = this.#changed.has(entityId) ? this.#changed.get(entityId) : entities.get(entityId);
    return known !== undefined && isActive(this.#regionOf(known)) ? known : undefined;
  }

  /** Returns the entities in a box of voxels, ordered by id. */
  within(voxels: Box): readonly StoredEntity[] {
    const found: StoredEntity[] = [];
    for (const ids of this.#idsAround(voxels))
      for (const entityId of ids) {
        const entity = this.find(entityId);
        if (entity !== undefined && boxContains(voxels, entity.position)) found.push(entity);
      }
    return found.sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
  }

  /** Returns the entities within a distance, the nearest first, and ordered by id where they are equally near. */
  near(place: Vector, distance: number): readonly StoredEntity[] {
    const box = voxelsAround(place, distance, this.#world.entities.shape);
    return this.within(box)
      .map((entity) => ({
        entity,
        distance: Math.hypot(...AXES.map((axis) => entity.position[axis] - place[axis])),
      }))
      .filter((found) => found.distance <= distance)
      .sort((a, b) => a.distance - b.distance)
      .map(({ entity }) => entity);
  }

  add(added: NewStoredEntity): StoredEntity {
    const { entities, nowMs } = this.#world;
    const checked = checkedNewEntity(added, entities.shape);
    const entity = entities.make(this.#world.newEntityId(), checked, nowMs);
    this.#put(entity.entityId, entity);
    return entity;
  }

  /** Changes an entity. Returns false if it is gone or in no active region. */
  change(entityId: bigint, change: EntityChange): boolean {
    const { entities } = this.#world;
    const checked = checkedEntityChange(change, entities.shape);
    const known = this.find(entityId);
    if (known === undefined) return false;
    this.#put(entityId, entities.changed(known, checked));
    return true;
  }

  /** Removes an entity. Returns false if it is gone or in no active region. */
  remove(entityId: bigint): boolean {
    if (this.find(entityId) === undefined) return false;
    this.#put(entityId, undefined);
    return true;
  }

  /** Returns what the step changed, in the order of the first change of each. Throws `ORT_LIMIT` if it is too much. */
  list(): readonly StepEntityChange[] {
    const { entities, owns } = this.#world;
    const changes: StepEntityChange[] = [];
    for (const [entityId, entity] of this.#changed) {
      if (entity !== undefined && !owns(this.#regionOf(entity)))
        changes.push({ entityId, entity: undefined, leaving: entity });
      else if (entity !== undefined || entities.get(entityId) !== undefined)
        changes.push({ entityId, entity });
    }
    if (changes.length <= JOURNAL_STEP_ENTITIES_MAX) return changes;
    throw new OrthantError(
      "ORT_LIMIT",
      `the step changes ${changes.length} entities, the limit is ${JOURNAL_STEP_ENTITIES_MAX}: spread the changes ` +
        "over several steps",
    );
  }

  /** Yields the ids of each region that a box of voxels touches. */
  *#idsAround(voxels: Box): Generator<ReadonlySet<bigint>> {
    const byRegion = this.#regions();
    const regions = regionsTouching(chunksOfVoxels(this.#world.entities.shape, voxels));
    // The box may be much larger than what is active.
    if (boxVolume(regions) > byRegion.size) return yield* byRegion.values();
    for (const region of positionsLexicographic(regions)) {
      const ids = byRegion.get(...region);
      if (ids !== undefined) yield ids;
    }
  }

  #put(entityId: bigint, entity: StoredEntity | undefined): void {
    const before = this.find(entityId);
    this.#changed.set(entityId, entity);
    if (this.#byRegion === undefined) return;
    if (before !== undefined) this.#byRegion.get(...this.#regionOf(before))?.delete(entityId);
    if (entity !== undefined) addTo(this.#byRegion, this.#regionOf(entity), entityId);
  }

  #regions(): PositionMap<Set<bigint>> {
    if (this.#byRegion !== undefined) return this.#byRegion;
    const byRegion = new PositionMap<Set<bigint>>();
    const { entities } = this.#world;
    for (const entityId of new Set([...entities.ids(), ...this.#changed.keys()])) {
      const entity = this.find(entityId);
      if (entity !== undefined) addTo(byRegion, this.#regionOf(entity), entityId);
    }
    this.#byRegion = byRegion;
    return byRegion;
  }

  #regionOf(entity: { readonly position: Vector }): Position {
    return regionOf(chunkOfEntity(entity, this.#world.entities.shape));
  }
}

function addTo(byRegion: PositionMap<Set<bigint>>, region: Position, entityId: bigint): void {
  byRegion.getOrAdd(...region, () => new Set()).add(entityId);
}
