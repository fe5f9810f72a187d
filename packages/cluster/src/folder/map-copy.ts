import { decode, encode, isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type ShardMap, shardMapCodec } from "../shard/shard-map.ts";
import type { FolderStore } from "./folder-store.ts";

const NAME = /^map-([1-9]\d{0,15})$/;

/**
 * A copy of the shard map beside the shards, so that an engine that loses everything does not lose the
 * assignment of sectors to shards. Each generation has its own file; the newest readable one counts. Rule K27.
 */
export class MapCopy {
  readonly #store: FolderStore;
  readonly #path: string;
  readonly #random: () => bigint;

  /** `random` returns 64 random bits, which keep concurrent writers' temporary files apart. */
  constructor(store: FolderStore, world: string, random: () => bigint) {
    this.#random = random;
    this.#store = store;
    this.#path = `${world}/map`;
  }

  /** Returns the newest map; `undefined` if there is none. */
  async read(): Promise<ShardMap | undefined> {
    const disk = this.#store.disk(this.#path);
    for (const generation of await generationsOn(disk)) {
      const map = await readMap(disk, generation);
      if (map !== undefined) return map;
    }
    return undefined;
  }

  /** Writes a map durably unless it is there already. */
  async write(map: ShardMap): Promise<void> {
    await this.#store.make(this.#path);
    const disk = this.#store.disk(this.#path);
    const file = `map-${map.generation}`;
    // Its writer may have stopped before this last step.
    if ((await generationsOn(disk)).includes(map.generation)) return disk.syncDirectory("");
    // Two nodes may write the same map at once, each under its own temporary name.
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
    // A damaged map is skipped in favor of the previous one.
    if (isOrthantError(error)) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
