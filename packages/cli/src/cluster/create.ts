import { createClusterWorld, DiskFolders, type Engine, ShardFolders } from "@orthant/cluster";
import { systemRandomBits } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { openWorld } from "@orthant/world";
import type { Arguments } from "../command.ts";
import type { Context } from "../context.ts";
import { requireNative } from "../found-world.ts";
import { UsageError } from "../usage.ts";

/** `orthant cluster create`: copies a world into the owners' shared folder, as the first shard. */
export async function createInCluster(engine: Engine, args: Arguments, context: Context): Promise<void> {
  const [world, folder] = [args.at(1), args.at(2)];
  const shared = args.text("shards");
  if (shared === undefined) throw new UsageError("create needs --shards, the folder that all owners share");
  // A folder that is not mounted must not be created on this machine's own disk.
  await context.openDisk(shared);
  const source = await context.openDisk(folder);
  await requireNative(source, folder);
  // The copy is of the last save; opening the world first replays its journal into that save.
  const opened = await openWorld(source, { clock: context.clock, durability: "journal", autosave: false });
  await opened.close();
  const folders = new ShardFolders(new DiskFolders(new NodeDisk(shared)), world);
  const map = await createClusterWorld({ engine, folders, world, source, random: systemRandomBits });
  context.printJson({ world, name: map.world.name, shards: shared, shard: map.first });
  context.print(`copied ${folder} into the cluster as ${world}, with one shard, ${map.first}`);
}
