import type { BlockCatalog, Position, Timer, TimeSource } from "@orthant/core";
import { PositionMap, PositionSet } from "@orthant/core/lattice";
import { generatorMapHash } from "@orthant/core/tree";
import type { Welcome } from "@orthant/protocol";
import type { CachedReplica, SyncClient } from "@orthant/protocol/client";
import {
  blocksEntry,
  freshIdentity,
  type Identity,
  readIdentity,
  readKept,
  regionEntry,
  worldEntry,
} from "./cache-entries.ts";
import type { CacheChange, CacheEntry, ReplicaCache } from "./replica-cache.ts";

/** How long a change may wait, so that many changes are stored at once. */
const STORE_DELAY_MS = 2_000;
/** Maximum number of regions encoded at once, so that a page stays responsive. */
const BATCH_REGIONS = 256;

/** Replaces the clock of a stored region whose clock is not comparable with the server's clocks. */
const OF_ANOTHER_PAST = -1;

/** Dependencies of a region cache. */
interface RegionCacheOptions {
  readonly cache: ReplicaCache | undefined;
  readonly random: () => bigint;
  readonly time: TimeSource;
  readonly onFailure: (error: unknown) => void;
}

/** Keeps a `ReplicaCache` up to date with the regions that a client holds, and restores them for the next client. */
export class RegionCache {
  readonly identity: Identity;
  /** The regions that an earlier client held; `undefined` if there are none. */
  readonly kept: CachedReplica | undefined;
  readonly #options: RegionCacheOptions;
  /** The cache to write to; `undefined` without a claim and after a failure. */
  #cache: ReplicaCache | undefined;
  #syncClient: SyncClient | undefined;
  /** The world to which the clocks in the cache belong. */
  #world: Pick<CachedReplica, "worldId" | "generatorsHash"> | undefined;
  #isWorldDirty = false;
  /** The catalog of blocks in the cache. */
  #storedBlocks: BlockCatalog | undefined;
  #dirty = new PositionSet();
  /** The clocks of the regions in the cache. An equal clock means that the content is stored already. */
  readonly #stored = new PositionMap<number>();
  #uselessKeys: readonly string[];
  #timer: Timer | undefined;
  #storing: Promise<void> = Promise.resolve();

  private constructor(
    options: RegionCacheOptions,
    cache: ReplicaCache | undefined,
    identity: Identity,
    entries: readonly CacheEntry[],
  ) {
    const { kept, uselessKeys } = readKept(entries);
    this.identity = identity;
    this.kept = kept;
    this.#options = options;
    this.#cache = cache;
    this.#uselessKeys = uselessKeys;
    this.#world = kept;
    this.#storedBlocks = kept?.catalog;
    for (const { region, clock } of kept?.regions ?? []) this.#stored.set(...region, clock);
  }

  /** Opens a cache. Never fails: without a working cache it starts empty. */
  static async open(options: RegionCacheOptions): Promise<RegionCache> {
    const { cache, random, onFailure } = options;
    if (cache === undefined) return new RegionCache(options, undefined, freshIdentity(random), []);
    let isOurs = false;
    let entries: readonly CacheEntry[] = [];
    try {
      isOurs = await cache.claim();
      entries = await cache.load();
      // Two clients must not share an identity, so only the holder of the claim takes the stored one.
      const identity = isOurs ? await readIdentity(cache, entries, random) : freshIdentity(random);
      return new RegionCache(options, isOurs ? cache : undefined, identity, entries);
    } catch (error) {
      onFailure(error);
      if (isOurs) await release(cache, onFailure);
      return new RegionCache(options, undefined, freshIdentity(random), entries);
    }
  }

  /** Keeps the regions of this client from now on. */
  follow(syncClient: SyncClient): void {
    this.#syncClient = syncClient;
  }

  /** Schedules a changed region to be stored. */
  changed(region: Position): void {
    if (this.#cache === undefined) return;
    this.#dirty.add(...region);
    this.#schedule();
  }

  /** Handles a welcome. If the server does not resume the stored regions, their clocks become meaningless. */
  welcomed({ resumed, worldId, generators }: Welcome): void {
    if (this.#cache === undefined) return;
    const generatorsHash = generatorMapHash(generators);
    const isSame = this.#world?.worldId === worldId && this.#world.generatorsHash === generatorsHash;
    if (!resumed || !isSame) {
      for (const region of [...this.#stored.positions()]) this.#stored.set(...region, OF_ANOTHER_PAST);
    }
    this.#world = { worldId, generatorsHash };
    this.#isWorldDirty = true;
    this.#schedule();
  }

  /** Schedules the catalog of blocks to be stored. */
  blocksChanged(): void {
    if (this.#cache === undefined) return;
    this.#isWorldDirty = true;
    this.#schedule();
  }

  /** Stores all pending changes and releases the cache. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    const { cache, onFailure } = this.#options;
    const isOurs = this.#cache !== undefined;
    await this.#store();
    this.#cache = undefined;
    if (cache !== undefined && isOurs) await release(cache, onFailure);
  }

  #schedule(): void {
    this.#timer ??= this.#options.time.after(STORE_DELAY_MS, () => this.#store());
  }

  #store(): Promise<void> {
    this.#timer = undefined;
    this.#storing = this.#storing.then(() => this.#storeAll());
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    try {
      while (this.#cache !== undefined && (this.#isWorldDirty || this.#dirty.size > 0)) {
        await this.#cache.store(this.#nextBatch());
      }
    } catch (error) {
      // The stored entries stay older but valid. The next client restores less from them, but nothing wrong.
      this.#cache = undefined;
      this.#options.onFailure(error);
      if (this.#options.cache !== undefined) await release(this.#options.cache, this.#options.onFailure);
    }
  }

  #nextBatch(): readonly CacheChange[] {
    const syncClient = this.#syncClient;
    const changes: CacheChange[] = this.#uselessKeys.map((key) => ({ key, value: undefined }));
    this.#uselessKeys = [];
    const regions = [...this.#dirty];
    const world = this.#isWorldDirty ? syncClient?.keptWorld : undefined;
    const later = regions.slice(BATCH_REGIONS);
    if (world !== undefined) {
      changes.push(worldEntry(world), ...this.#blocksChanges());
      // Regions left by an earlier world or epoch must not be taken for regions of this one.
      for (const region of later) changes.push(...this.#changes(region, undefined));
    }
    this.#isWorldDirty = false;
    this.#dirty = new PositionSet();
    for (const region of later) this.#dirty.add(...region);
    for (const region of regions.slice(0, BATCH_REGIONS)) {
      changes.push(...this.#changes(region, syncClient));
    }
    return changes;
  }

  #blocksChanges(): readonly CacheChange[] {
    const catalog = this.#syncClient?.world?.catalog;
    if (catalog === undefined || catalog === this.#storedBlocks) return [];
    this.#storedBlocks = catalog;
    return [blocksEntry(catalog)];
  }

  /** Returns the changes that bring a cached region up to date; without a client, those that remove it. */
  #changes(region: Position, syncClient: SyncClient | undefined): readonly CacheChange[] {
    const storedClock = this.#stored.get(...region);
    if (storedClock !== undefined && storedClock === this.#syncClient?.replica?.clockOf(region)) return [];
    const kept = syncClient?.replica?.keep(region);
    if (kept !== undefined) this.#stored.set(...region, kept.clock);
    else if (!this.#stored.delete(...region)) return [];
    return [regionEntry(region, kept)];
  }
}

async function release(cache: ReplicaCache, onFailure: (error: unknown) => void): Promise<void> {
  try {
    await cache.release();
  } catch (error) {
    onFailure(error);
  }
}
