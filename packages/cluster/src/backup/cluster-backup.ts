import { isOrthantError, OrthantError } from "@orthant/core";
import { type CopiedGeneration, copyGeneration } from "@orthant/save";
import type { ClusterFolders } from "../folder/cluster-folders.ts";
import { ShardFolders } from "../folder/shard-folders.ts";
import { type ShardMap, shardsOf } from "../shard/shard-map.ts";
import type { ShardSaves } from "./merge-shards.ts";

/** Options for a backup. */
export interface ClusterBackupOptions {
  /** The folders of the world. Its nodes may run. */
  readonly folders: ShardFolders;
  /** An empty folder for the backup. */
  readonly target: ClusterFolders;
  readonly world: string;
  /** 64 random bits. */
  readonly random: () => bigint;
  /** Called with the bytes of each shard before it is copied. */
  readonly onTotal?: (bytes: number) => void;
}

/** A finished backup. */
export interface ClusterBackup {
  readonly map: ShardMap;
  readonly shards: readonly (CopiedGeneration & { readonly shard: string })[];
}

/** An attempt to copy a shard fails only if another node claims it meanwhile. */
const ATTEMPTS_MAX = 20;

/**
 * Copies the saves of all shards of a world, and its map, into a folder with the layout of the shared one. Nodes may
 * go on writing. Each copy is read again and verified. Edits that are only in journals are not in it.
 */
export async function backupClusterWorld(options: ClusterBackupOptions): Promise<ClusterBackup> {
  const { folders, target, world, random } = options;
  const copies = new ShardFolders(target, world);
  const shards: (CopiedGeneration & { readonly shard: string })[] = [];
  let map = await requireMap(folders, world);
  for (;;) {
    const shard = shardsOf(map).find((name) => !shards.some((copied) => copied.shard === name));
    if (shard !== undefined) {
      shards.push({ shard, ...(await copyShard(options, copies, shard)) });
      continue;
    }
    // A split while the shards were copied adds one, whose copy then is the newer one.
    const now = await requireMap(folders, world);
    if (shardsOf(now).every((name) => shards.some((copied) => copied.shard === name))) {
      await copies.writeMap(now, random);
      return { map: now, shards };
    }
    map = now;
  }
}

/** Returns the saves in a shared folder or a backup. Throws `ORT_NOT_FOUND` if the map or the folder of a shard is missing. */
export async function savedShards(
  folders: ShardFolders,
  world: string,
): Promise<ShardSaves & { readonly terms: ReadonlyMap<string, number> }> {
  const map = await requireMap(folders, world);
  const terms = new Map<string, number>();
  const disks = new Map<string, ReturnType<ShardFolders["saved"]>>();
  for (const shard of shardsOf(map)) {
    const term = await folders.termOf(shard);
    if (term === undefined)
      throw new OrthantError(
        "ORT_NOT_FOUND",
        `the map of ${world} lists shard ${shard}, which has no folder here`,
      );
    terms.set(shard, term);
    disks.set(shard, folders.saved(shard, term));
  }
  return { map, disks, terms };
}

async function requireMap(folders: ShardFolders, world: string): Promise<ShardMap> {
  const map = await folders.readMap();
  if (map !== undefined) return map;
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `there is no map in ${world}/map: name the folder that has the folder ${world} of the cluster, or of a backup, in it`,
  );
}

/** Copies the save of one shard, again from the start if another node claims the shard meanwhile. */
async function copyShard(
  { folders, world, onTotal }: ClusterBackupOptions,
  copies: ShardFolders,
  shard: string,
): Promise<CopiedGeneration> {
  for (let attempt = 1; ; attempt++) {
    const term = await folders.termOf(shard);
    if (term === undefined)
      throw new OrthantError(
        "ORT_NOT_FOUND",
        `the map of ${world} lists shard ${shard}, which has no folder`,
      );
    try {
      const target = await copies.create(shard, term);
      return await copyGeneration(
        folders.saved(shard, term),
        target,
        onTotal === undefined ? {} : { onTotal },
      );
    } catch (error) {
      const isMoved = isOrthantError(error) && (await folders.termOf(shard)) !== term;
      if (!isMoved || attempt === ATTEMPTS_MAX) throw error;
      await copies.discard(shard, term);
    }
  }
}
