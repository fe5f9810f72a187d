import { type Box, boxContains, boxEquals, type ChunkShape, OrthantError } from "@orthant/core";
import { type EntityRecord, PLAYER_CLASS } from "@orthant/formats";

/** How far out of its leaf an entity has to be, in chunks, before it belongs to another one. */
const HYSTERESIS_CHUNKS = 0.2;

/** What can change about an entity. Its id and class cannot. */
export type EntityChange = Partial<Omit<EntityRecord, "entityId" | "entityClass" | "lastSavedMs">>;

/** What a new entity is made of; all but its kind and position has a default. */
export type NewEntity = Pick<EntityRecord, "kind" | "position"> &
  EntityChange & { readonly entityClass?: number };

interface Tracked {
  readonly record: EntityRecord;
  /** The cell of the leaf that the entity is stored in; `undefined` before the first save. */
  readonly home: Box | undefined;
  /** Since when it differs from what is stored; `undefined` when it does not. */
  readonly changedSinceMs: number | undefined;
}

/** The entities of all leaves that are loaded, and in which leaf each is stored. */
export class EntityStore {
  readonly shape: ChunkShape;
  readonly #entities = new Map<bigint, Tracked>();

  constructor(shape: ChunkShape) {
    this.shape = shape;
  }

  /** How many entities are loaded. */
  get size(): number {
    return this.#entities.size;
  }

  /** An entity by id, if its leaf is loaded. */
  get(entityId: bigint): EntityRecord | undefined {
    return this.#entities.get(entityId)?.record;
  }

  /** The cell that an entity is stored in. */
  homeOf(entityId: bigint): Box | undefined {
    return this.#entities.get(entityId)?.home;
  }

  /** Takes in what a leaf holds. An entity that is known already stays as it is: what is in memory is newer. */
  load(home: Box, records: readonly EntityRecord[]): void {
    for (const record of records) {
      if (!this.#entities.has(record.entityId)) {
        this.#entities.set(record.entityId, { record, home, changedSinceMs: undefined });
      }
    }
  }

  /** Adds an entity. */
  spawn(entityId: bigint, entity: NewEntity, nowMs: number): EntityRecord {
    const record: EntityRecord = {
      entityClass: PLAYER_CLASS + 1,
      orientation: [0, 0, 0, 1],
      velocity: [0, 0, 0, 0],
      scale: 1,
      material: 0,
      displayName: undefined,
      tags: [],
      payload: new Uint8Array(0),
      ...entity,
      entityId,
      lastSavedMs: nowMs,
    };
    if (record.entityClass === PLAYER_CLASS) {
      throw new OrthantError("ORT_ARGUMENT", "players are not entities: upsert the player instead");
    }
    this.#entities.set(entityId, { record, home: undefined, changedSinceMs: nowMs });
    return record;
  }

  /** Changes an entity, and tells whether it now belongs to another leaf than the one it is stored in. */
  change(entityId: bigint, change: EntityChange, nowMs: number): "stays" | "crosses" {
    const { record, home, changedSinceMs = nowMs } = this.#require(entityId);
    const changed = { ...record, ...change };
    const crosses = home !== undefined && this.#isOutside(changed.position, home);
    this.#entities.set(entityId, { record: changed, home: crosses ? undefined : home, changedSinceMs });
    return crosses ? "crosses" : "stays";
  }

  /** Removes an entity and gives what it was. */
  despawn(entityId: bigint): EntityRecord {
    const { record } = this.#require(entityId);
    this.#entities.delete(entityId);
    return record;
  }

  /** The entities whose position lies in a box of voxels, by id. */
  within(box: Box): readonly EntityRecord[] {
    const found: EntityRecord[] = [];
    for (const { record } of this.#entities.values())
      if (boxContains(box, record.position)) found.push(record);
    return found.sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
  }

  /** The entities that are stored in a cell. */
  storedIn(cell: Box): readonly EntityRecord[] {
    const stored: EntityRecord[] = [];
    for (const { record, home } of this.#entities.values()) {
      if (home !== undefined && boxEquals(home, cell)) stored.push(record);
    }
    return stored;
  }

  /** The entities that no leaf has yet: new ones, and those that have crossed into another leaf. */
  homeless(): readonly EntityRecord[] {
    return [...this.#entities.values()].filter(({ home }) => home === undefined).map(({ record }) => record);
  }

  /** The cells of all entities that have differed from what is stored since this time or longer. */
  *changedSince(timeMs: number): Generator<Box> {
    for (const { home, changedSinceMs } of this.#entities.values()) {
      if (home !== undefined && changedSinceMs !== undefined && changedSinceMs <= timeMs) yield home;
    }
  }

  /** Notes that a record is part of a save that has begun: what changes from now on belongs to the next one. */
  markStored(record: EntityRecord, home: Box): void {
    this.#entities.set(record.entityId, { record, home, changedSinceMs: undefined });
  }

  /** Gives every entity that has a home the one that it has after a commit. */
  rehome(homeAfter: (home: Box, record: EntityRecord) => Box | undefined): void {
    for (const [entityId, tracked] of this.#entities) {
      if (tracked.home === undefined) continue;
      const home = homeAfter(tracked.home, tracked.record);
      if (home !== tracked.home) this.#entities.set(entityId, { ...tracked, home });
    }
  }

  #require(entityId: bigint): Tracked {
    const tracked = this.#entities.get(entityId);
    if (tracked !== undefined) return tracked;
    throw new OrthantError("ORT_NOT_FOUND", `no entity ${entityId} in what is loaded`);
  }

  /** Whether a position is so far out of a cell that the entity has left it. */
  #isOutside(position: readonly number[], { min, max }: Box): boolean {
    return position.some((coordinate, axis) => {
      const chunk = coordinate / this.#extent(axis);
      return chunk < (min[axis] ?? 0) - HYSTERESIS_CHUNKS || chunk >= (max[axis] ?? 0) + HYSTERESIS_CHUNKS;
    });
  }

  #extent(axis: number): number {
    return this.shape.extents[axis] ?? 1;
  }
}
