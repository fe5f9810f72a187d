import type { Box, Chunk, Position } from "@orthant/core";
import { PositionMap, PositionSet } from "@orthant/core/lattice";
import { cubeKey } from "../regions/region-reader.ts";

/** Knows how much memory regions take. */
interface RegionMemory {
  bytesOf(region: Position): number;
}

/** The differences from the last save. */
export class UnsavedChanges {
  readonly chunks: PositionSet = new PositionSet();
  /** Chunks of a journal on axes that the world lacks. They are saved and never shown. Rule S104. */
  readonly hidden: PositionMap<Chunk> = new PositionMap();
  /** Regions with new clocks. */
  readonly clocks: PositionMap<number> = new PositionMap();
  /** Regions with changes that bring no clock: ticks, and chunks of a journal. */
  readonly otherRegions: PositionSet = new PositionSet();
  /** Approximate memory of the regions with changes, which cannot be evicted. */
  regionBytes = 0;
  readonly players: Set<bigint> = new Set();
  /** Changed keys of the store with their new values; `undefined` for a removed key. */
  store: Map<string, Uint8Array | undefined> = new Map();
  /** Whether the name, spawn, epoch or anything else about the world as a whole changed. */
  global = false;
  /** Whether some entities do not yet belong to a leaf: new ones, and those that left theirs. */
  hasUnassigned = false;
  readonly #entityCubes = new Map<string, Box>();

  /** Cubes of leaves whose entities changed. */
  get entityCubes(): Iterable<Box> {
    return this.#entityCubes.values();
  }

  get isEmpty(): boolean {
    const places = this.chunks.size + this.hidden.size + this.clocks.size + this.#entityCubes.size;
    return this.players.size + this.store.size + places === 0 && !this.global && !this.hasUnassigned;
  }

  /** Records that the entities stored in a cube changed. */
  addEntityCube(cube: Box): void {
    this.#entityCubes.set(cubeKey(cube), cube);
  }

  /** Whether a region has changes, so that it must stay in memory. */
  isUnsaved(region: Position): boolean {
    return this.clocks.has(...region) || this.otherRegions.has(...region);
  }

  addChunk(position: Position): void {
    this.chunks.add(...position);
  }

  /** Marks a region as changed, without a new clock. */
  addRegion(region: Position, memory: RegionMemory): void {
    this.#countRegion(region, memory);
    this.otherRegions.add(region[0], region[1], region[2], region[3]);
  }

  /** Notes the new clock of a region. */
  setClock(region: Position, clock: number, memory: RegionMemory): void {
    this.#countRegion(region, memory);
    this.clocks.set(region[0], region[1], region[2], region[3], clock);
  }

  #countRegion(region: Position, memory: RegionMemory): void {
    if (!this.isUnsaved(region)) this.regionBytes += memory.bytesOf(region);
  }

  /** Adds changes that were made after these. */
  addLater(later: UnsavedChanges): void {
    for (const position of later.chunks) this.addChunk(position);
    for (const [position, chunk] of later.hidden) this.hidden.set(...position, chunk);
    for (const [region, clock] of later.clocks) this.clocks.set(...region, clock);
    for (const region of later.otherRegions) this.otherRegions.add(...region);
    this.regionBytes += later.regionBytes;
    for (const player of later.players) this.players.add(player);
    for (const [key, value] of later.store) this.store.set(key, value);
    for (const cube of later.entityCubes) this.addEntityCube(cube);
    this.global ||= later.global;
    this.hasUnassigned ||= later.hasUnassigned;
  }
}
