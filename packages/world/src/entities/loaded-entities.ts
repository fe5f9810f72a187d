import { type Box, type ChunkShape, OrthantError, type Position, type Vector } from "@orthant/core";
import { copyBytes, encode } from "@orthant/core/bytes";
import { AXES, boxContains, boxEquals, clampInto, getOrAdd, positionFrom } from "@orthant/core/lattice";
import { chunkOfEntity, type StoredEntity } from "@orthant/save";
import { PLAYER_CLASS, storedEntityCodec } from "@orthant/save/content";
import { ENTITY_HYSTERESIS_CHUNKS_MAX } from "../options/world-options.ts";
import { cubeKey } from "../regions/region-reader.ts";

/** Upper bound on the bytes that a record of one entity needs besides the entity itself. */
const RECORD_OVERHEAD_BYTES = 64;

/** The fields of an entity that can change. Its id and class cannot. */
export type EntityChange = Partial<Omit<StoredEntity, "entityId" | "entityClass" | "lastSavedMs">>;

/** The fields that change with every movement. */
const MOVEMENT_KEYS: readonly string[] = [
  "position",
  "orientation",
  "velocity",
] satisfies (keyof EntityChange)[];

/** The fields of a new entity. All but its kind and position have defaults. */
export type NewStoredEntity = Pick<StoredEntity, "kind" | "position"> &
  EntityChange & { readonly entityClass?: number };

/** Reports that an entity is present (spawned, changed or loaded into memory) or gone. */
export type StoredEntityEvent =
  | { readonly kind: "present"; readonly entity: StoredEntity }
  | { readonly kind: "gone"; readonly entityId: bigint };

/** The result of changing an entity. */
interface ChangedEntity {
  readonly entity: StoredEntity;
  /** Whether it now belongs to a different leaf than the one that stores it. */
  readonly crosses: boolean;
  /** Whether it only moved, so that the next movement supersedes this change. */
  readonly isOnlyMovement: boolean;
}

/** Notes which entities the next save has to write. */
interface UnsavedEntities {
  /** Records that the entities stored in a cube changed. */
  addEntityCube(cube: Box): void;
  /** Whether some entities do not yet belong to a leaf. */
  hasUnassigned: boolean;
  /** Whether a new id is used. */
  hasGlobal: boolean;
}

/** What an {@link LoadedEntities} needs to know. */
interface LoadedEntitiesOptions {
  /** An entity fits into a record of this size. */
  readonly recordBytesMax: number;
  /** How far outside its leaf an entity moves to another one, in chunks. */
  readonly hysteresisChunks: number;
  /** The lowest id that was never used. */
  readonly nextId: bigint;
  readonly unsaved: () => UnsavedEntities;
}

interface Tracked {
  readonly entity: StoredEntity;
  /** Cube of the leaf that stores the entity; `undefined` before the first save. */
  readonly cube: Box | undefined;
  /** The chunk it was in when it was stored, which decides its leaf when a leaf is split. */
  readonly storedAt: Position | undefined;
  /** When it first differed from what is stored; `undefined` while it does not differ. */
  readonly changedSinceMs: number | undefined;
}

/** The entities of all loaded leaves, with the leaf that stores each. */
export class LoadedEntities {
  readonly shape: ChunkShape;
  readonly #bytesMax: number;
  readonly #hysteresisChunks: number;
  readonly #unsaved: () => UnsavedEntities;
  readonly #entities = new Map<bigint, Tracked>();
  #nextId: bigint;

  constructor(
    shape: ChunkShape,
    { recordBytesMax, hysteresisChunks, nextId, unsaved }: LoadedEntitiesOptions,
  ) {
    this.shape = shape;
    this.#bytesMax = recordBytesMax - RECORD_OVERHEAD_BYTES;
    this.#hysteresisChunks = hysteresisChunks;
    this.#nextId = nextId;
    this.#unsaved = unsaved;
  }

  /** The lowest id that was never used. */
  get nextId(): bigint {
    return this.#nextId;
  }

  get(entityId: bigint): StoredEntity | undefined {
    return this.#entities.get(entityId)?.entity;
  }

  /** Returns the cube that stores an entity. */
  cubeOf(entityId: bigint): Box | undefined {
    return this.#entities.get(entityId)?.cube;
  }

  /** Returns a chunk of the leaf that stores an entity, valid across commits; `undefined` if none does. */
  storedAtOf(entityId: bigint): Position | undefined {
    const { cube, storedAt } = this.#entities.get(entityId) ?? {};
    // The entity may have moved out of its cube.
    return cube && storedAt && clampInto(cube, storedAt);
  }

