import type { EntitiesRecord } from "@orthant/cluster/internal";
import type { Vector } from "@orthant/core";
import { AXES } from "@orthant/core/lattice";
import type { SeenEntity } from "@orthant/protocol";
import type { StoredEntity } from "@orthant/save";

interface LastState {
  readonly stamp: number;
  /** `undefined` if it was removed. */
  readonly entity: StoredEntity | undefined;
}

/** Knows all entities, from the journals alone: none may be lost, and none may be there twice. */
export class HerdOracle {
  readonly #fail: (error: Error) => void;
  readonly #states = new Map<bigint, LastState>();
  /** Entities with a change in a journal that was lost. */
  readonly #excused = new Set<bigint>();
  /** The transfers that a journal has as received. */
  readonly #received = new Set<string>();
  /** The last stamp of each sector, unless a journal was lost since. */
  readonly #stamps = new Map<string, number>();

  constructor(fail: (error: Error) => void) {
    this.#fail = fail;
  }

  /** Number of entities that are somewhere. */
  get size(): number {
    return [...this.#states.values()].filter(({ entity }) => entity !== undefined).length;
  }

  /** Adds an entity of the first save. */
  add(entity: StoredEntity): void {
    this.#states.set(entity.entityId, { stamp: 0, entity });
  }

  /** Takes a record that was stored in a journal, for a sector or for none. */
  take({ before, after: stamp, items }: EntitiesRecord, sector: string | undefined): void {
    if (sector !== undefined) this.#takeStamp(sector, before, stamp);
    for (const item of items) {
      if (item.kind === "delivered") continue;
      if (item.kind === "received") {
        const key = keyOf(item);
        if (this.#received.has(key)) this.#fail(new Error(`the transfer ${key} arrived twice`));
        this.#received.add(key);
        continue;
      }
      const id = item.kind === "gone" ? item.entityId : item.entity.entityId;
      const known = this.#states.get(id);
      const entity = item.kind === "gone" ? undefined : item.entity;
      if (known !== undefined && known.stamp > stamp && !this.#excused.has(id))
        this.#fail(new Error(`entity ${id} changed at stamp ${stamp}, after ${known.stamp}`));
      if (known === undefined || known.stamp <= stamp) this.#states.set(id, { stamp, entity });
    }
  }

  /** Excuses the entities in a record that was lost with its journal. */
  excuse({ items }: EntitiesRecord): void {
    // The next owner does not know the stamps of the lost records.
    this.#stamps.clear();
    for (const item of items) {
      if (item.kind === "received") this.#received.delete(keyOf(item));
      else if (item.kind === "gone") this.#excused.add(item.entityId);
      else if (item.kind !== "delivered") this.#excused.add(item.entity.entityId);
    }
  }

  /**
   * Describes an entity that is lost, there twice, or not as it was last, in the saves of shards or before a client;
   * `undefined` if there is none.
   */
  fault(
    saved: ReadonlyMap<string, readonly StoredEntity[]>,
    owns: (shard: string, position: Vector) => boolean,
    shown: readonly (readonly SeenEntity[])[],
  ): string | undefined {
    const seen = new Map<bigint, string>();
    for (const [shard, entities] of saved) {
      for (const { entityId: id, position, payload } of entities) {
        if (this.#excused.has(id)) continue;
        const other = seen.get(id);
        seen.set(id, shard);
        if (other !== undefined) return `entity ${id} is in the shards ${other} and ${shard}`;
        if (!owns(shard, position)) return `entity ${id} at [${position}] is in shard ${shard}`;
        const last = this.#states.get(id)?.entity;
        if (last === undefined) return `entity ${id} was removed, and is in shard ${shard}`;
        if (!isSame(last.position, position) || last.payload.length !== payload.length)
          return `entity ${id} is at [${position}] in shard ${shard}, and was last at [${last.position}]`;
      }
    }
    for (const [id, { entity }] of this.#states) {
      if (entity === undefined || this.#excused.has(id)) continue;
      if (!seen.has(id)) return `entity ${id} at [${entity.position}] is lost`;
      for (const [client, entities] of shown.entries()) {
        const found = entities.filter((one) => one.id === id);
        const [first] = found;
        if (first === undefined || found.length > 1)
          return `client ${client} shows entity ${id} ${found.length} times`;
        if (!isSame(first.position, entity.position))
          return `client ${client} shows entity ${id} at [${first.position}], and it is at [${entity.position}]`;
      }
    }
    for (const [client, entities] of shown.entries()) {
      const odd = entities.find(({ id }) => !this.#excused.has(id) && !seen.has(id));
      if (odd !== undefined) return `client ${client} shows entity ${odd.id}, which is nowhere`;
    }
    return undefined;
  }

  /** Checks that the records of a sector have rising stamps, whichever shards and owners write them. */
  #takeStamp(sector: string, before: number, after: number): void {
    const last = this.#stamps.get(sector) ?? 0;
    if (before < last)
      this.#fail(new Error(`a record of sector ${sector} builds on stamp ${before}, behind one of ${last}`));
    this.#stamps.set(sector, after);
  }
}

function keyOf({ from, transfer }: Extract<EntitiesRecord["items"][number], { kind: "received" }>): string {
  return `${from}/${transfer.term}.${transfer.number}`;
}

function isSame(one: Vector, other: Vector): boolean {
  return AXES.every((axis) => Math.abs(one[axis] - other[axis]) < 0.1);
}
