import type { Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { PositionMap, PositionSet, regionBox, regionOf } from "@orthant/core/lattice";
import type { ClockChange, WorldState } from "@orthant/core/tree";
import type { SyncWorld } from "../../server/sync-world.ts";
import { wire1Codec } from "../message/wire1-message.ts";

/** Maximum number of concurrent reads. Callers repeat a request that exceeds it. */
const LOADS_MAX = 16;
/** Time before a failed read is tried again. */
const RETRY_MS = 1_000;
/** Maximum number of failed regions to remember. */
const FAILED_MAX = 1_024;

/** Reads regions from disk for callers that repeat their requests. */
class RegionLoads {
  readonly #world: Pick<SyncWorld, "load">;
  readonly #nowMs: () => number;
  readonly #loading = new PositionSet();
  readonly #retryMs = new PositionMap<number>();

  constructor(world: Pick<SyncWorld, "load">, nowMs: () => number) {
    this.#world = world;
    this.#nowMs = nowMs;
  }

  /** Starts to read a region, unless too many reads are in progress. */
  want(region: Position): void {
    if (this.#loading.size >= LOADS_MAX || this.#loading.has(...region)) return;
    if ((this.#retryMs.get(...region) ?? 0) > this.#nowMs()) return;
    this.#loading.add(...region);
    void this.#load(region);
  }

  async #load(region: Position): Promise<void> {
    try {
      await this.#world.load(regionBox(region));
      this.#retryMs.delete(...region);
    } catch {
      // The world reports its own failures. Clients receive only regions that are loaded.
      if (this.#retryMs.size < FAILED_MAX) this.#retryMs.set(...region, this.#nowMs() + RETRY_MS);
    }
    this.#loading.delete(...region);
  }
}

/** The part of a world that Wire v1 shows as tiles. */
type TileWorld = Pick<SyncWorld, "shape" | "spawn" | "state" | "isLoaded" | "load" | "keep" | "onEdit">;

/** Observes a chunk. */
export interface ChunkWatcher {
  /** The chunk looks different. */
  chunkChanged(): void;
}

/** A chunk that at least one session sees. */
export interface WatchedChunk {
  readonly x: number;
  readonly y: number;
  readonly watchers: Set<ChunkWatcher>;
}

/** A region with watched chunks. It stays loaded until `release` is called. */
interface WatchedRegion {
  readonly chunks: Set<WatchedChunk>;
  readonly release: () => void;
}

/** Maximum number of cached datagrams, about 8 MiB, because many sessions request the same ones. */
const DATAGRAMS_KEPT_MAX = 4_096;
/** Maximum number of datagrams built per tick. Each may require generation, which delays all players. */
const DATAGRAMS_MADE_MAX = 128;

/** The chunks that Wire v1 players see, their datagrams, and their changes. */
export class TileFeed {
  readonly #world: TileWorld;
  readonly #loads: RegionLoads;
  readonly #regions = new PositionMap<WatchedRegion>();
  readonly #chunks = new PositionMap<WatchedChunk>();
  /** Least recently used first. */
  readonly #datagrams = new Map<WatchedChunk, Uint8Array>();
  readonly #stopListening: () => void;
  #madeCount = 0;
  /** The world before the next change. */
  #state: WorldState;

  constructor(world: TileWorld, nowMs: () => number) {
    this.#world = world;
    this.#loads = new RegionLoads(world, nowMs);
    this.#state = world.state;
    this.#stopListening = world.onEdit((steps) => this.#notice(steps));
  }

  /** Number of watched chunks. */
  get chunkCount(): number {
    return this.#chunks.size;
  }

  /** Adds a watcher to a chunk. */
  watch(x: number, y: number, watcher: ChunkWatcher): WatchedChunk {
    const known = this.#chunks.get(x, y, 0, 0);
    const chunk = known ?? { x, y, watchers: new Set() };
    if (known === undefined) {
      this.#chunks.set(x, y, 0, 0, chunk);
      this.#regionOf(chunk).chunks.add(chunk);
    }
    chunk.watchers.add(watcher);
    return chunk;
  }

  /** Removes a watcher from a chunk. */
  leave(chunk: WatchedChunk, watcher: ChunkWatcher): void {
    chunk.watchers.delete(watcher);
    if (chunk.watchers.size > 0) return;
    this.#chunks.delete(chunk.x, chunk.y, 0, 0);
    this.#datagrams.delete(chunk);
    const { chunks, release } = this.#regionOf(chunk);
    chunks.delete(chunk);
    if (chunks.size > 0) return;
    this.#regions.delete(...regionOf([chunk.x, chunk.y, 0, 0]));
    release();
  }

  startTick(): void {
    this.#madeCount = 0;
  }

  /** Returns the datagram of a chunk, or `undefined` if it must wait for the disk or for another tick. */
  datagramOf(chunk: WatchedChunk): Uint8Array | undefined {
    const kept = this.#datagrams.get(chunk);
    if (kept !== undefined) {
      this.#datagrams.delete(chunk);
      this.#datagrams.set(chunk, kept);
      return kept;
    }
    if (this.#madeCount >= DATAGRAMS_MADE_MAX) return undefined;
    const { x, y } = chunk;
    const region = regionOf([x, y, 0, 0]);
    if (!this.#world.isLoaded(regionBox(region))) {
      this.#loads.want(region);
      return undefined;
    }
    // A region loaded since the last change differs from the missing one before.
    this.#state = this.#world.state;
    const tiles = this.#state.realizeChunk(x, y, 0, 0).voxels();
    const datagram = encode(wire1Codec, { kind: "batch", chunks: [{ x, y, tiles }] });
    this.#madeCount++;
    this.#keep(chunk, datagram);
    return datagram;
  }

  close(): void {
    this.#stopListening();
  }

  #regionOf({ x, y }: WatchedChunk): WatchedRegion {
    const position = regionOf([x, y, 0, 0]);
    return this.#regions.getOrAdd(...position, () => ({
      chunks: new Set<WatchedChunk>(),
      release: this.#world.keep(regionBox(position)),
    }));
  }

  #keep(chunk: WatchedChunk, datagram: Uint8Array): void {
    this.#datagrams.set(chunk, datagram);
    if (this.#datagrams.size <= DATAGRAMS_KEPT_MAX) return;
    for (const oldest of this.#datagrams.keys()) {
      this.#datagrams.delete(oldest);
      return;
    }
  }

  #notice(steps: readonly ClockChange[]): void {
    const before = this.#state;
    this.#state = this.#world.state;
    for (const { region } of steps) {
      for (const chunk of this.#regions.get(...region)?.chunks ?? []) {
        const position: Position = [chunk.x, chunk.y, 0, 0];
        // An untouched chunk is the same object in both, or missing in both.
        if (before.overrides.at(...position) === this.#state.overrides.at(...position)) continue;
        this.#datagrams.delete(chunk);
        for (const watcher of chunk.watchers) watcher.chunkChanged();
      }
    }
  }
}
