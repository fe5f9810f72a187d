import { decode, encode, isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type ShardMap, shardMapCodec } from "../shard/shard-map.ts";
import type { FolderStore } from "./folder-store.ts";

const NAME = /^map-([1-9]\d{0,15})$/;

/**
 * The shard map beside the shards: an engine that loses everything must not take along which shard has what. There is a
 * file for each of its generations, of which the newest counts that can be read. Rule K27.
 */
export class MapCopy {
  readonly #store: FolderStore;
  readonly #path: string;
  readonly #random: () => bigint;

  /** 64 random bits tell apart what several write at once. */
  constructor(store: FolderStore, world: string, random: () => bigint) {
    this.#random = random;
    this.#store = store;
    this.#path = `${world}/map`;
  }

  /** The newest map; `undefined` when there is none. */
  async read(): Promise<ShardMap | undefined> {
    const disk = this.#store.disk(this.#path);
    for (const generation of await generationsOn(disk)) {
      const map = await readMap(disk, generation);
      if (map !== undefined) return map;
    }
    return undefined;
  }

  /** Writes a map, durably, unless it is there. */
  async write(map: ShardMap): Promise<void> {
    await this.#store.make(this.#path);
    const disk = this.#store.disk(this.#path);
    const file = `map-${map.generation}`;
    // Whoever wrote it may not have come to the last step.
    if ((await generationsOn(disk)).includes(map.generation)) return disk.syncDirectory("");
    // Two may write the same map at the same time, each under a name of its own.
    const temporary = `${file}.${this.#random().toString(36)}.tmp`;
    const opened = await disk.open(temporary, "create");
    try {
      await opened.append(encode(shardMapCodec, map));
      await opened.sync();
    } finally {
      await opened.close();
    }
    await disk.rename(temporary, file);
    await disk.syncDirectory("");
  }
}

async function generationsOn(disk: Disk): Promise<readonly number[]> {
  try {
    const files = await disk.list("");
    return files
      .flatMap(({ name }) => NAME.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    throw error;
  }
}

async function readMap(disk: Disk, generation: number): Promise<ShardMap | undefined> {
  const file = await disk.open(`map-${generation}`, "read");
  try {
    return decode(shardMapCodec, await file.readAt(0, await file.size()));
  } catch (error) {
    // One that is damaged is passed over for the one before it.
    if (isOrthantError(error)) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
