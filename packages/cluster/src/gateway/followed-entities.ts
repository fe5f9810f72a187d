import { type Box, type ChunkShape, OrthantError, type Position } from "@orthant/core";
import { getOrAdd, PositionMap } from "@orthant/core/lattice";
import { type VisibleEntity, visibleEntity } from "@orthant/protocol";
import type { VisibleEntityEvent } from "@orthant/protocol/server";
import type { EntitiesRecord, EntityItem, TransferItem } from "../shard/entity-record.ts";
import { ENTITY_REGIONS_MAX, type RegionEntities } from "../shard/owner-messages.ts";
import { nameOfPosition, regionOfPoint, sectorOfRegion } from "../shard/sectors.ts";
import { listedRegions } from "../shard/sized-boxes.ts";
import { OwnerQueue, type OwnerQueueContext, type SendRequest } from "./owner-queue.ts";

/** Dependencies of the followed entities. */
interface FollowedEntitiesOptions extends OwnerQueueContext {
  readonly shape: ChunkShape;
  readonly onEntity: (event: VisibleEntityEvent) => void;
}

/** A region whose entities are wanted. */
interface KeptRegion {
  readonly region: Position;
  readonly entities: Set<bigint>;
  /** The stamp of its sector up to which its entities are known; 0 before the first answer. */
  stamp: number;
  keepers: number;
  readonly waiting: (() => void)[];
}

interface KeptSector {
  readonly regions: Set<KeptRegion>;
  /** The stamps of records that arrived last, for answers that they have overtaken. */
  readonly stamps: { readonly before: number; readonly after: number }[];
}

interface KnownEntity {
  readonly entity: VisibleEntity;
  readonly stamp: number;
  readonly kept: KeptRegion;
}

/** Regions that may wait for their first answer at once. */
const WAITING_MAX = 65_536;
/** Interval between comparisons with owners. A lost record may be the last one, so that no later one reveals the gap. */
const AUDIT_MS = 5_000;
/** Time for which an answer may still list an entity that is gone. */
const GONE_MS = 10_000;
const STAMPS_MAX = 64;

/**
 * The entities of regions that players look at, kept in step with their owners. Records and answers carry stamps; for
 * each entity the latest counts, whichever shard it is from, so that an entity is shown once while it crosses a border.
 * A record that does not build on the held stamp reveals a gap, and the region is requested again. Rule K34.
 */
export class FollowedEntities {
  readonly #options: FollowedEntitiesOptions;
  readonly #queue: OwnerQueue<KeptRegion>;
  readonly #regions = new PositionMap<KeptRegion>();
  readonly #sectors = new Map<string, KeptSector>();
  readonly #entities = new Map<bigint, KnownEntity>();
  /** Entities that are gone or out of range, with the time of that, and the stamp before which they were there. */
  readonly #gone = new Map<bigint, { readonly stamp: number; readonly ms: number }>();
  /** Regions that are compared on behalf of their sectors. */
  readonly #audited = new Set<KeptRegion>();
  #waiting = 0;
  #auditedMs: number;

