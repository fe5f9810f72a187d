import { type Box, OrthantError, type TimeSource } from "@orthant/core";
import { copyGeneration } from "@orthant/save";
import type { Backbone } from "../backbone/backbone.ts";
import { type Retries, within } from "../backbone/retries.ts";
import type { ShardOwnerOptions } from "../changes/owner-context.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import type { SharedShardMap } from "../folder/shared-shard-map.ts";
import { checkpointOf } from "../journal/checkpoint.ts";
import { isOutside, readChanges } from "../journal/journal-changes.ts";
import { ShardOwner } from "../owner/shard-owner.ts";
import { requireMoves, withSplit } from "../shard/shard-map.ts";
import type { Leases } from "./leases.ts";

/** Dependencies and parameters of a split. */
interface SplitOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly maps: SharedShardMap;
  readonly leases: Leases;
  readonly retries: Retries;
  readonly time: TimeSource;
  readonly world: string;
  readonly owner: ShardOwner;
  readonly sectors: Box;
  readonly newShard: string;
  readonly ownerOptions: (term: number) => ShardOwnerOptions;
  /** Gives up the old shard, because the outcome of its split stays unknown. */
  readonly onStuck: (error: OrthantError) => void;
  /** Called if the split failed. Until `undoing` resolves, no other split may make a shard of this name. */
  readonly onUndo: (undoing: Promise<void>) => void;
}

/** Time for which the old shard's edits may wait for a split before the split is given up. */
const HOLD_MS_MAX = 10_000;
/** Time for which they may wait for its record, whose outcome only the backbone knows. */
const COMMIT_MS_MAX = 20_000;

/**
 * Splits sectors off a shard into a new one and returns the new shard's owner. The new shard starts as a copy
 * of the last save, made while edits continue. Edits then pause while it replays the journal entries since
 * that save. A record in the old shard's journal commits the split; the journal rejects it if another node
 * owns the old shard by then. A split that fails before that leaves nothing behind. Rules K25 and K40.
 */
export async function splitShard(options: SplitOptions): Promise<ShardOwner> {
  const { backbone, folders, maps, retries, time, world, owner, sectors, newShard } = options;
  // A shard that is in the map must not lose its folder to this one.
  await retries.until(() => maps.directory.refresh(backbone));
  const split = { from: owner.shard, sectors, to: newShard };
  // Throw if the split is not possible.
  withSplit(maps.map, split);
  requireMoves(maps.map, split);
  const target = await folders.createSplit(newShard, owner.shard, owner.term);
  let undo: (() => Promise<void>) | undefined = () => undoSplit(options, owner.term);
  try {
    // Before edits are paused, because the backbone may have no room for it.
    await retries.until(() => backbone.journal(world, newShard));
    await owner.checkpoint();
    const unpin = owner.pin();
    try {
      await copyGeneration(owner.disk, target);
      const term = await newTerm(options);
      const release = await owner.pauseEdits(HOLD_MS_MAX);
      try {
        const claiming = claimNewShard(options, term);
        undo = () =>
          claiming
            .then(
              (made) => made.stop(undone(newShard)),
              () => undefined,
            )
            .then(() => undoSplit(options, term));
        const made = await within(time, HOLD_MS_MAX, claiming, () => tooLong(owner.shard, HOLD_MS_MAX));
        undo = undefined;
        await commitSplit(options, made);
        return made;
      } finally {
        release();
      }
    } finally {
      unpin();
    }
  } catch (error) {
    // Not awaited: what is to be undone may still wait for the backbone.
    if (undo !== undefined) options.onUndo(undo().catch(() => undefined));
    throw error;
  }
}

/** Returns a term for the new shard: later than those of the old shard and of attempts that failed. */
async function newTerm({ leases, retries, owner, newShard }: SplitOptions): Promise<number> {
  return Math.max(owner.term, await retries.until(() => leases.termOf(newShard))) + 1;
}

/** Claims the new shard: its copy, its journal, and a lease that names this node. */
async function claimNewShard(options: SplitOptions, term: number): Promise<ShardOwner> {
  const { backbone, leases, retries, world, owner, newShard } = options;
  const journal = await retries.until(() => backbone.findJournal(world, owner.shard));
  if (journal === undefined) throw new OrthantError("ORT_JOURNAL", `shard ${owner.shard} has no journal`);
  const { shape } = options.maps.map.world;
  const stays = isOutside({ from: owner.shard, sectors: options.sectors, to: newShard }, shape);
  const made = await ShardOwner.claim({
    ...options.ownerOptions(term),
    inherited: async function* (description, onTransfers) {
      yield* readChanges(journal, {
        from: (checkpointOf(description)?.sequence ?? 0) + 1,
        to: owner.last,
        shape,
        termMax: owner.term,
        retries,
        onTransfers,
      });
      // All others stay with the old shard.
      yield { clocks: [], chunks: [], origins: [], keepsEntity: (entity) => !stays(entity) };
    },
  });
  try {
    // Written before the map, so that a node that sees the new shard in the map also sees its owner and does not
    // claim it.
    await retries.until(() => leases.createSplit(newShard, term));
  } catch (error) {
    await made.stop(error);
    throw error;
  }
  return made;
}

/** Commits the split, whichever node owns the old shard afterwards, and lets the new shard answer. */
async function commitSplit(options: SplitOptions, made: ShardOwner): Promise<void> {
  const { retries, time, owner, sectors, newShard } = options;
  const committing = owner.split({ from: owner.shard, sectors, to: newShard });
  try {
    await within(time, COMMIT_MS_MAX, committing, () => {
      const error = tooLong(owner.shard, COMMIT_MS_MAX);
      // The next owner finds out whether the split counts.
      options.onStuck(error);
      return error;
    });
    // Only now may the new shard store edits: before the commit, a lost table would lose the shard with them.
    await retries.until(() => made.serve());
  } catch (error) {
    await made.stop(error);
    throw error;
  }
}

/** Removes what a split has made, provided that no other node has taken it. */
async function undoSplit(
  { backbone, folders, retries, world, owner, newShard }: SplitOptions,
  term: number,
): Promise<void> {
  // The folder has the old shard's term until the new shard is claimed.
  if (!(await folders.discard(newShard, term)) && !(await folders.discard(newShard, owner.term))) return;
  await retries.until(() => backbone.removeJournal(world, newShard));
}

function tooLong(shard: string, ms: number): OrthantError {
  return new OrthantError(
    "ORT_TIMEOUT",
    `the edits of shard ${shard} waited ${ms} ms for the split: it was given up`,
  );
}

function undone(shard: string): OrthantError {
  return new OrthantError("ORT_CLOSED", `the split that makes shard ${shard} was undone`);
}
