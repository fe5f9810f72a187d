import { createClusterWorld, DiskFolders, FIRST_SHARD, ShardFolders } from "@orthant/cluster";
import { isOrthantError } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { JOURNAL_FOLDER } from "@orthant/save/internal";
import { FakeTime } from "@orthant/testkit";
import { MemoryHub, settled } from "@orthant/testkit/cluster";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const time = new FakeTime();
const random = (): bigint => 5n;

/** A world whose process was killed: one edit is saved, another is only in its journal. */
async function killedWorld(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(
    disk,
    { name: "Town" },
    { time, durability: "journal", autosave: false },
  );
  await world.set([0, 0, 0, 0], 7);
  await world.save();
  await world.set([1, 0, 0, 0], 8);
  return new MemoryDisk(disk.image());
}

async function bringIn(source: MemoryDisk): Promise<ShardFolders> {
  const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), "town");
  const backbone = new MemoryHub({ time, random: () => 0 }).connect();
  await settled(time, createClusterWorld({ backbone, folders, world: "town", source, random }));
  return folders;
}

describe("createClusterWorld", () => {
  test("copies edits that are only in the journal", async () => {
    const folders = await bringIn(await killedWorld());
    const term = (await folders.termOf(FIRST_SHARD)) ?? 0;
    const shard = await openWorldEngine(await folders.claim(FIRST_SHARD, term + 1), { time, readOnly: true });
    expect([await shard.get([0, 0, 0, 0]), await shard.get([1, 0, 0, 0])]).toEqual([7, 8]);
    await shard.close();
  });

  test("rejects a world with a damaged journal and creates no shard", async () => {
    const { directories, files } = (await killedWorld()).image();
    const lost = [...files].filter(([path]) => !path.startsWith(`${JOURNAL_FOLDER}/`));
    const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), "town");
    const backbone = new MemoryHub({ time, random: () => 0 }).connect();
    const source = new MemoryDisk({ directories, files: new Map(lost) });
    const failed = settled(time, createClusterWorld({ backbone, folders, world: "town", source, random }));
    await expect(failed).rejects.toSatisfy((error) => isOrthantError(error, "ORT_JOURNAL"));
    expect(await folders.termOf(FIRST_SHARD)).toBeUndefined();
  });
});
