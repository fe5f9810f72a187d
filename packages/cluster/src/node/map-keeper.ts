import { encode } from "@orthant/core";
import type { ClusterDirectory } from "../directory/cluster-directory.ts";
import type { Engine } from "../engine/engine.ts";
import type { MapCopy } from "../folder/map-copy.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { mapKey } from "../shard/names.ts";
import { type ShardMap, type ShardSplit, shardMapCodec } from "../shard/shard-map.ts";

/** What a keeper is given. */
export interface MapKeeperOptions {
  readonly engine: Engine;
  readonly folders: ShardFolders;
  readonly random: () => bigint;
  readonly world: string;
}

/**
 * The generation of a map that is put back is so much later: whoever saw one get lost that was newer may still copy it,
 * under a generation that no other map may have.
 */
const RESTORED_GENERATIONS = 2 ** 20;

/** Keeps the shard map in two places, the table and beside the shards, so that either may be lost. Rule K27. */
export class MapKeeper {
  readonly #engine: Engine;
  readonly #world: string;
  readonly #copy: MapCopy;
  #copied = 0;

  constructor({ engine, folders, random, world }: MapKeeperOptions) {
    this.#engine = engine;
    this.#world = world;
    this.#copy = folders.mapCopy(random);
  }

  /** Puts the newest map that there is, here or beside the shards, into a table that has none. */
  async restore(known?: ShardMap): Promise<void> {
    const key = mapKey(this.#world);
    if ((await this.#engine.table.get(key))?.value !== undefined) return;
    const copied = await this.#copy.read();
    const newest = known !== undefined && known.generation >= (copied?.generation ?? 0) ? known : copied;
    if (newest === undefined) return;
    const generation = newest.generation + RESTORED_GENERATIONS;
    await this.#engine.table.swap(key, encode(shardMapCodec, { ...newest, generation }), 0);
  }

  /** Writes a map beside the shards, unless it is there. Nothing may be stored in a shard before its map is. */
  async copy(map: ShardMap): Promise<void> {
    if (map.generation <= this.#copied) return;
    await this.#copy.write(map);
    this.#copied = map.generation;
  }

  /** Puts a split into the map, in both places. */
  async completeSplit(
    directory: ClusterDirectory,
    split: ShardSplit,
    requireHeld: () => Promise<void>,
  ): Promise<void> {
    await directory.completeSplit(this.#engine, split, requireHeld);
    await this.copy(directory.map);
  }

  /** Makes every split fail that is not in the map yet, for good. */
  async forgetSplits(directory: ClusterDirectory): Promise<void> {
    await this.restore(directory.map);
    await directory.touch(this.#engine);
    await this.copy(directory.map);
  }
}
