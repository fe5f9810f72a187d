import { isOrthantError, OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { EPOCH_MAX } from "@orthant/core/tree";
import { type Disk, type DiskLock, GatedDisk } from "@orthant/disk";
import { requireName } from "../shard/names.ts";
import { type ShardMap, shardMapCodec } from "../shard/shard-map.ts";
import type { ClusterFolders } from "./cluster-folders.ts";

const MAP_FILE = /^map-([1-9]\d{0,15})$/;
const TERM_FOLDER = /^e(0|[1-9]\d{0,6})$/;
const ATTEMPT_FOLDER = /^of-([a-z0-9-]{1,32})-e(0|[1-9]\d{0,6})$/;

/**
 * The folders of a world's shards. Each is an ordinary save whose name contains the term that may write to
 * it, so a node takes a shard by renaming its folder. The previous owner then finds nothing under the name it
 * knows, whatever it was about to do; and of two nodes that claim the same term, only one gets the folder.
 * Rules K21 to K23.
 */
export class ShardFolders {
  readonly #store: ClusterFolders;
  readonly #world: string;

  constructor(store: ClusterFolders, world: string) {
    requireName(world, "world");
    this.#store = store;
    this.#world = world;
  }

  /** Returns the term in the name of a shard's folder; `undefined` if there is no folder. */
  async termOf(shard: string): Promise<number | undefined> {
    const terms = (await this.#store.names(this.#folderOf(shard))).flatMap((name) => {
      const term = TERM_FOLDER.exec(name)?.[1];
      return term === undefined ? [] : [Number(term)];
    });
    return terms.length === 0 ? undefined : Math.max(...terms);
  }

  /** Returns the save of a shard to read it, as long as its folder is at this term. */
  saved(shard: string, term: number): Disk {
    return this.#store.disk(this.#pathOf(shard, term));
  }

  /**
   * Returns the newest readable copy of the shard map beside the shards; `undefined` if there is none. A backbone that loses
   * everything does not lose the assignment of sectors to shards. Each generation has its own file. Rule K27.
   */
  async readMap(): Promise<ShardMap | undefined> {
    const disk = this.#store.disk(`${this.#world}/map`);
    for (const generation of await generationsOn(disk)) {
      const map = await readMap(disk, generation);
      if (map !== undefined) return map;
    }
    return undefined;
  }

  /** Writes a map beside the shards, durably, unless it is there already. */
  writeMap(map: ShardMap, random: () => bigint): Promise<void> {
    return writeMapCopy(this.#store, `${this.#world}/map`, map, random);
  }

  /**
   * Creates an empty folder for a new shard, which a node may then take for a term later than `term`.
   * Throws `ORT_EXISTS` if the shard has a folder already.
   */
  async create(shard: string, term = 0): Promise<Disk> {
    requireName(shard, "shard");
    if ((await this.termOf(shard)) !== undefined)
      throw new OrthantError(
        "ORT_EXISTS",
        `there is a folder ${this.#folderOf(shard)} already: choose another name for the shard, or remove the folder if ` +
          "the map does not list the shard and no split is under way",
      );
    const path = this.#pathOf(shard, term);
    await this.#store.make(path);
    return this.#store.disk(path);
  }

  /**
   * Creates an empty folder for a shard that the owner of shard `from`, in its term `term`, splits off. Removes what
   * an earlier attempt left there that can no longer succeed: one of the same shard, in no later term. The caller
   * makes sure that the map does not list the new shard, and that no other attempt of this owner runs. Throws
   * `ORT_EXISTS` if the folder may belong to any other shard. Rule K51.
   */
  async createSplit(shard: string, from: string, term: number): Promise<Disk> {
    requireName(shard, "shard");
    const names = await this.#store.names(this.#folderOf(shard));
    const held = names.filter((name) => TERM_FOLDER.test(name));
    const attempts = names.flatMap((name) => {
      const [, parent, attempted] = ATTEMPT_FOLDER.exec(name) ?? [];
      return parent === undefined ? [] : [parent === from && Number(attempted) <= term];
    });
    if (held.length > 0 && (attempts.length === 0 || attempts.includes(false)))
      throw new OrthantError(
        "ORT_EXISTS",
        `shard ${shard} has a folder already, and another split may be making it: choose another name`,
      );
    for (const name of held) await this.#discard(shard, name);
    await this.#store.make(`${this.#folderOf(shard)}/of-${from}-e${term}`);
    // An earlier owner that still copies into its own attempt uses another name.
    return this.create(shard, term);
  }

  /** Takes the folder of a shard for a term. Throws `ORT_FENCED` if it is at this term or a later one. */
  async claim(shard: string, term: number): Promise<Disk> {
    const current = await this.termOf(shard);
    if (current === undefined) throw noFolder(this.#folderOf(shard));
    if (current >= term || term > EPOCH_MAX) throw fenced(shard, term, current);
    try {
      await this.#store.move(this.#pathOf(shard, current), this.#pathOf(shard, term));
    } catch (error) {
      if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
      throw fenced(shard, term, (await this.termOf(shard)) ?? current);
    }
    const disk = this.#store.disk(this.#pathOf(shard, term));
    return new OwnedDisk(disk, term, () => this.requireHeld(shard, term));
  }

  /** Removes the folder of a shard that no node needs. Returns false if it is not at this term: another has it then. */
  async discard(shard: string, term: number): Promise<boolean> {
    try {
      await this.#discard(shard, `e${term}`);
      return true;
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return false;
      throw error;
    }
  }

  /**
   * Throws `ORT_FENCED` unless the folder of a shard is at this term, and `ORT_NOT_FOUND` if there is no folder, which
   * says nothing about who owns the shard.
   */
  async requireHeld(shard: string, term: number): Promise<void> {
    const now = await this.termOf(shard);
    if (now === term) return;
    const isGone = now === undefined && (await this.#store.names(this.#folderOf(shard))).length === 0;
    throw isGone ? noFolder(this.#folderOf(shard)) : fenced(shard, term, now ?? 0);
  }

  /** Renames the folder first, so that its maker finds nothing under the name that it knows. */
  async #discard(shard: string, name: string): Promise<void> {
    const names = await this.#store.names(this.#folderOf(shard));
    let number = 1;
    while (names.includes(`undone-${number}`)) number++;
    const path = `${this.#folderOf(shard)}/undone-${number}`;
    await this.#store.move(`${this.#folderOf(shard)}/${name}`, path);
    await removeFiles(this.#store.disk(path), "");
  }

  #folderOf(shard: string): string {
    return `${this.#world}/shards/${shard}`;
  }

  #pathOf(shard: string, term: number): string {
    return `${this.#folderOf(shard)}/e${term}`;
  }
}

/**
 * Writes a copy of a map durably into a folder unless it is there already. `random` gives 64 random bits, which keep the
 * temporary files of concurrent writers apart. Rule K27.
 */
export async function writeMapCopy(
  store: ClusterFolders,
  path: string,
  map: ShardMap,
  random: () => bigint,
): Promise<void> {
  await store.make(path);
  const disk = store.disk(path);
  const file = `map-${map.generation}`;
  // Its writer may have stopped before this last step.
  if ((await generationsOn(disk)).includes(map.generation)) return disk.syncDirectory("");
  const temporary = `${file}.${random().toString(36)}.tmp`;
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

/** The folder of a shard for its owner. Its name serves as the lock. */
class OwnedDisk extends GatedDisk {
  readonly #term: number;
  readonly #requireHeld: () => Promise<void>;

  constructor(disk: Disk, term: number, requireHeld: () => Promise<void>) {
    super(disk, (_call, happen) => happen());
    this.#term = term;
    this.#requireHeld = requireHeld;
  }

  override async lock(): Promise<DiskLock> {
    await this.#requireHeld();
    return {
      token: this.#term.toString(16).padStart(16, "0"),
      // Earlier owners find no file by its path any more, because the folder was renamed.
      isContested: false,
      requireHeld: this.#requireHeld,
      settle: async () => undefined,
      release: async () => undefined,
    };
  }
}

function fenced(shard: string, term: number, current: number): OrthantError {
  return new OrthantError("ORT_FENCED", `the folder of shard ${shard} is at term ${current}, not ${term}`);
}

/** Removes all files below a directory. Empty directories stay. */
async function removeFiles(disk: Disk, directory: string): Promise<void> {
  for (const { name, kind } of await disk.list(directory)) {
    const path = directory === "" ? name : `${directory}/${name}`;
    if (kind === "directory") await removeFiles(disk, path);
    else await disk.remove(path);
  }
}

function noFolder(path: string): OrthantError {
  return new OrthantError("ORT_NOT_FOUND", `${path} is not in the shared folder: is the folder mounted?`, {
    path,
  });
}

async function generationsOn(disk: Disk): Promise<readonly number[]> {
  try {
    const files = await disk.list("");
    return files
      .flatMap(({ name }) => MAP_FILE.exec(name)?.[1] ?? [])
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