  /**
   * Adds the entities of a leaf and returns those that were not yet loaded. An entity that is already in
   * memory stays unchanged, because it is newer.
   */
  load(cube: Box, entities: readonly StoredEntity[]): readonly StoredEntity[] {
    const added = entities.filter(({ entityId }) => !this.#entities.has(entityId));
    for (const entity of added) this.markStored(entity, cube);
    return added;
  }

  /** The ids of all entities in memory. */
  ids(): Iterable<bigint> {
    return this.#entities.keys();
  }

  /** Adds an entity, by default with a new, never used id. */
  spawn(added: NewStoredEntity, nowMs: number, entityId: bigint = this.#nextId): StoredEntity {
    const entity = this.make(entityId, added, nowMs);
    this.#entities.set(entityId, { entity, cube: undefined, storedAt: undefined, changedSinceMs: nowMs });
    this.#useId(entityId);
    this.#unsaved().hasUnassigned = true;
    return entity;
  }

  /** Returns a new entity without adding it. Throws if a save cannot hold it. */
  make(entityId: bigint, added: NewStoredEntity, nowMs: number): StoredEntity {
    const entity: StoredEntity = {
      entityClass: PLAYER_CLASS + 1,
      orientation: [0, 0, 0, 1],
      velocity: [0, 0, 0, 0],
      scale: 1,
      block: 0,
      displayName: undefined,
      tags: [],
      payload: new Uint8Array(0),
      ...copyOf(added),
      entityId,
      lastSavedMs: nowMs,
    };
    if (entity.entityClass === PLAYER_CLASS) {
      throw new OrthantError("ORT_ARGUMENT", "players are not entities: upsert the player instead");
    }
    this.#requireStorable(entity);
    return entity;
  }

  /** Returns an entity with a change without applying it. Throws if a save cannot hold it. */
  changed(entity: StoredEntity, change: EntityChange): StoredEntity {
    const { entityId, entityClass } = entity;
    const changed = { ...entity, ...copyOf(change), entityId, entityClass };
    this.#requireStorable(changed);
    return changed;
  }

  /** Changes a loaded entity. The next save includes it if it left its leaf, otherwise one that is due. */
  change(entityId: bigint, change: EntityChange, nowMs: number): ChangedEntity {
    const { entity, cube, storedAt, changedSinceMs = nowMs } = this.#require(entityId);
    const changed = this.changed(entity, change);
    const crosses = cube !== undefined && this.#isOutside(changed.position, cube);
    this.#entities.set(entityId, {
      entity: changed,
      cube: crosses ? undefined : cube,
      storedAt,
      changedSinceMs,
    });
    if (crosses) this.#unsaved().addEntityCube(cube);
    if (crosses) this.#unsaved().hasUnassigned = true;
    const isOnlyMovement = Object.keys(change).every((key) => MOVEMENT_KEYS.includes(key));
    return { entity: changed, crosses, isOnlyMovement };
  }

  /**
   * Restores an entity from a log, whether it is new or already loaded. The next save includes it even if it barely
   * moved.
   */
  restore(entity: StoredEntity, nowMs: number): void {
    const { entityId } = entity;
    const cube = this.cubeOf(entityId);
    if (this.#entities.has(entityId)) this.change(entityId, entity, nowMs);
    else this.spawn(entity, nowMs, entityId);
    if (cube !== undefined) this.#unsaved().addEntityCube(cube);
    this.#useId(entityId);
  }

  /** Removes a loaded entity. */
  despawn(entityId: bigint): void {
    const { cube } = this.#require(entityId);
    this.#entities.delete(entityId);
    if (cube !== undefined) this.#unsaved().addEntityCube(cube);
  }

  /** Removes loaded entities and returns their ids. */
  drop(isDropped: (entity: StoredEntity) => boolean): readonly bigint[] {
    const dropped: bigint[] = [];
    for (const [entityId, { entity }] of this.#entities) if (isDropped(entity)) dropped.push(entityId);
    for (const entityId of dropped) this.despawn(entityId);
    return dropped;
  }

  /** Returns the entities positioned in a box of voxels, ordered by id. */
  within(box: Box): readonly StoredEntity[] {
    const found: StoredEntity[] = [];
    for (const { entity } of this.#entities.values())
      if (boxContains(box, entity.position)) found.push(entity);
    return found.sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
  }

  /** Returns the entities stored in each cube, keyed by `cubeKey`. */
  byCube(): ReadonlyMap<string, readonly StoredEntity[]> {
    const stored = new Map<string, StoredEntity[]>();
    for (const { entity, cube } of this.#entities.values()) {
      if (cube === undefined) continue;
      const key = cubeKey(cube);
      getOrAdd(stored, key, () => []).push(entity);
    }
    return stored;
  }

  /** Returns the entities that no leaf stores yet: new ones and those that crossed into another leaf. */
  unassigned(): readonly StoredEntity[] {
    return [...this.#entities.values()].filter(({ cube }) => cube === undefined).map(({ entity }) => entity);
  }

  /** Yields the cubes of all entities that differ from what is stored since `timeMs` or earlier. */
  *changedSince(timeMs: number): Generator<Box> {
    for (const { cube, changedSinceMs } of this.#entities.values()) {
      if (cube !== undefined && changedSinceMs !== undefined && changedSinceMs <= timeMs) yield cube;
    }
  }

  /** Returns when the longest-waiting entity first differed from what is stored. */
  oldestChangeMs(): number | undefined {
    let oldestMs: number | undefined;
    for (const { cube, changedSinceMs } of this.#entities.values()) {
      if (cube === undefined || changedSinceMs === undefined) continue;
      oldestMs = Math.min(oldestMs ?? changedSinceMs, changedSinceMs);
    }
    return oldestMs;
  }

  /** Marks an entity as part of a save that has begun. Later changes belong to the next save. */
  markStored(entity: StoredEntity, cube: Box): void {
    const storedAt = chunkOfEntity(entity, this.shape);
    this.#entities.set(entity.entityId, { entity, cube, storedAt, changedSinceMs: undefined });
  }

  /** Marks an entity, if it is still there, as stored in no leaf, because the save that has begun failed. */
  markNotStored(entityId: bigint): void {
    const tracked = this.#entities.get(entityId);
    if (tracked !== undefined) this.#entities.set(entityId, { ...tracked, cube: undefined });
  }

  /**
   * Updates the cube of every stored entity after a commit. An entity that has since moved outside its new
   * cube is stored by none; the method returns the cubes that such entities leave.
   */
  reassign(cubeAfter: (cube: Box, storedAt: Position) => Box): readonly Box[] {
    const left: Box[] = [];
    for (const [entityId, tracked] of this.#entities) {
      if (tracked.cube === undefined || tracked.storedAt === undefined) continue;
      const cube = cubeAfter(tracked.cube, tracked.storedAt);
      if (boxEquals(cube, tracked.cube)) continue;
      const crosses = this.#isOutside(tracked.entity.position, cube);
      if (crosses) left.push(cube);
      this.#entities.set(entityId, { ...tracked, cube: crosses ? undefined : cube });
    }
    return left;
  }

  #useId(entityId: bigint): void {
    if (entityId < this.#nextId) return;
    this.#nextId = entityId + 1n;
    this.#unsaved().hasGlobal = true;
  }

  #require(entityId: bigint): Tracked {
    const tracked = this.#entities.get(entityId);
    if (tracked !== undefined) return tracked;
    throw new OrthantError("ORT_NOT_FOUND", `no entity ${entityId} in what is loaded`);
  }

  /** Rejects now what would make the next save fail, together with everything else in it. */
  #requireStorable(entity: StoredEntity): void {
    if (!AXES.every((axis) => Number.isFinite(Math.fround(entity.position[axis])))) {
      throw new OrthantError("ORT_ARGUMENT", `[${entity.position}] is not a position`);
    }
    const { length } = encode(storedEntityCodec, entity);
    if (length > this.#bytesMax) {
      throw new OrthantError("ORT_LIMIT", `an entity of ${length} bytes, the limit is ${this.#bytesMax}`);
    }
  }

  /** Whether a position, in stored precision, is far enough outside a cube that the entity has left it. */
  #isOutside(position: Vector, { min, max }: Box): boolean {
    return AXES.some((axis) => {
      const chunk = Math.fround(position[axis]) / this.shape.extents[axis];
      return chunk < min[axis] - this.#hysteresisChunks || chunk >= max[axis] + this.#hysteresisChunks;
    });
  }
}

/** Returns the chunks whose leaves may store an entity in `box`: it may have moved out of its leaf. */
export function chunksAround({ min, max }: Box): Box {
  // An earlier session may have used any hysteresis.
  const margin = ENTITY_HYSTERESIS_CHUNKS_MAX;
  return { min: positionFrom((axis) => min[axis] - margin), max: positionFrom((axis) => max[axis] + margin) };
}

/**
 * Returns `change` with copies of its arrays, since the caller may reuse them, and with numbers in the precision of a
 * save, so that an entity looks the same after reopening.
 */
function copyOf<Change extends EntityChange>(change: Change): Change {
  const { position, orientation, velocity, scale, tags, payload } = change;
  return {
    ...change,
    ...(position && { position: rounded(position) }),
    ...(orientation && { orientation: rounded(orientation) }),
    ...(velocity && { velocity: rounded(velocity) }),
    ...(scale !== undefined && { scale: Math.fround(scale) }),
    ...(tags && { tags: [...tags] }),
    ...(payload && { payload: copyBytes(payload) }),
  };
}

function rounded([x, y, z, w]: Vector): Vector {
  return [Math.fround(x), Math.fround(y), Math.fround(z), Math.fround(w)];
}
