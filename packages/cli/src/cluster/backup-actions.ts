import {
  type Backbone,
  backupClusterWorld,
  type CheckpointedShards,
  checkpointShards,
  DiskFolders,
  mergeShards,
  restoreClusterWorld,
  ShardFolders,
  type ShardSaves,
  savedShards,
} from "@orthant/cluster";
import { OrthantError } from "@orthant/core";
import { systemRandomBits } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { type FormatProgress, formatAmount, formatBytes } from "@orthant/formats";
import { isWhole, verifySave } from "@orthant/save";
import type { Arguments } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { requireOutside } from "../command/files.ts";
import { UsageError } from "../command/usage.ts";

/** Shows one line of progress for bytes whose total becomes known part by part. */
class CopyProgress {
  readonly #context: Context;
  #shown: FormatProgress | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** A shard of this size follows: it is written and then read again. */
  readonly onTotal = (bytes: number): void => {
    this.end();
    this.#shown = this.#context.progress("copying", "bytes", bytes * 2);
  };

  readonly onBytes = (bytes: number): void => this.#shown?.advance(bytes);

  end(): void {
    this.#shown?.end();
    this.#shown = undefined;
  }
}

/** `orthant cluster backup`: copies all shards of a world, while nodes write to them. Needs no NATS. */
export async function backUpCluster(args: Arguments, context: Context): Promise<void> {
  const [world, folder] = [args.at(1), args.at(2)];
  const shared = requireShards(args);
  requireOutside(folder, shared);
  const folders = new ShardFolders(new DiskFolders(await context.openFolders(shared)), world);
  const progress = new CopyProgress(context);
  try {
    const { onTotal, onBytes } = progress;
    const made = await context.makeFolders(
      folder,
      (disk) => {
        const target = new DiskFolders(disk);
        return backupClusterWorld({ folders, target, world, random: systemRandomBits, onTotal });
      },
      onBytes,
    );
    progress.end();
    const bytes = made.shards.reduce((sum, shard) => sum + shard.bytes, 0);
    const shards = made.shards.map(({ shard, generation }) => ({ shard, generation }));
    context.printJson({ world, to: folder, map: made.map.generation, shards, bytes });
    const amount = formatAmount(shards.length, "shard");
    context.print(`backed up ${amount} of ${world} to ${folder}: ${formatBytes(bytes)}, verified`);
  } finally {
    progress.end();
  }
}

/** `orthant cluster restore`: replaces a world of the cluster by a backup of it. */
export async function restoreCluster(backbone: Backbone, args: Arguments, context: Context): Promise<void> {
  const [world, folder] = [args.at(1), args.at(2)];
  const shared = requireShards(args);
  const progress = new CopyProgress(context);
  try {
    const { onTotal, onBytes } = progress;
    const restored = await restoreClusterWorld({
      ...{ backbone, world, time: context.time, random: systemRandomBits, onTotal },
      backup: new DiskFolders(await context.openFolders(folder)),
      shared: new DiskFolders(await context.openFolders(shared, onBytes)),
    });
    progress.end();
    const { map, before = null, droppedShards } = restored;
    const shards = [map.first, ...map.splits.map(({ to }) => to)];
    context.printJson({ world, from: folder, map: map.generation, shards, droppedShards, before });
    context.print(`restored ${formatAmount(shards.length, "shard")} of ${world} from ${folder}, verified`);
    if (droppedShards.length > 0)
      context.print(
        `the backup is older than ${droppedShards.join(", ")}: its other shards have those sectors again`,
      );
    if (before !== null)
      context.print(`what was there before is in ${shared}/${before}; remove it when all is well`);
    context.note("start the owners, then the gateways");
  } finally {
    progress.end();
  }
}

/** `orthant cluster back-to-one`: writes the world of a cluster as a single world. */
export async function backToOne(
  backbone: Backbone | undefined,
  args: Arguments,
  context: Context,
): Promise<void> {
  const [world, folder] = [args.at(1), args.at(2)];
  const shared = requireShards(args);
  requireOutside(folder, shared);
  const folders = new ShardFolders(new DiskFolders(await context.openFolders(shared)), world);
  const complete =
    backbone === undefined ? undefined : await checkpointAll(backbone, folders, world, context);
  try {
    const saves = complete ?? (await savedShards(folders, world));
    await context.makeFolder(folder, async (disk) => {
      await writeMerged(saves, disk, context);
      // A node that was started meanwhile may have edits that the copy lacks.
      await complete?.requireHeld();
    });
    const shards = [...saves.disks.keys()];
    context.printJson({ world, to: folder, name: saves.map.world.name, shards });
    context.print(
      `wrote ${world} to ${folder} as a single world, from ${formatAmount(shards.length, "shard")}, verified`,
    );
  } finally {
    await complete?.release();
  }
}

function checkpointAll(
  backbone: Backbone,
  folders: ShardFolders,
  world: string,
  context: Context,
): Promise<CheckpointedShards> {
  return checkpointShards({
    ...{
      backbone,
      folders,
      world,
      time: context.time,
      random: systemRandomBits,
      generators: context.generators,
    },
    onJournalLost: (shard, detail) => context.note(`the journal of shard ${shard} was lost: ${detail}`),
  });
}

async function writeMerged(saves: ShardSaves, disk: Disk, context: Context): Promise<void> {
  const progress = context.progress("merging", "leaves");
  try {
    await mergeShards(saves, disk, {
      nowMs: context.time.nowMs(),
      generators: context.generators,
      onLeaf: () => progress.advance(1),
      onRefused: (error) => context.note(`warning: an edit on its way between shards is lost: ${error}`),
    });
  } finally {
    progress.end();
  }
  const findings = await verifySave(disk);
  const [first] = findings;
  if (first !== undefined && !isWhole(findings))
    throw new OrthantError("ORT_SAVE_FAILED", `the single world does not verify: ${first.message}`);
}

function requireShards(args: Arguments): string {
  const shared = args.text("shards");
  if (shared !== undefined) return shared;
  throw new UsageError(`${args.at(0)} needs --shards, the folder that all owners share`);
}
