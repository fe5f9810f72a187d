import { type Box, OrthantError } from "@orthant/core";
import { copyGeneration } from "@orthant/save";
import type { Engine } from "../engine/engine.ts";
import type { Retries } from "../engine/retries.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { checkpointOf, readChanges } from "../owner/shard-journal.ts";
import { ShardOwner, type ShardOwnerOptions } from "../owner/shard-owner.ts";
import type { ClusterDirectory } from "../shard/cluster-directory.ts";
import { withSplit } from "../shard/shard-map.ts";
import type { Leases } from "./leases.ts";

/** Dependencies and parameters of a split. */
export interface SplitOptions {
  readonly engine: Engine;
  readonly folders: ShardFolders;
  readonly directory: ClusterDirectory;
  readonly leases: Leases;
  readonly retries: Retries;
  readonly world: string;
  readonly owner: ShardOwner;
  readonly sectors: Box;
  readonly newShard: string;
  readonly ownerOptions: (term: number) => ShardOwnerOptions;
}

/**
 * Splits sectors off a shard into a new one and returns the new shard's owner. The new shard starts as a copy
 * of the last save, made while edits continue. Edits then pause while it replays the journal entries since
 * that save. A record in the old shard's journal commits the split; the journal rejects it if another node
 * owns the old shard by then. Rule K25.
 */
export async function splitShard(options: SplitOptions): Promise<ShardOwner> {
  const { engine, folders, directory, leases, retries, world, owner, sectors, newShard } = options;
  // A shard that is in the map must not lose its folder to this one.
  await retries.until(() => directory.refresh(engine));
  // Throws if the split is not possible.
  withSplit(directory.map, { from: owner.shard, sectors, to: newShard });
  const target = await folders.createSplit(newShard, owner.shard, owner.term);
  await owner.checkpoint();
  const unpin = owner.pin();
  try {
    await copyGeneration(owner.disk, target);
    const release = await owner.pauseEdits();
    try {
      const journal = await retries.until(() => engine.findJournal(world, owner.shard));
      if (journal === undefined) throw new OrthantError("ORT_JOURNAL", `shard ${owner.shard} has no journal`);
      const term = Math.max(owner.term, await retries.until(() => leases.termOf(newShard))) + 1;
      const base = options.ownerOptions(term);
      const made = await ShardOwner.claim({
        ...base,
        inherited: (description) =>
          readChanges(journal, {
            from: (checkpointOf(description)?.sequence ?? 0) + 1,
            to: owner.last,
            volume: base.volume,
            retries,
          }),
      });
      try {
        // Written first, so that a node that sees the new shard in the map also sees its owner and does not
        // claim it.
        await retries.until(() => leases.createSplit(newShard, term));
        // This commits the split, whichever node owns the old shard afterwards.
        await owner.split({ from: owner.shard, sectors, to: newShard });
        // Only now may the new shard store edits: before the commit, a lost table would lose the shard with
        // them.
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
