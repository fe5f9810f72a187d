import {
  AXES,
  type Box,
  boxContains,
  boxEquals,
  type ChunkShape,
  clampInto,
  encode,
  OrthantError,
  type Place,
  placeFrom,
} from "@orthant/core";
import {
  chunkOfEntity,
  type EntityRecord,
  entityRecordCodec,
  PLAYER_CLASS,
  type Vector,
} from "@orthant/formats";
import { cellKey } from "./cell-key.ts";
import { ENTITY_HYSTERESIS_CHUNKS_MAX } from "./world-options.ts";

/** More than what a record with one entity takes beside the entity. */
const RECORD_OVERHEAD_BYTES = 64;

/** What can change about an entity. Its id and class cannot. */
export type EntityChange = Partial<Omit<EntityRecord, "entityId" | "entityClass" | "lastSavedMs">>;

/** What changes with every step that an entity takes. */
const OF_STEPS: readonly string[] = ["position", "orientation", "velocity"] satisfies (keyof EntityChange)[];

/** What a new entity is made of; all but its kind and position has a default. */
export type NewEntity = Pick<EntityRecord, "kind" | "position"> &
  EntityChange & { readonly entityClass?: number };

/** What happened to an entity: it is there, new or changed or come into memory, or it is there no longer. */
export type EntityEvent =
  | { readonly kind: "present"; readonly entity: EntityRecord }
  | { readonly kind: "gone"; readonly entityId: bigint };

/** An entity after a change. */
export interface ChangedEntity {
  readonly entity: EntityRecord;
  /** Whether it now belongs to another leaf than the one it is stored in. */
  readonly crosses: boolean;
  /** Whether it only moved: the next change of that kind makes this one mean nothing. */
  readonly isStep: boolean;
}

interface Tracked {
  readonly record: EntityRecord;
  /** The cell of the leaf that the entity is stored in; `undefined` before the first save. */
  readonly home: Box | undefined;
  /** The chunk that it was in when it was stored: a leaf that is split is split by that. */
  readonly storedAt: Place | undefined;
  /** Since when it differs from what is stored; `undefined` when it does not. */
  readonly changedSinceMs: number | undefined;
}

/** The entities of all leaves that are loaded, and in which leaf each is stored. */
export class EntityStore {
  readonly shape: ChunkShape;
  readonly #bytesMax: number;
  readonly #hysteresisChunks: number;
  readonly #entities = new Map<bigint, Tracked>();

