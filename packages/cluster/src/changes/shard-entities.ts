import { type Box, OrthantError, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import type { StoredEntity } from "@orthant/save";
import { storedEntityCodec } from "@orthant/save/content";
import type { EntityChange, NewStoredEntity, StoredEntityEvent } from "@orthant/world/engine";
import { LEAVING_ENTITIES_MAX } from "../journal/border-state.ts";
import { ENTITY_BYTES_MAX } from "../shard/entity-record.ts";
import { regionOfPoint, sectorOfPosition } from "../shard/sectors.ts";
import type { EntityTransferRequest, TransferOutcome } from "../shard/transfer-messages.ts";
import type { Crossings } from "./crossings.ts";
import type { OwnerContext } from "./owner-context.ts";

/** Ids of new entities have this many random bits, so that no two shards choose the same one. */
const ID_BITS = 62;

/** Returns an id for a new entity. `random` gives 64 random bits. Rule K55. */
export function newEntityId(random: () => bigint): bigint {
  return BigInt.asUintN(ID_BITS, random());
}

/**
 * The entities of a shard that this node owns. A change is stored when its promise resolves, and then visible to the
 * players of all gateways. An entity that is moved to another shard leaves at once and arrives there exactly once, also
 * if nodes end meanwhile; from then on the owner of that shard changes it.
 *
 * @example
 * const cow = await node.entities("0")?.spawn({ kind: 2, position: [3, 1, 1, 0] });
 */
export class ShardEntities {
  readonly #context: OwnerContext;
  readonly #crossings: Crossings;

  /** @internal */
  constructor(context: OwnerContext, crossings: Crossings) {
    this.#context = context;
    this.#crossings = crossings;
  }

  /** Returns an entity that is in this shard and in memory. */
  get(entityId: bigint): StoredEntity | undefined {
    return this.#context.world.entities.get(entityId);
  }

  /** Returns the entities of this shard in a box of voxels, ordered by id. Those are in memory from then on. */
  async in(box: Box): Promise<readonly StoredEntity[]> {
    const found = await this.#context.world.entities.in(box);
    return found.filter((entity) => this.#isHere(entity));
  }

  /**
   * Calls `listener` when an entity is spawned, arrives, changes or is loaded into memory, and when it is removed or
   * leaves. Returns an unsubscribe function.
   */
  onChange(listener: (event: StoredEntityEvent) => void): () => void {
    return this.#context.world.entities.onEvent(listener);
  }

  /** Adds an entity and returns its id. It may be placed in another shard, and is visible once it has arrived there. */
  async spawn(entity: NewStoredEntity): Promise<bigint> {
    await this.#whenOpen();
    const { world, log, options } = this.#context;
    const entityId = newEntityId(options.random);
    const stored = world.entities.place(entityId, entity);
    try {
      this.#requireFit(stored);
    } catch (error) {
      world.entities.drop((one) => one.entityId === entityId);
      throw error;
    }
    if (this.#isHere(stored))
      log.addEntity({ kind: "present", entity: stored, storedAt: undefined }, [this.#sectorOf(stored)]);
    // Its first record in a sector is that of its arrival: stamps of two shards must not mix in one sector.
    else this.#leave(stored, undefined, []);
    await this.#whenStored();
    return entityId;
  }

  /** Moves or otherwise changes an entity. Throws `ORT_NOT_FOUND` if it is not in this shard or not in memory. */
  async change(entityId: bigint, change: EntityChange): Promise<void> {
    await this.#whenOpen();
    const { world, log } = this.#context;
    const before = this.#require(entityId);
    this.#requireFit({ ...before, ...change });
    const storedAt = world.entities.storedAtOf(entityId);
    world.entities.change(entityId, change);
    const entity = this.#require(entityId);
    if (this.#isHere(entity))
      log.addEntity({ kind: "present", entity, storedAt }, [this.#sectorOf(before), this.#sectorOf(entity)]);
    else this.#leave(entity, storedAt, [this.#sectorOf(before)]);
    await this.#whenStored();
  }

  /** Removes an entity. Throws `ORT_NOT_FOUND` if it is not in this shard or not in memory. */
  async remove(entityId: bigint): Promise<void> {
    await this.#whenOpen();
    const { world, log } = this.#context;
    const entity = this.#require(entityId);
    const storedAt = world.entities.storedAtOf(entityId);
    world.entities.despawn(entityId);
    log.addEntity({ kind: "gone", entityId, storedAt }, [this.#sectorOf(entity)]);
    await this.#whenStored();
  }

  /**
   * Takes over entities that another shard sends, each once. They are stored when this resolves. Rule K57.
   *
   * @internal
   */
  async receive({ from, low, stamp, transfers }: EntityTransferRequest): Promise<readonly TransferOutcome[]> {
    const { world, log, saver } = this.#context;
    const outcomes = transfers.map(({ term, number, entity }): TransferOutcome => {
      const transfer = { term, number };
      if (log.border.entities.inbox.has(from, transfer)) return "stored";
      if (!this.#isHere(entity)) return "elsewhere";
      try {
        saver.requireRoom();
      } catch {
        return "later";
      }
      const { entityId, lastSavedMs: _, ...fields } = entity;
      // Gateways that saw it leave must take its arrival for later.
      log.observe(stamp);
      const storedAt = world.entities.storedAtOf(entityId);
      const placed = world.entities.place(entityId, fields);
      log.addEntity({ kind: "present", entity: placed, storedAt }, [this.#sectorOf(placed)]);
      log.addTransfer({ kind: "received", from, transfer, low });
      return "stored";
    });
    // Also what was received before may not be stored yet.
    await this.#whenStored();
    return outcomes;
  }

  /** Sends an entity to another shard. `sectors` has the one of this shard in which it was, if any. */
  #leave(entity: StoredEntity, storedAt: Position | undefined, sectors: readonly Position[]): void {
    const { world, log } = this.#context;
    world.entities.despawn(entity.entityId);
    const number = log.border.nextNumber();
    log.addEntity({ kind: "left", number, entity, storedAt }, sectors);
    this.#crossings.start();
  }

  async #whenOpen(): Promise<void> {
    await this.#context.gate.whenOpen();
    this.#context.saver.requireRoom();
  }

  async #whenStored(): Promise<void> {
    await this.#context.log.whenDurable();
    this.#context.saver.stored();
  }

  #require(entityId: bigint): StoredEntity {
    const { options, world } = this.#context;
    const entity = world.entities.get(entityId);
    if (entity !== undefined) return entity;
    throw new OrthantError(
      "ORT_NOT_FOUND",
      `no entity ${entityId} in what is loaded of shard ${options.shard}`,
    );
  }

  #requireFit(entity: StoredEntity): void {
    const { options, log } = this.#context;
    const { length } = encode(storedEntityCodec, entity);
    if (length > ENTITY_BYTES_MAX)
      throw new OrthantError("ORT_LIMIT", `an entity of ${length} bytes, the limit is ${ENTITY_BYTES_MAX}`);
    if (this.#isHere(entity) || log.border.entities.outbox.size < LEAVING_ENTITIES_MAX) return;
    throw new OrthantError(
      "ORT_LIMIT",
      `${LEAVING_ENTITIES_MAX} entities of shard ${options.shard} wait for owners of other shards: wait until those run again`,
    );
  }

  #isHere({ position }: Pick<StoredEntity, "position">): boolean {
    const { world, log } = this.#context;
    return log.owns(regionOfPoint(world.shape, position));
  }

  #sectorOf({ position }: StoredEntity): Position {
    return sectorOfPosition(this.#context.world.shape, position);
  }
}
