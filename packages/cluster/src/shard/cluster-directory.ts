import { type BlockCatalog, isOrthantError, OrthantError, type Position } from "@orthant/core";
import {
  type Codec,
  checkedWhenRead,
  decode,
  encode,
  record,
  string,
  varUint,
  versioned,
} from "@orthant/core/bytes";
import { EPOCH_MAX } from "@orthant/core/tree";
import type { Backbone, Subscription, TableEntry } from "../backbone/backbone.ts";
import { isName, leasePrefix, mapKey } from "./names.ts";
import {
  type ShardMap,
  type ShardSplit,
  shardMapCodec,
  shardOf,
  shardsOf,
  withBlocks,
  withSplit,
} from "./shard-map.ts";

/** Ownership of a shard. Rule K16. */
export interface Lease {
  /** The owning node; empty while the shard has no owner. */
  readonly node: string;
  /** Rises with every owner. */
  readonly term: number;
  /** The node that should claim the shard next; empty if any may. */
  readonly successor: string;
}

/** A lease and its revision in the table. */
export interface LeaseEntry {
  readonly lease: Lease;
  readonly revision: number;
}

/** Callbacks of a directory. */
interface DirectoryEvents {
  onMap?(map: ShardMap): void;
  onLease?(shard: string, lease: Lease): void;
}

const VERSION = 1;
const nodeCodec = string(32);
/** The latest version of a value that a newer node may write. */
const NEWER_VERSION_MAX = 15;

/** Encodes the value of a lease key. */
export const leaseCodec: Codec<Lease> = checkedWhenRead(
  versioned(VERSION, record({ node: nodeCodec, term: varUint, successor: nodeCodec })),
  "ORT_MESSAGE",
  ({ node, term, successor }) => {
    const isNamed = [node, successor].every((name) => name === "" || isName(name));
    return isNamed && term <= EPOCH_MAX ? undefined : "a lease that none may write";
  },
);

/** A slightly delayed view of the table: the shards of a world and their owners. */
export class ClusterDirectory {
  readonly #world: string;
  readonly #listeners = new Set<DirectoryEvents>();
  readonly #leases = new Map<string, LeaseEntry>();
  readonly #subscriptions: Subscription[] = [];
  #map: ShardMap;
  /** Revision of the map in the table. */
  #revision: number;

  private constructor(world: string, map: ShardMap, revision: number) {
    this.#world = world;
    this.#map = map;
    this.#revision = revision;
  }

