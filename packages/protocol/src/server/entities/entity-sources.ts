import type { Box, Position } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import {
  boxVolume,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
  regionBox,
  regionsTouching,
} from "@orthant/core/lattice";
import { boxesOfRegions } from "@orthant/core/tree";
import type { EntityDetails, VisibleEntity } from "../../message/entity.ts";
import { NAME_BYTES_MAX } from "../../message/limits.ts";
import { clampedPose, clipText } from "../../message/sendable.ts";
import type { RegionListener, WatchedRegion, WatchedRegions } from "../regions/watched-regions.ts";
import type { RemotePlayer, RemotePlayerEvent, SyncWorld, VisibleEntityEvent } from "../sync-world.ts";
import { type EntityGrid, playerTraits } from "./entity-grid.ts";
import type { EntityTraits, GridEntity } from "./grid-entity.ts";

/** Adds the world's entities to the grid, as far as they are in watched regions, and the players of other servers. */
export class EntitySources implements RegionListener {
  readonly #world: SyncWorld;
  readonly #regions: WatchedRegions;
  readonly #grid: EntityGrid;
  /** Entities by their id, and players by their key. */
  readonly #entities = new Map<bigint | string, GridEntity>();
  /** For each pending query, the entities with newer events since it started. */
  readonly #asking = new Set<Set<bigint>>();
  /** Regions whose entities must be queried. */
  #unasked: Position[] = [];

  constructor(world: SyncWorld, regions: WatchedRegions, grid: EntityGrid) {
    this.#world = world;
    this.#regions = regions;
    this.#grid = grid;
    regions.listen(this);
  }

  regionWatched({ position }: WatchedRegion): void {
    // A client adds thousands of regions at once, and a world may have to scan all entities for each query.
    if (this.#unasked.push(position) === 1) void this.#askTogether();
  }

  regionLeft(region: WatchedRegion): void {
    const entities: GridEntity[] = [];
    this.#grid.collect(...region.position, entities);
    for (const { id, isPlayer } of entities) if (!isPlayer) this.#remove(id);
  }

  /** Handles an event of an entity. */
  receive(event: VisibleEntityEvent): void {
    const id = event.kind === "gone" ? event.id : event.entity.id;
    for (const newer of this.#asking) newer.add(id);
    if (event.kind === "gone") this.#remove(id);
    else this.#show(event.entity);
  }

  /** Handles an event of a player on another server. */
  receivePlayer(event: RemotePlayerEvent): void {
    if (event.kind === "gone") this.#remove(event.key);
    else this.#showPlayer(event.player);
  }

  async #askTogether(): Promise<void> {
    await Promise.resolve();
    const regions = this.#unasked;
    this.#unasked = [];
    for (const chunks of boxesOfRegions(regions)) void this.#ask(chunks);
  }

  async #ask(chunks: Box): Promise<void> {
    const newer = new Set<bigint>();
    this.#asking.add(newer);
    try {
      const entities = await this.#world.entitiesIn(chunks);
      for (const entity of entities) if (!newer.has(entity.id)) this.#show(entity);
    } catch {
      // The world reports its own failures. A region that fails looks empty until an event occurs there.
      if (boxVolume(chunks) > REGION_EDGE_CHUNKS ** 4) await this.#askOneByOne(chunks);
    } finally {
      this.#asking.delete(newer);
    }
  }

  /** Queries regions one by one, so that damage in one region does not hide the entities of others. */
  async #askOneByOne(chunks: Box): Promise<void> {
    for (const region of positionsLexicographic(regionsTouching(chunks))) {
      if (this.#regions.at(region) !== undefined) await this.#ask(regionBox(region));
    }
  }

  #show(entity: VisibleEntity): void {
    const { id, position } = entity;
    const known = this.#entities.get(id);
    if (!this.#grid.isInside(position) || this.#regions.at(this.#grid.regionOf(position)) === undefined) {
      this.#remove(id);
      return;
    }
    const pose = clampedPose(entity);
    const traits = traitsOf(entity);
    const { tags, data } = entity;
    if (known !== undefined && hasTraits(known, traits)) {
      this.#grid.move(known, pose);
      if (!detailsEqual(known.details, entity)) this.#grid.detail(known, { tags, data });
      this.#grid.accelerate(known, entity.velocity);
    } else {
      this.#remove(id);
      const entered = this.#grid.enter(traits, pose, { tags, data });
      this.#grid.accelerate(entered, entity.velocity);
      this.#entities.set(id, entered);
    }
  }

  #showPlayer(player: RemotePlayer): void {
    const { key, playerId, position } = player;
    if (!this.#grid.isInside(position)) {
      this.#remove(key);
      return;
    }
    const pose = clampedPose(player);
    const name = clipText(player.name, NAME_BYTES_MAX);
    const known = this.#entities.get(key);
    if (known?.id === playerId && known.name === name) this.#grid.move(known, pose);
    else {
      this.#remove(key);
      this.#entities.set(key, this.#grid.enter(playerTraits(playerId, name), pose));
    }
  }

  #remove(id: bigint | string): void {
    const entity = this.#entities.get(id);
    if (entity === undefined) return;
    this.#entities.delete(id);
    this.#grid.leave(entity);
  }
}

function traitsOf({ id, entityClass, kind, scale, block, name }: VisibleEntity): EntityTraits {
  return {
    isPlayer: false,
    id,
    entityClass,
    kind,
    scale,
    block,
    name: clipText(name, NAME_BYTES_MAX),
  };
}

function hasTraits(entity: GridEntity, traits: EntityTraits): boolean {
  return (
    entity.entityClass === traits.entityClass &&
    entity.kind === traits.kind &&
    entity.scale === traits.scale &&
    entity.block === traits.block &&
    entity.name === traits.name
  );
}

function detailsEqual(one: EntityDetails, other: EntityDetails): boolean {
  return (
    one.tags.length === other.tags.length &&
    one.tags.every((tag, index) => tag === other.tags[index]) &&
    bytesEqual(one.data, other.data)
  );
}
