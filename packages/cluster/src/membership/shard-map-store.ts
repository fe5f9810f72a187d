import { bytesEqual, decode, encode } from "@orthant/core/bytes";
import type { Backbone } from "../backbone/backbone.ts";
import type { MapCopy, ShardFolders } from "../folder/shard-folders.ts";
import { type ClusterDirectory, isForeignValue } from "../shard/cluster-directory.ts";
import { mapKey } from "../shard/names.ts";
import { type ShardMap, type ShardSplit, shardMapCodec } from "../shard/shard-map.ts";

/** Dependencies of a shard map store. */
export interface ShardMapStoreOptions {
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
 * Keeps the shard map in the table and in a copy beside the shards, so that either one may be lost. Rule
 * K27.
 */
export class ShardMapStore {
  readonly #backbone: Backbone;
  readonly #world: string;
  readonly #copy: MapCopy;
  #copied = 0;
  /** The value in the table that was readable last. */
  #readable: Uint8Array | undefined;

  constructor({ backbone, folders, random, world }: ShardMapStoreOptions) {
    this.#backbone = backbone;
    this.#world = world;
    this.#copy = folders.mapCopy(random);
  }

  /**
   * Restores the map to a table that has none, or none that is readable, from `known` or the copy beside the shards, whichever is
   * newer.
   */
  async restore(known?: ShardMap): Promise<void> {
    const key = mapKey(this.#world);
    const entry = await this.#backbone.table.get(key);
    if (entry?.value !== undefined && this.#isReadable(entry.value)) return;
    const copied = await this.#copy.read();
    const newest = known !== undefined && known.generation >= (copied?.generation ?? 0) ? known : copied;
    if (newest === undefined) return;
    const generation = newest.generation + RESTORED_GENERATIONS;
    await this.#backbone.table.swap(
      key,
      encode(shardMapCodec, { ...newest, generation }),
      entry?.revision ?? 0,
    );
  }

  /**
   * Has a directory take the newest map. A node that acted by an old one, because the table has none, would take sectors
   * for its own that were split off.
   */
  async refresh(directory: ClusterDirectory): Promise<void> {
    do {
      await this.restore(directory.map);
    } while (!(await directory.refresh(this.#backbone)));
  }

  /**
   * Writes a map beside the shards unless it is there already. A shard stores nothing before a map that
   * lists it is there.
   */
  async copy(map: ShardMap): Promise<void> {
    if (map.generation <= this.#copied) return;
    await this.#copy.write(map);
    this.#copied = map.generation;
  }

  /** Adds a split to the map in both places. */
  async completeSplit(
    directory: ClusterDirectory,
    split: ShardSplit,
    requireHeld: () => Promise<void>,
  ): Promise<void> {
    await directory.completeSplit(this.#backbone, split, requireHeld);
    await this.copy(directory.map);
  }

  /** Makes every split that is not in the map yet fail permanently. */
  async cancelSplits(directory: ClusterDirectory): Promise<void> {
    await this.restore(directory.map);
    await directory.bumpGeneration(this.#backbone);
    await this.copy(directory.map);
  }

  /** Maps are large and rarely change. */
  #isReadable(value: Uint8Array): boolean {
    if (this.#readable !== undefined && bytesEqual(value, this.#readable)) return true;
    if (!isMap(value)) return false;
    this.#readable = value;
    return true;
  }
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