  /** No entity may take more bytes than a record has room for, nor leave its leaf further without belonging to another. */
  constructor(
    shape: ChunkShape,
    {
      recordBytesMax,
      hysteresisChunks,
    }: { readonly recordBytesMax: number; readonly hysteresisChunks: number },
  ) {
    this.shape = shape;
    this.#bytesMax = recordBytesMax - RECORD_OVERHEAD_BYTES;
    this.#hysteresisChunks = hysteresisChunks;
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

  /** A chunk of the leaf that an entity is stored in, whatever commits do to leaves; `undefined` when none has it. */
  storedAtOf(entityId: bigint): Place | undefined {
    const { home, storedAt } = this.#entities.get(entityId) ?? {};
    // It may have stepped out of its cell.
    return home && storedAt && clampInto(home, storedAt);
  }

  /**
   * Takes in what a leaf holds, and gives those that are new here. An entity that is known already stays as it is: what
   * is in memory is newer.
   */
  load(home: Box, records: readonly EntityRecord[]): readonly EntityRecord[] {
    const added = records.filter(({ entityId }) => !this.#entities.has(entityId));
    for (const record of added) this.markStored(record, home);
    return added;
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
      ...copyOf(entity),
      entityId,
      lastSavedMs: nowMs,
    };
    if (record.entityClass === PLAYER_CLASS) {
      throw new OrthantError("ORT_ARGUMENT", "players are not entities: upsert the player instead");
    }
    this.#requireStorable(record);
    this.#entities.set(entityId, { record, home: undefined, storedAt: undefined, changedSinceMs: nowMs });
    return record;
  }

  /** Changes an entity that is loaded. */
  change(entityId: bigint, change: EntityChange, nowMs: number): ChangedEntity {
    const { record, home, storedAt, changedSinceMs = nowMs } = this.#require(entityId);
    const { entityClass } = record;
    const changed = { ...record, ...copyOf(change), entityId, entityClass };
    this.#requireStorable(changed);
    const crosses = home !== undefined && this.#isOutside(changed.position, home);
    this.#entities.set(entityId, {
      record: changed,
      home: crosses ? undefined : home,
      storedAt,
      changedSinceMs,
    });
    const isStep = Object.keys(change).every((key) => OF_STEPS.includes(key));
    return { entity: changed, crosses, isStep };
  }

  /** Puts an entity as it was written down, be it new or a change of one that is loaded. */
  restore(record: EntityRecord, nowMs: number): ChangedEntity {
    if (this.#entities.has(record.entityId)) return this.change(record.entityId, record, nowMs);
    return { entity: this.spawn(record.entityId, record, nowMs), crosses: true, isStep: false };
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

  /** The entities that are stored in each cell, by its `cellKey`. */
  byHome(): ReadonlyMap<string, readonly EntityRecord[]> {
    const stored = new Map<string, EntityRecord[]>();
    for (const { record, home } of this.#entities.values()) {
      if (home === undefined) continue;
      const key = cellKey(home);
      const others = stored.get(key);
      if (others === undefined) stored.set(key, [record]);
      else others.push(record);
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

  /** Since when the entity that has waited longest for its leaf to be saved differs from what is stored. */
  oldestChangeMs(): number | undefined {
    let oldestMs: number | undefined;
    for (const { home, changedSinceMs } of this.#entities.values()) {
      if (home === undefined || changedSinceMs === undefined) continue;
      oldestMs = Math.min(oldestMs ?? changedSinceMs, changedSinceMs);
    }
    return oldestMs;
  }

  /** Notes that a record is part of a save that has begun: what changes from now on belongs to the next one. */
  markStored(record: EntityRecord, home: Box): void {
    const storedAt = chunkOfEntity(record, this.shape);
    this.#entities.set(record.entityId, { record, home, storedAt, changedSinceMs: undefined });
  }

  /**
   * Gives every entity that has a home the one that it has after a commit. Some may have moved since they were stored
   * and be outside of it: they have no home now, and the cells that they leave are given back.
   */
  rehome(homeAfter: (home: Box, storedAt: Place) => Box): readonly Box[] {
    const left: Box[] = [];
    for (const [entityId, tracked] of this.#entities) {
      if (tracked.home === undefined || tracked.storedAt === undefined) continue;
      const home = homeAfter(tracked.home, tracked.storedAt);
      if (boxEquals(home, tracked.home)) continue;
      const crosses = this.#isOutside(tracked.record.position, home);
      if (crosses) left.push(home);
      this.#entities.set(entityId, { ...tracked, home: crosses ? undefined : home });
    }
    return left;
  }

  #require(entityId: bigint): Tracked {
    const tracked = this.#entities.get(entityId);
    if (tracked !== undefined) return tracked;
    throw new OrthantError("ORT_NOT_FOUND", `no entity ${entityId} in what is loaded`);
  }

  /** Refuses now what would make the next save fail, and with it everything else that it should save. */
  #requireStorable(record: EntityRecord): void {
    if (!AXES.every((axis) => Number.isFinite(Math.fround(record.position[axis])))) {
      throw new OrthantError("ORT_ARGUMENT", `[${record.position}] is not a position`);
    }
    const { length } = encode(entityRecordCodec, record);
    if (length > this.#bytesMax) {
      throw new OrthantError(
        "ORT_LIMIT",
        `an entity of ${length} bytes, where at most ${this.#bytesMax} may be`,
      );
    }
  }

  /** Whether a position, with the precision that it is stored in, is so far out of a cell that the entity left it. */
  #isOutside(position: Vector, { min, max }: Box): boolean {
    return AXES.some((axis) => {
      const chunk = Math.fround(position[axis]) / this.shape.extents[axis];
      return chunk < min[axis] - this.#hysteresisChunks || chunk >= max[axis] + this.#hysteresisChunks;
    });
  }
}

/** The chunks whose leaves may hold an entity that is in a box of chunks: it may have stepped out of its own. */
export function chunksOfHomes({ min, max }: Box): Box {
  // An earlier opening of the world may have had any margin.
  const margin = ENTITY_HYSTERESIS_CHUNKS_MAX;
  return { min: placeFrom((axis) => min[axis] - margin), max: placeFrom((axis) => max[axis] + margin) };
}

/** What was given, in arrays of our own: the caller may use theirs again. */
function copyOf<Change extends EntityChange>(change: Change): Change {
  const { position, orientation, velocity, tags, payload } = change;
  return {
    ...change,
    ...(position && { position: [...position] }),
    ...(orientation && { orientation: [...orientation] }),
    ...(velocity && { velocity: [...velocity] }),
    ...(tags && { tags: [...tags] }),
    ...(payload && { payload: payload.slice() }),
  };
}
