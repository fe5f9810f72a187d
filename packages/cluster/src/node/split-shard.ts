import { type Box, encode, OrthantError } from "@orthant/core";
import { copyGeneration } from "@orthant/formats";
import type { ClusterDirectory } from "../directory/cluster-directory.ts";
import type { Engine } from "../engine/engine.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { foldMarkOf } from "../owner/fold-mark.ts";
import type { Retries } from "../owner/retries.ts";
import { readChanges } from "../owner/shard-log.ts";
import { ShardOwner, type ShardOwnerOptions } from "../owner/shard-owner.ts";
import { leaseCodec } from "../shard/lease.ts";
import { leaseKey, mapKey } from "../shard/names.ts";
import { shardMapCodec, withSplit } from "../shard/shard-map.ts";

/** What a split is given. */
export interface SplitOptions {
  readonly engine: Engine;
  readonly folders: ShardFolders;
  readonly directory: ClusterDirectory;
  readonly retries: Retries;
  readonly world: string;
  readonly node: string;
  readonly owner: ShardOwner;
  readonly cells: Box;
  readonly newShard: string;
  readonly ownerOptions: (epoch: number) => ShardOwnerOptions;
}

/**
 * Makes a shard of cells of another. The new one begins as a copy of the last save, made while edits go on; then edits
 * wait for the moment in which it takes what the journal has since, and the map is changed. Gives its owner.
 */
export async function splitShard(options: SplitOptions): Promise<ShardOwner> {
  const { engine, folders, directory, retries, world, node, owner, cells, newShard } = options;
  const map = withSplit(directory.map, { from: owner.shard, cells, to: newShard });
  const target = await folders.create(newShard);
  await owner.fold();
  const unpin = owner.pin();
  try {
    await copyGeneration(owner.disk, target);
    const release = await owner.hold();
    try {
      const journal = await retries.until(() => engine.journal(world, owner.shard));
      const epoch = owner.epoch + 1;
      const base = options.ownerOptions(epoch);
      const made = await ShardOwner.take({
        ...base,
        inherited: (description) =>
          readChanges(journal, {
            from: (foldMarkOf(description)?.sequence ?? 0) + 1,
            to: owner.last,
            volume: base.volume,
            retries,
          }),
      });
      await made.serve();
      const lease = encode(leaseCodec, { node, epoch, heir: "" });
      await retries.until(() => engine.table.put(leaseKey(world, newShard), lease));
      const revision = await retries.until(() =>
        engine.table.swap(mapKey(world), encode(shardMapCodec, map), directory.mapRevision),
      );
      if (revision === undefined) {
        const error = new OrthantError(
          "ORT_EXISTS",
          "the map was changed meanwhile: split again, with another name",
        );
        await made.stop(error);
        throw error;
      }
      directory.noteMap(map, revision);
      return made;
    } finally {
      release();
    }
  } finally {
    unpin();
  }
}
