import type { Box, Chunk, Position } from "@orthant/core";
import { PositionMap, PositionSet } from "@orthant/core/lattice";
import { cubeKey } from "../regions/region-reader.ts";

/** Knows how much memory regions take. */
interface RegionMemory {
  bytesOf(region: Position): number;
}

/** The differences from the last save. */
export class UnsavedChanges {
  /** Chunks whose voxels or ticks changed. */
  readonly chunks: PositionSet = new PositionSet();
  /** Chunks of a journal on axes that the world lacks. They are saved and never shown. Rule S104. */
  readonly hidden: PositionMap<Chunk> = new PositionMap();
  readonly players: Set<bigint> = new Set();
  /** Whether the name, spawn, epoch or anything else about the world as a whole changed. */
  hasGlobal = false;
  /** Whether some entities do not yet belong to a leaf: new ones, and those that left theirs. */
  hasUnassigned = false;
  readonly #memory: RegionMemory;
  readonly #clocks = new PositionMap<number>();
  /** Regions with changes that bring no clock: ticks, and chunks of a journal. */
  readonly #otherRegions = new PositionSet();
  readonly #entityCubes = new Map<string, Box>();
  #regionBytes = 0;
  #store = new Map<string, Uint8Array | undefined>();
  #isStoreShared = false;

  constructor(memory: RegionMemory) {
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    const places = this.chunks.size + this.hidden.size + this.#clocks.size + this.#entityCubes.size;
    const others = this.players.size + this.#store.size;
    return places + others === 0 && !this.hasGlobal && !this.hasUnassigned;
  }

  /** Regions with their new clocks. */
  get clocks(): Iterable<readonly [Position, number]> {
    return this.#clocks;
  }

  /** Cubes of leaves whose entities changed. */
  get entityCubes(): Iterable<Box> {
    return this.#entityCubes.values();
  }

  /** Approximate memory of the regions with changes, which cannot be evicted. */
  get regionBytes(): number {
    return this.#regionBytes;
  }

  /** Changed keys of the store with their new values; `undefined` for a removed key. */
  get store(): ReadonlyMap<string, Uint8Array | undefined> {
    return this.#store;
  }

  /** Returns {@link store} as it is now: later changes do not affect the map. */
  shareStore(): ReadonlyMap<string, Uint8Array | undefined> {
    this.#isStoreShared = true;
    return this.#store;
  }

  /** Whether a region has changes, so that it must stay in memory. */
  isUnsaved(region: Position): boolean {
    return this.#clocks.has(...region) || this.#otherRegions.has(...region);
  }

  /** Marks a region as changed, without a new clock. */
  addRegion(region: Position): void {
    this.#countRegion(region);
    this.#otherRegions.add(region[0], region[1], region[2], region[3]);
  }

  /** Counts by how many bytes changed regions grew. */
  addBytes(bytes: number): void {
    this.#regionBytes += bytes;
  }

  /** Notes the new clock of a region. */
  setClock(region: Position, clock: number): void {
    this.#countRegion(region);
    this.#clocks.set(region[0], region[1], region[2], region[3], clock);
  }

  /** Records that the entities stored in a cube changed. */
  addEntityCube(cube: Box): void {
    this.#entityCubes.set(cubeKey(cube), cube);
  }

  /** Sets a key of the store; `undefined` removes it. */
  setKey(key: string, value: Uint8Array | undefined): void {
    if (this.#isStoreShared) this.#store = new Map(this.#store);
    this.#isStoreShared = false;
    this.#store.set(key, value);
  }

  #countRegion(region: Position): void {
    if (!this.isUnsaved(region)) this.#regionBytes += this.#memory.bytesOf(region);
  }

  /** Adds changes that were made after these. */
  append(later: UnsavedChanges): void {
    for (const position of later.chunks) this.chunks.add(...position);
    for (const [position, chunk] of later.hidden) this.hidden.set(...position, chunk);
    for (const [region, clock] of later.#clocks) this.#clocks.set(...region, clock);
    for (const region of later.#otherRegions) this.#otherRegions.add(...region);
    this.#regionBytes += later.#regionBytes;
    for (const player of later.players) this.players.add(player);
    for (const [key, value] of later.#store) this.setKey(key, value);
    for (const cube of later.entityCubes) this.addEntityCube(cube);
    this.hasGlobal ||= later.hasGlobal;
    this.hasUnassigned ||= later.hasUnassigned;
  }
}
