import { type Clock, type Place, PlaceMap, PlaceSet, type Timer } from "@orthant/core";
import type { Guest, KeptReplica, Welcome } from "@orthant/protocol";
import { freshIdentity, type Identity, takeIdentity } from "./identity.ts";
import { readKept, regionEntry, worldEntry } from "./kept-entries.ts";
import type { CacheChange, CacheEntry, ReplicaCache } from "./replica-cache.ts";

/** How long a change may wait to be stored, so that many are stored at once. */
const STORE_DELAY_MS = 2_000;
/** The most regions that are made into bytes in one go, so that a page stays smooth. */
const BATCH_REGIONS = 256;

/** Stands for the clock of a region that the server's own clocks say nothing about. */
const OF_ANOTHER_PAST = -1;

/** What a keeper is made of. */
export interface KeeperOptions {
  readonly cache: ReplicaCache | undefined;
  readonly random: () => bigint;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** Keeps a cache in step with what a guest holds, and gives the next guest what the last one had. */
export class ReplicaKeeper {
  readonly identity: Identity;
  /** What an earlier client held; `undefined` when there is nothing. */
  readonly kept: KeptReplica | undefined;
  readonly #options: KeeperOptions;
  /** What may be written to: nothing without a claim, and nothing after a failure. */
  #cache: ReplicaCache | undefined;
  #guest: Guest | undefined;
  /** The world that clocks in the cache are clocks of. */
  #world: Pick<KeptReplica, "worldId" | "manifestHash"> | undefined;
  #isWorldDirty = false;
  #dirty = new PlaceSet();
  /** The clocks of the regions in the cache. An equal clock means that the content is there already. */
  readonly #stored = new PlaceMap<number>();
  #uselessKeys: readonly string[];
  #timer: Timer | undefined;
  #storing: Promise<void> = Promise.resolve();

  private constructor(
    options: KeeperOptions,
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
    for (const { region, clock } of kept?.regions ?? []) this.#stored.set(...region, clock);
  }

  /** Takes over what a cache holds. Never fails: without a cache that works there is nothing to take over. */
  static async open(options: KeeperOptions): Promise<ReplicaKeeper> {
    const { cache, random, onFailure } = options;
    if (cache === undefined) return new ReplicaKeeper(options, undefined, freshIdentity(random), []);
    let isOurs = false;
    let entries: readonly CacheEntry[] = [];
    try {
      isOurs = await cache.claim();
      entries = await cache.load();
      // Two clients at once must not be one and the same to the server: only who has the claim is who was here before.
      const identity = isOurs ? await takeIdentity(cache, entries, random) : freshIdentity(random);
      return new ReplicaKeeper(options, isOurs ? cache : undefined, identity, entries);
    } catch (error) {
      onFailure(error);
      if (isOurs) await release(cache, onFailure);
      return new ReplicaKeeper(options, undefined, freshIdentity(random), entries);
    }
  }

  /** Keeps what this guest holds from now on. */
  follow(guest: Guest): void {
    this.#guest = guest;
  }

  /** What is to be kept of a region changed. */
  changed(region: Place): void {
    if (this.#cache === undefined) return;
    this.#dirty.add(...region);
    this.#plan();
  }

  /** The guest was welcomed: where it cannot resume what is stored, the clocks of that say nothing any more. */
  welcomed({ resumed, worldId, manifestHash }: Welcome): void {
    if (this.#cache === undefined) return;
    const isSame = this.#world?.worldId === worldId && this.#world.manifestHash === manifestHash;
    if (!resumed || !isSame) {
      for (const region of [...this.#stored.places()]) this.#stored.set(...region, OF_ANOTHER_PAST);
    }
    this.#world = { worldId, manifestHash };
    this.#isWorldDirty = true;
    this.#plan();
  }

  /** Stores what is not stored, and gives the cache free. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    const { cache, onFailure } = this.#options;
    const isOurs = this.#cache !== undefined;
    await this.#store();
    this.#cache = undefined;
    if (cache !== undefined && isOurs) await release(cache, onFailure);
  }

  #plan(): void {
    this.#timer ??= this.#options.clock.after(STORE_DELAY_MS, () => this.#store());
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
      // What is stored stays as it was: older, and whole. The next client gets less from it, nothing wrong.
      this.#cache = undefined;
      this.#options.onFailure(error);
      if (this.#options.cache !== undefined) await release(this.#options.cache, this.#options.onFailure);
    }
  }

  #nextBatch(): readonly CacheChange[] {
    const guest = this.#guest;
    const changes: CacheChange[] = this.#uselessKeys.map((key) => ({ key, value: undefined }));
    this.#uselessKeys = [];
    const regions = [...this.#dirty];
    const world = this.#isWorldDirty ? guest?.keptWorld : undefined;
    const later = regions.slice(BATCH_REGIONS);
    if (world !== undefined) {
      changes.push(worldEntry(world));
      // What an earlier world or time left there must not be taken for something of this one.
      for (const region of later) changes.push(...this.#changes(region, undefined));
    }
    this.#isWorldDirty = false;
    this.#dirty = new PlaceSet();
    for (const region of later) this.#dirty.add(...region);
    for (const region of regions.slice(0, BATCH_REGIONS)) {
      changes.push(...this.#changes(region, guest));
    }
    return changes;
  }

  /** What makes the cache have of a region what this guest has; without one, nothing. */
  #changes(region: Place, guest: Guest | undefined): readonly CacheChange[] {
    const storedClock = this.#stored.get(...region);
    if (storedClock !== undefined && storedClock === this.#guest?.clockOf(region)) return [];
    const kept = guest?.keptRegion(region);
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