  /** Reads the map and watches it. Throws `ORT_NOT_FOUND` if the cluster has no such world. */
  static async open(backbone: Backbone, world: string): Promise<ClusterDirectory> {
    const entry = await backbone.table.get(mapKey(world));
    if (entry?.value === undefined)
      throw new OrthantError("ORT_NOT_FOUND", `the cluster has no world ${world}; create it first`);
    const map = decode(shardMapCodec, entry.value);
    const directory = new ClusterDirectory(world, map, entry.revision);
    const { table } = backbone;
    directory.#subscriptions.push(
      await table.watch(mapKey(world), (written) => directory.#receiveMap(written)),
      await table.watch(leasePrefix(world), (written) => directory.#receiveLease(written)),
    );
    return directory;
  }

  get map(): ShardMap {
    return this.#map;
  }

  /** Returns the lease of a shard; `undefined` if none is known. */
  leaseOf(shard: string): LeaseEntry | undefined {
    return this.#leases.get(shard);
  }

  /** Forgets a lease that the table has lost. The shard then counts as one without an owner. */
  forgetLease(shard: string): void {
    this.#leases.delete(shard);
  }

  /** Returns true if the map has this shard. */
  has(shard: string): boolean {
    return shardsOf(this.#map).includes(shard);
  }

  /** Returns the shard of a region. */
  shardOf(region: Position): string {
    return shardOf(this.#map, region);
  }

  /** Reports changes to `events`. Returns an unsubscribe function. */
  listen(events: DirectoryEvents): () => void {
    this.#listeners.add(events);
    return () => this.#listeners.delete(events);
  }

  /**
   * Adds a split to the map unless it is there, without undoing concurrent changes. The map stays unchanged
   * if `requireHeld` throws, or if another node rewrites the map after that check.
   */
  async completeSplit(
    backbone: Backbone,
    split: ShardSplit,
    requireHeld: () => Promise<void>,
  ): Promise<void> {
    await this.#rewrite(backbone, async (map) => {
      if (shardsOf(map).includes(split.to)) return map;
      await requireHeld();
      return withSplit(map, split);
    });
  }

  /** Changes the blocks in the map, without undoing concurrent changes. Throws what `next` throws. Rule K37. */
  async changeBlocks(
    backbone: Backbone,
    next: (catalog: BlockCatalog) => BlockCatalog,
  ): Promise<BlockCatalog> {
    let catalog = this.#map.world.catalog;
    await this.#rewrite(backbone, (map) => {
      catalog = next(map.world.catalog);
      return withBlocks(map, catalog);
    });
    return catalog;
  }

  /** Reads the map from the table now, for what has not arrived yet. Returns false if the table has none that is readable. */
  async refresh(backbone: Backbone): Promise<boolean> {
    const entry = await backbone.table.get(mapKey(this.#world));
    return entry !== undefined && this.#receiveMap(entry);
  }

  /** Rewrites the map with a new generation, so that every change based on an earlier read fails. */
  async bumpGeneration(backbone: Backbone): Promise<void> {
    await this.#rewrite(backbone, (map) => ({ ...map, generation: map.generation + 1 }));
  }

  /** Stops watching. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.end();
    this.#listeners.clear();
  }

  /** Changes the map in the table, retrying until no other writer interferes, and adopts the result. */
  async #rewrite(backbone: Backbone, change: (map: ShardMap) => ShardMap | Promise<ShardMap>): Promise<void> {
    const key = mapKey(this.#world);
    for (;;) {
      const entry = await backbone.table.get(key);
      if (entry?.value === undefined)
        throw new OrthantError("ORT_NOT_FOUND", `world ${this.#world} has no map`);
      const map = decode(shardMapCodec, entry.value);
      const changed = await change(map);
      const revision =
        changed === map
          ? entry.revision
          : await backbone.table.swap(key, encode(shardMapCodec, changed), entry.revision);
      if (revision === undefined) continue;
      this.#setMap(changed, revision);
      // Otherwise another map replaced it meanwhile, perhaps in a table that was lost and refilled.
      if (this.#revision === revision) return;
    }
  }

  #receiveMap({ key, value, revision }: TableEntry): boolean {
    if (key !== mapKey(this.#world) || value === undefined) return false;
    const map = readable(() => decode(shardMapCodec, value));
    if (map !== undefined) this.#setMap(map, revision);
    return map !== undefined;
  }

  #setMap(map: ShardMap, revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#map = map;
    for (const events of [...this.#listeners]) events.onMap?.(map);
  }

  #receiveLease({ key, value, revision }: TableEntry): void {
    const shard = key.slice(leasePrefix(this.#world).length);
    const lease = value && readLease(value);
    // A lost table may give a shard a lower term; the node that claims it learns the real one on disk.
    if (lease === undefined) return;
    this.#leases.set(shard, { lease, revision });
    for (const events of [...this.#listeners]) events.onLease?.(shard, lease);
  }
}

/**
 * Returns true if no node wrote a value that was rejected with `error`. A value of a newer version is from a newer node;
 * throws any other error. Rule K44.
 */
export function isForeignValue(value: Uint8Array, error: unknown): boolean {
  if (!isOrthantError(error)) throw error;
  return error.code !== "ORT_VERSION" || (value[0] ?? 0) > NEWER_VERSION_MAX;
}

/** Returns a lease; `undefined` if it is unreadable. */
export function readLease(value: Uint8Array): Lease | undefined {
  return readable(() => decode(leaseCodec, value));
}

/** Returns `undefined` for unreadable values: the table may contain anything. */
export function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}