  constructor(options: FollowedEntitiesOptions) {
    this.#options = options;
    this.#auditedMs = options.time.nowMs();
    this.#queue = new OwnerQueue<KeptRegion>({
      ...options,
      batchMax: ENTITY_REGIONS_MAX,
      shardOf: ({ region }) => options.directory.shardOf(region),
      send: (items, request) => this.#send(items, request),
    });
  }

  /** Keeps the entities of a box of chunks known until the returned function is called. */
  keep(chunks: Box): () => void {
    const kept = listedRegions(chunks).map((region) => this.#keep(region));
    for (const one of kept) one.keepers++;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      for (const one of kept) if (--one.keepers === 0) this.#drop(one);
    };
  }

  /**
   * Returns the entities in a box of chunks once all owners have answered. Throws `ORT_LIMIT` if too many regions wait
   * already.
   */
  async in(chunks: Box): Promise<readonly VisibleEntity[]> {
    const regions = listedRegions(chunks);
    if (this.#waiting + regions.length > WAITING_MAX)
      throw new OrthantError("ORT_LIMIT", `owners have not answered about ${this.#waiting} regions`);
    const release = this.keep(chunks);
    try {
      const kept = regions.map((region) => this.#keep(region));
      await Promise.all(kept.map((one) => this.#whenKnown(one)));
      return kept.flatMap((one) =>
        Array.from(one.entities, (id) => this.#entities.get(id)?.entity ?? []).flat(),
      );
    } finally {
      release();
    }
  }

  /** Handles a record about the entities of a sector. */
  receive(sector: string, { before, after, items }: EntitiesRecord): void {
    const kept = this.#sectors.get(sector);
    if (kept === undefined) return;
    for (const item of items) this.#apply(item, after);
    kept.stamps.push({ before, after });
    if (kept.stamps.length > STAMPS_MAX) kept.stamps.shift();
    for (const one of kept.regions) {
      if (one.stamp === before) one.stamp = after;
      else if (one.stamp !== 0 && one.stamp < after) this.#queue.add(one);
    }
  }

  /** Compares all sectors, or those of one shard, with their owners. */
  audit(shard?: string): void {
    const { directory } = this.#options;
    for (const { regions } of this.#sectors.values()) {
      const [first, ...others] = regions;
      if (first === undefined || (shard !== undefined && directory.shardOf(first.region) !== shard)) continue;
      const oldest = others.reduce((one, other) => (other.stamp < one.stamp ? other : one), first);
      this.#audited.add(oldest);
      this.#queue.addBackground(oldest);
    }
  }

  /** Runs periodic work. */
  tick(nowMs: number): void {
    for (const [id, { ms }] of this.#gone) if (Math.abs(nowMs - ms) > GONE_MS) this.#gone.delete(id);
    if (nowMs - this.#auditedMs < AUDIT_MS && nowMs >= this.#auditedMs) return;
    this.#auditedMs = nowMs;
    this.audit();
  }

  /** Stops asking. */
  close(): void {
    this.#queue.close();
  }

  #keep(region: Position): KeptRegion {
    const known = this.#regions.get(...region);
    if (known !== undefined) return known;
    const kept: KeptRegion = { region, entities: new Set(), stamp: 0, keepers: 0, waiting: [] };
    this.#regions.set(...region, kept);
    const name = nameOfPosition(sectorOfRegion(region));
    const sector = getOrAdd(this.#sectors, name, () => ({ regions: new Set<KeptRegion>(), stamps: [] }));
    sector.regions.add(kept);
    this.#waiting++;
    this.#queue.add(kept);
    return kept;
  }

  #drop(kept: KeptRegion): void {
    const { region, entities, waiting } = kept;
    this.#regions.delete(...region);
    this.#queue.remove(kept);
    this.#audited.delete(kept);
    const name = nameOfPosition(sectorOfRegion(region));
    const sector = this.#sectors.get(name);
    sector?.regions.delete(kept);
    if (sector?.regions.size === 0) this.#sectors.delete(name);
    for (const id of entities) this.#entities.delete(id);
    if (kept.stamp === 0) this.#waiting--;
    for (const resolve of waiting) resolve();
  }

  #whenKnown(kept: KeptRegion): Promise<void> {
    if (kept.stamp > 0) return Promise.resolve();
    return new Promise((resolve) => kept.waiting.push(resolve));
  }

  async #send(items: readonly KeptRegion[], request: SendRequest): Promise<readonly KeptRegion[]> {
    const regions = items.map(({ region, stamp }) => ({ region, held: stamp }));
    const answer = await request({ kind: "entities", regions });
    if (answer.kind !== "entities" || answer.answers.length !== items.length) return items;
    return items.filter((kept, index) => {
      const found = answer.answers[index];
      return found === undefined || !this.#receiveAnswer(kept, found);
    });
  }

  /** Handles an owner's answer about a region. Returns true if the region is complete. */
  #receiveAnswer(kept: KeptRegion, answer: RegionEntities): boolean {
    if (this.#regions.get(...kept.region) !== kept) return true;
    if (answer.kind === "elsewhere" || answer.kind === "later") return false;
    const isAudit = this.#audited.delete(kept);
    if (answer.kind === "same") return true;
    const { stamp, entities } = answer;
    const listed = new Set(entities.map(({ id }) => id));
    for (const entity of entities) this.#show(entity, stamp);
    for (const id of [...kept.entities]) {
      const known = this.#entities.get(id)?.stamp ?? 0;
      // Another region may list it, also with an earlier stamp than that of this answer.
      if (!listed.has(id) && known <= stamp) this.#remove(id, known);
    }
    const sector = this.#sectors.get(nameOfPosition(sectorOfRegion(kept.region)));
    if (kept.stamp === 0) this.#waiting--;
    kept.stamp = Math.max(kept.stamp, stamp);
    // Records may have overtaken the answer.
    for (const { before, after } of sector?.stamps ?? []) if (kept.stamp === before) kept.stamp = after;
    for (const resolve of kept.waiting.splice(0)) resolve();
    if (isAudit)
      for (const other of sector?.regions ?? [])
        if (other.stamp < kept.stamp) this.#queue.addBackground(other);
    return true;
  }

  #apply(item: EntityItem | TransferItem, stamp: number): void {
    // An entity that left is where it arrives next.
    if (item.kind === "present" || item.kind === "left") this.#show(visibleEntity(item.entity), stamp);
    else if (item.kind === "gone" && (this.#entities.get(item.entityId)?.stamp ?? 0) < stamp)
      this.#remove(item.entityId, stamp);
  }

  #show(entity: VisibleEntity, stamp: number): void {
    const { id } = entity;
    const known = this.#entities.get(id);
    if (stamp < (known?.stamp ?? 0) || stamp < (this.#gone.get(id)?.stamp ?? 0)) return;
    const kept = this.#regions.get(...regionOfPoint(this.#options.shape, entity.position));
    if (kept === undefined) {
      this.#remove(id, stamp);
      return;
    }
    known?.kept.entities.delete(id);
    kept.entities.add(id);
    this.#gone.delete(id);
    this.#entities.set(id, { entity, stamp, kept });
    this.#options.onEntity({ kind: "present", entity });
  }

  #remove(id: bigint, stamp: number): void {
    this.#gone.set(id, { stamp, ms: this.#options.time.nowMs() });
    const known = this.#entities.get(id);
    if (known === undefined) return;
    known.kept.entities.delete(id);
    this.#entities.delete(id);
    this.#options.onEntity({ kind: "gone", id });
  }
}
