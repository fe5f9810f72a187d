import type { Position } from "@orthant/core";
import { bytesEqual, decode, encode } from "@orthant/core/bytes";
import type { Backbone, TableEntry } from "../backbone/backbone.ts";
import type { Retries } from "../backbone/retries.ts";
import { ClusterDirectory, isForeignValue } from "../shard/cluster-directory.ts";
import { mapKey } from "../shard/names.ts";
import { type ShardMap, type ShardSplit, shardMapCodec } from "../shard/shard-map.ts";
import type { ShardFolders } from "./shard-folders.ts";

/** Dependencies of a shared shard map. */
interface SharedShardMapOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly random: () => bigint;
  readonly world: string;
}

/**
 * Generations added to a restored map. A node that saw a newer map before the table was lost may still copy
 * that map, under a generation that no other map may use.
 */
const RESTORED_GENERATIONS = 2 ** 20;

/**
 * What a node and its owners know about the shards of a world, and how they change the shard map. The map is in the table
 * and in a copy beside the shards, so that either one may be lost. Methods retry while the backbone does not answer. Rule
 * K27.
 */
export class SharedShardMap {
  readonly directory: ClusterDirectory;
  readonly #options: SharedShardMapOptions;
  readonly #retries: Retries;
  #copied = 0;
  /** The value in the table that was readable last. */
  #readable: Uint8Array | undefined;

  private constructor(options: SharedShardMapOptions, retries: Retries, directory: ClusterDirectory) {
    this.directory = directory;
    this.#options = options;
    this.#retries = retries;
  }

  /** Restores the map to a table that lacks it, and watches it. Throws `ORT_NOT_FOUND` if there is no such world. */
  static async open(options: SharedShardMapOptions, retries: Retries): Promise<SharedShardMap> {
    const { backbone, folders, world } = options;
    const directory = await retries.until(async () => {
      const entry = await backbone.table.get(mapKey(world));
      if (entry?.value === undefined || !isMap(entry.value))
        await writeMap(options, entry, await folders.readMap());
      return ClusterDirectory.open(backbone, world);
    });
    return new SharedShardMap(options, retries, directory);
  }

  /** The current map. */
  get map(): ShardMap {
    return this.directory.map;
  }

  /** Returns the shard of a region. */
  shardOf(region: Position): string {
    return this.directory.shardOf(region);
  }

  /** Returns the term of a shard's owner; 0 if it has none. */
  termOf(shard: string): number {
    return this.directory.leaseOf(shard)?.lease.term ?? 0;
  }

  /**
   * Restores the map to a table that has none, or none that is readable, from the map known here or the copy beside the
   * shards, whichever is newer. Does not retry.
   */
  async restore(): Promise<void> {
    const { backbone, world } = this.#options;
    const entry = await backbone.table.get(mapKey(world));
    if (entry?.value !== undefined && this.#isReadable(entry.value)) return;
    const copied = await this.#options.folders.readMap();
    const isNewest = this.map.generation >= (copied?.generation ?? 0);
    await writeMap(this.#options, entry, isNewest ? this.map : copied);
  }

  /**
   * Reads the newest map. A node that acted by an old one, because the table has none, would take sectors for its own that
   * were split off.
   */
  async refresh(): Promise<void> {
    await this.#retries.until(async () => {
      do {
        await this.restore();
      } while (!(await this.directory.refresh(this.#options.backbone)));
    });
  }

  /**
   * Writes a map beside the shards unless it or a later one is there. A shard stores nothing before a map that lists it is
   * there.
   */
  async copy(map: ShardMap): Promise<void> {
    if (map.generation <= this.#copied) return;
    await this.#options.folders.writeMap(map, this.#options.random);
    this.#copied = map.generation;
  }

  /** Adds a committed split to the map in both places. Changes nothing if `requireHeld` throws. */
  async completeSplit(split: ShardSplit, requireHeld: () => Promise<void>): Promise<void> {
    await this.#retries.until(() => this.directory.completeSplit(this.#options.backbone, split, requireHeld));
    await this.copy(this.map);
  }

  /** Makes every split that is not in the map yet fail permanently. */
  async cancelSplits(): Promise<void> {
    await this.#retries.until(async () => {
      await this.restore();
      await this.directory.bumpGeneration(this.#options.backbone);
    });
    await this.copy(this.map);
  }

  /** Stops watching the map. */
  close(): void {
    this.directory.close();
  }

  /** Maps are large and rarely change. */
  #isReadable(value: Uint8Array): boolean {
    if (this.#readable !== undefined && bytesEqual(value, this.#readable)) return true;
    if (!isMap(value)) return false;
    this.#readable = value;
    return true;
  }
}

/** Writes a map, if there is one, over the unreadable entry of a table, under a generation that no other map has. */
async function writeMap(
  { backbone, world }: SharedShardMapOptions,
  entry: TableEntry | undefined,
  map: ShardMap | undefined,
): Promise<void> {
  if (map === undefined) return;
  const value = encode(shardMapCodec, { ...map, generation: map.generation + RESTORED_GENERATIONS });
  await backbone.table.swap(mapKey(world), value, entry?.revision ?? 0);
}

/** Returns true for a map, and for one of a newer version, which only a newer node may replace. */
function isMap(value: Uint8Array): boolean {
  try {
    decode(shardMapCodec, value);
    return true;
  } catch (error) {
    return !isForeignValue(value, error);
  }
}
