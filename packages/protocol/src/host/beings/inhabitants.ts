import {
  type Box,
  boxesOfRegions,
  boxVolume,
  type Position,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
  regionBox,
  regionsTouching,
} from "@orthant/core";
import type { Being } from "../../message/being.ts";
import { NAME_BYTES_MAX } from "../../message/limits.ts";
import { clipText } from "../connection/clip-text.ts";
import type { HostWorld, Inhabitant, InhabitantEvent } from "../host-world.ts";
import type { WatchedRegion } from "../regions/holding.ts";
import type { RegionListener, WatchedRegions } from "../regions/watched-regions.ts";
import type { BeingGrid, BeingTraits, LiveBeing } from "./being-grid.ts";
import { seenPose } from "./seen-pose.ts";

/** Adds the world's entities to the grid, as far as they are in watched regions. */
export class Inhabitants implements RegionListener {
  readonly #world: HostWorld;
  readonly #regions: WatchedRegions;
  readonly #grid: BeingGrid;
  readonly #beings = new Map<bigint, LiveBeing>();
  /** For each pending query, the entities with newer events since it started. */
  readonly #asking = new Set<Set<bigint>>();
  /** Regions whose entities must be queried. */
  #unasked: Position[] = [];

  constructor(world: HostWorld, regions: WatchedRegions, grid: BeingGrid) {
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
    const beings: Being[] = [];
    this.#grid.collect(...region.position, beings);
    for (const { id, isPlayer } of beings) if (!isPlayer) this.#remove(id);
  }

  /** Handles an event of an entity. */
  happened(event: InhabitantEvent): void {
    const id = event.kind === "gone" ? event.id : event.inhabitant.id;
    for (const newer of this.#asking) newer.add(id);
    if (event.kind === "gone") this.#remove(id);
    else this.#show(event.inhabitant);
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
      const inhabitants = await this.#world.inhabitantsIn(chunks);
      for (const inhabitant of inhabitants) if (!newer.has(inhabitant.id)) this.#show(inhabitant);
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

  #show(inhabitant: Inhabitant): void {
    const { id, position } = inhabitant;
    const known = this.#beings.get(id);
    if (!this.#grid.isInside(position) || this.#regions.at(this.#grid.regionOf(position)) === undefined) {
      this.#remove(id);
      return;
    }
    const pose = seenPose(inhabitant);
    const traits = traitsOf(inhabitant);
    if (known !== undefined && hasTraits(known, traits)) this.#grid.move(known, pose);
    else {
      this.#remove(id);
      this.#beings.set(id, this.#grid.enter(traits, pose));
    }
  }

  #remove(id: bigint): void {
    const being = this.#beings.get(id);
    if (being === undefined) return;
    this.#beings.delete(id);
    this.#grid.leave(being);
  }
}

function traitsOf({ id, entityClass, kind, scale, material, name }: Inhabitant): BeingTraits {
  return {
    isPlayer: false,
    id,
    entityClass,
    kind,
    scale,
    material,
    name: clipText(name, NAME_BYTES_MAX),
  };
}

function hasTraits(being: LiveBeing, traits: BeingTraits): boolean {
  return (
    being.entityClass === traits.entityClass &&
    being.kind === traits.kind &&
    being.scale === traits.scale &&
    being.material === traits.material &&
    being.name === traits.name
  );
}
