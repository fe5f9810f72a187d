import { isOrthantError, OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { EPOCH_MAX } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import { copyGeneration, openSave, resumeSave } from "@orthant/save";
import type { ClusterFolders } from "../folder/cluster-folders.ts";
import { ShardFolders, writeMapCopy } from "../folder/shard-folders.ts";
import { checkpointOf, withCheckpoint } from "../journal/checkpoint.ts";
import { LOST_JOURNAL_GAP } from "../journal/open-journal.ts";
import { leaseCodec, readable, readLease } from "../shard/cluster-directory.ts";
import { leaseKey, mapKey } from "../shard/names.ts";
import { type ShardMap, shardMapCodec, shardsOf } from "../shard/shard-map.ts";
import { requireStopped, type StoppedWorldOptions } from "./checkpoint-shards.ts";
import { savedShards } from "./cluster-backup.ts";

/** Options for restoring a world. */
export interface RestoreClusterOptions extends Omit<StoppedWorldOptions, "folders"> {
  /** The folder that all owners share. */
  readonly shared: ClusterFolders;
  /** A folder of the same layout with the world in it: a backup, or a copy of the shared folder. */
  readonly backup: ClusterFolders;
  /** Called with the bytes of each shard before it is copied. */
  readonly onTotal?: (bytes: number) => void;
}

/** A restored world. */
export interface RestoredCluster {
  readonly map: ShardMap;
  /** Shards that the backup does not know: the cluster split them off later. */
  readonly droppedShards: readonly string[];
  /** The folder, in the shared one, with what was there before; `undefined` if there was nothing. */
  readonly before: string | undefined;
}

/** Generations added to a restored map, so that it is newer than any that a node may have seen. */
const RESTORED_GENERATIONS = 2 ** 20;

/**
 * Replaces a world of a cluster by a backup of it, also by one that is older than a split. No node of the world may run.
 * What is in the shared folder is kept under another name. An interrupted restore can be repeated. Rule K50.
 */
export async function restoreClusterWorld(options: RestoreClusterOptions): Promise<RestoredCluster> {
  const { backbone, shared, backup, world, random, time } = options;
  const folders = new ShardFolders(shared, world);
  await requireStopped({ ...options, folders });
  const saved = await savedShards(new ShardFolders(backup, world), world);
  const known = await knownMaps(options, folders);
  const map: ShardMap = {
    ...saved.map,
    generation:
      Math.max(saved.map.generation, ...known.map(({ generation }) => generation)) + RESTORED_GENERATIONS,
    // Clocks of the time after the backup may be issued again, for other content.
    mark: random(),
  };
  const unfinished = `${world}.unfinished-${BigInt.asUintN(40, random()).toString(36)}`;
  const shards = new Map<string, RestoredShard>();
  for (const [shard, disk] of saved.disks) {
    const term = await newTerm(options, folders, shard, saved.terms.get(shard) ?? 0);
    const path = `${unfinished}/shards/${shard}/e${term}`;
    await shared.make(path);
    const target = shared.disk(path);
    const total = options.onTotal === undefined ? {} : { onTotal: options.onTotal };
    await copyGeneration(disk, target, total);
    const sequence = await newStart(options, folders, { shard, copy: target, term });
    shards.set(shard, { term, sequence });
  }
  await writeMapCopy(shared, `${unfinished}/map`, map, random);
  await requireStopped({ ...options, folders });
  const before = await moveAside(shared, world, time.nowMs());
  await shared.move(unfinished, world);
  const all = new Set([map, ...known].flatMap(shardsOf));
  for (const shard of all) await backbone.removeJournal(world, shard);
  for (const [shard, { sequence, term }] of shards) {
    await backbone.journal(world, shard, sequence + 1);
    const vacant = { node: "", term, successor: "" };
    await backbone.table.put(leaseKey(world, shard), encode(leaseCodec, vacant));
  }
  await backbone.table.put(mapKey(world), encode(shardMapCodec, map));
  return { map, before, droppedShards: [...all].filter((shard) => !shards.has(shard)) };
}

interface RestoredShard {
  readonly term: number;
  /** The journal's new beginning is the next one. */
  readonly sequence: number;
}

/** Returns the maps that the table and the shared folder have now. */
async function knownMaps(
  { backbone, world }: RestoreClusterOptions,
  folders: ShardFolders,
): Promise<readonly ShardMap[]> {
  const entry = await backbone.table.get(mapKey(world));
  const inTable = entry?.value && readable(() => decode(shardMapCodec, entry.value as Uint8Array));
  const copied = await folders.readMap();
  return [inTable, copied].filter((map) => map !== undefined);
}

/**
 * Returns a term for the folder of a restored shard, later than that of its lease, its folder and the backup: an owner
 * that still runs must not find a folder of its own term.
 */
async function newTerm(
  { backbone, world }: RestoreClusterOptions,
  folders: ShardFolders,
  shard: string,
  saved: number,
): Promise<number> {
  const entry = await backbone.table.get(leaseKey(world, shard));
  // A restore replaces what is unreadable.
  const lease = entry?.value && readLease(entry.value);
  const term = Math.max(saved, lease?.term ?? 0, (await folders.termOf(shard)) ?? 0) + 1;
  if (term < EPOCH_MAX) return term;
  throw new OrthantError(
    "ORT_LIMIT",
    `shard ${shard} is at term ${term}, the last one: import the world under another name`,
  );
}

/**
 * Marks in the copy of a shard's save where its next journal begins: behind everything that any owner knew, so that none
 * of them can append to it. Rule K10. Returns the sequence before that beginning.
 */
async function newStart(
  { backbone, world, time }: RestoreClusterOptions,
  folders: ShardFolders,
  { shard, copy, term }: { readonly shard: string; readonly copy: Disk; readonly term: number },
): Promise<number> {
  const journal = await backbone.findJournal(world, shard);
  const ends = [(await journal?.state())?.last ?? 0, await checkpointIn(folders, shard)];
  const save = await openSave(copy);
  try {
    const { global } = save;
    const sequence = Math.max(...ends, checkpointOf(global.description)?.sequence ?? 0) + LOST_JOURNAL_GAP;
    const writer = await resumeSave(copy, save, { newPack: true });
    try {
      const description = withCheckpoint(global.description, { term, sequence });
      const committed = await writer.commit({ nowMs: time.nowMs(), global: { ...global, description } });
      await committed.close();
    } finally {
      await writer.close();
    }
    return sequence;
  } finally {
    await save.close();
  }
}

/** Returns the sequence up to which the present save of a shard has its journal; 0 if there is no readable save. */
async function checkpointIn(folders: ShardFolders, shard: string): Promise<number> {
  const term = await folders.termOf(shard);
  if (term === undefined) return 0;
  try {
    const save = await openSave(folders.saved(shard, term));
    await save.close();
    return checkpointOf(save.global.description)?.sequence ?? 0;
  } catch (error) {
    // A restore may be the answer to a damaged save.
    if (isOrthantError(error)) return 0;
    throw error;
  }
}

async function moveAside(shared: ClusterFolders, world: string, nowMs: number): Promise<string | undefined> {
  if (!(await shared.names("")).includes(world)) return undefined;
  const before = `${world}.before-${new Date(nowMs)
    .toISOString()
    .replace(/[^0-9]/g, "")
    .slice(0, 17)}`;
  await shared.move(world, before);
  return before;
}
