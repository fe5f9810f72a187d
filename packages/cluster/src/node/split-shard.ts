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
import { leaseKey } from "../shard/names.ts";
import { withSplit } from "../shard/shard-map.ts";

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
 * wait for the moment in which it takes what the journal has since. A record in the journal of the old shard makes the
 * split count: it is refused when somebody else owns that by now. Gives the owner. Rule K25.
 */
export async function splitShard(options: SplitOptions): Promise<ShardOwner> {
  const { engine, folders, directory, retries, world, node, owner, cells, newShard } = options;
  // Throws when it cannot be.
  withSplit(directory.map, { from: owner.shard, cells, to: newShard });
  const target = await folders.create(newShard);
  await owner.fold();
  const unpin = owner.pin();
  try {
    await copyGeneration(owner.disk, target);
    const release = await owner.hold();
    try {
      const journal = await retries.until(() => engine.findJournal(world, owner.shard));
      if (journal === undefined) throw new OrthantError("ORT_JOURNAL", `shard ${owner.shard} has no journal`);
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
      try {
        // Whoever sees the new shard sees whose it is, and does not take it.
        const lease = encode(leaseCodec, { node, epoch, heir: "" });
        await retries.until(() => engine.table.swap(leaseKey(world, newShard), lease, 0));
        // From here on it counts, whoever owns the shard then.
        await owner.split({ from: owner.shard, cells, to: newShard });
        // Not before: nothing is stored in a shard that a lost table would take along.
        await retries.until(() => made.serve());
      } catch (error) {
        await made.stop(error);
        throw error;
      }
      return made;
    } finally {
      release();
    }
  } finally {
    unpin();
  }
}
