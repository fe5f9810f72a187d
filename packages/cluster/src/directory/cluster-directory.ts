import { decode, encode, isOrthantError, OrthantError, type Place } from "@orthant/core";
import type { Engine, Entry, Subscription } from "../engine/engine.ts";
import { type Lease, leaseCodec } from "../shard/lease.ts";
import { leasePrefix, mapKey } from "../shard/names.ts";
import {
  type ShardMap,
  type ShardSplit,
  shardMapCodec,
  shardOf,
  shardsOf,
  withSplit,
} from "../shard/shard-map.ts";

/** A lease, and the revision at which it stands. */
export interface StandingLease {
  readonly lease: Lease;
  readonly revision: number;
}

/** Whom a directory tells. */
export interface DirectoryEvents {
  onMap?(map: ShardMap): void;
  onLease?(shard: string, lease: Lease): void;
}

/** Which shards a world has and who owns them, as the table says it, a moment later. */
export class ClusterDirectory {
  readonly #world: string;
  readonly #listeners = new Set<DirectoryEvents>();
  readonly #leases = new Map<string, StandingLease>();
  readonly #subscriptions: Subscription[] = [];
  #map: ShardMap;
  /** Where the map stands in the order of all writes. */
  #revision: number;

  private constructor(world: string, map: ShardMap, revision: number) {
    this.#world = world;
    this.#map = map;
    this.#revision = revision;
  }

  /** Reads the map and follows it. `ORT_NOT_FOUND` when there is no such world in the cluster. */
  static async open(engine: Engine, world: string): Promise<ClusterDirectory> {
    const entry = await engine.table.get(mapKey(world));
    if (entry?.value === undefined)
      throw new OrthantError("ORT_NOT_FOUND", `the cluster has no world ${world}; create it first`);
    const map = decode(shardMapCodec, entry.value);
    const directory = new ClusterDirectory(world, map, entry.revision);
    const { table } = engine;
    directory.#subscriptions.push(
      await table.watch(mapKey(world), (written) => directory.#takeMap(written)),
      await table.watch(leasePrefix(world), (written) => directory.#takeLease(written)),
    );
    return directory;
  }

  get map(): ShardMap {
    return this.#map;
  }

  /** Who owns a shard; `undefined` when nobody ever did. */
  leaseOf(shard: string): StandingLease | undefined {
    return this.#leases.get(shard);
  }

  /** Whether there is such a shard. */
  has(shard: string): boolean {
    return shardsOf(this.#map).includes(shard);
  }

  /** The shard of a region. */
  shardOf(region: Place): string {
    return shardOf(this.#map, region);
  }

  /** Tells of changes from now on, until the function returned is called. */
  listen(events: DirectoryEvents): () => void {
    this.#listeners.add(events);
    return () => this.#listeners.delete(events);
  }

  /**
   * Puts a split into the map, unless it is there. Whoever else changes the map at the same time is not undone. Nothing is
   * put there when `requireHeld` throws, or when somebody has touched the map since it did not.
   */
  async completeSplit(engine: Engine, split: ShardSplit, requireHeld: () => Promise<void>): Promise<void> {
    await this.#rewrite(engine, async (map) => {
      if (shardsOf(map).includes(split.to)) return map;
      await requireHeld();
      return withSplit(map, split);
    });
  }

  /** Writes the map as it is, with a new generation, so that nobody changes it who has looked at it before. */
  async touch(engine: Engine): Promise<void> {
    await this.#rewrite(engine, (map) => ({ ...map, generation: map.generation + 1 }));
  }

  /** Follows nothing more. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.end();
    this.#listeners.clear();
  }

  /** Changes the map that the table has, until nobody else does in the same moment; and takes it for its own. */
  async #rewrite(engine: Engine, change: (map: ShardMap) => ShardMap | Promise<ShardMap>): Promise<void> {
    const key = mapKey(this.#world);
    for (;;) {
      const entry = await engine.table.get(key);
      if (entry?.value === undefined)
        throw new OrthantError("ORT_NOT_FOUND", `world ${this.#world} has no map`);
      const map = decode(shardMapCodec, entry.value);
      const changed = await change(map);
      const revision =
        changed === map
          ? entry.revision
          : await engine.table.swap(key, encode(shardMapCodec, changed), entry.revision);
      if (revision === undefined) continue;
      this.#noteMap(changed, revision);
      // Else another one took its place meanwhile, perhaps in a table that was lost and filled again.
      if (this.#revision === revision) return;
    }
  }

  #takeMap({ key, value, revision }: Entry): void {
    if (key !== mapKey(this.#world) || value === undefined) return;
    const map = readable(() => decode(shardMapCodec, value));
    if (map === undefined) return;
    this.#noteMap(map, revision);
  }

  #noteMap(map: ShardMap, revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#map = map;
    for (const events of [...this.#listeners]) events.onMap?.(map);
  }

  #takeLease({ key, value, revision }: Entry): void {
    const shard = key.slice(leasePrefix(this.#world).length);
    const lease = value && readable(() => decode(leaseCodec, value));
    // A table that was lost may give a shard to a lower epoch; whoever takes it finds out from the folder.
    if (lease === undefined) return;
    this.#leases.set(shard, { lease, revision });
    for (const events of [...this.#listeners]) events.onLease?.(shard, lease);
  }
}

/** What is written in the table may be anything: what can not be read is as if it were not there. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
