import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterFolders, DiskFolders, ShardFolders } from "@orthant/cluster";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { openSave } from "@orthant/save";
import { codeOfRejection } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { afterAll, describe, expect, test } from "vitest";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

describe.each<[string, () => Promise<ClusterFolders>]>([
  ["in memory", async () => new DiskFolders(new MemoryDisk())],
  [
    "of the machine",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "orthant-shards-"));
      folders.push(folder);
      return new DiskFolders(new NodeDisk(folder));
    },
  ],
])("shard folders %s", (_kind, makeStore) => {
  async function shardFolders(): Promise<ShardFolders> {
    const made = new ShardFolders(await makeStore(), "town");
    const world = await createWorldEngine(await made.create("0"));
    await world.close();
    return made;
  }

  test("[K21] a previous owner finds nothing under the folder's old name, whatever it tries", async () => {
    const shards = await shardFolders();
    const old = await shards.claim("0", 3);
    const world = await openWorldEngine(old, { autosave: false });
    await world.set([1, 2, 3, 0], 4);
    const young = await shards.claim("0", 4);
    expect(await codeOfRejection(world.save())).toBe("ORT_SAVE_FAILED");
    expect(await codeOfRejection(old.open("manifest.json", "read"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(old.rename("manifest.json", "x"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(old.lock("world.lock"))).toBe("ORT_FENCED");
    const save = await openSave(young);
    // The epoch of the first edit was saved before.
    expect(save.generation).toBe(1);
    await save.close();
    expect(await shards.termOf("0")).toBe(4);
    // It cannot save, but closes its files.
    await world.close().catch(() => undefined);
  });

  test("[K22] a folder can be taken only for a later epoch, and by only one node", async () => {
    const shards = await shardFolders();
    await shards.claim("0", 3);
    expect(await codeOfRejection(shards.claim("0", 3))).toBe("ORT_FENCED");
    expect(await codeOfRejection(shards.claim("0", 2))).toBe("ORT_FENCED");
    const attempts = await Promise.allSettled([shards.claim("0", 5), shards.claim("0", 5)]);
    expect(attempts.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await codeOfRejection(shards.claim("1", 5))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(shards.create("0"))).toBe("ORT_EXISTS");
  });

  test("[K51] the owner of a shard makes the folder of a split again that failed, and no other owner does", async () => {
    const shards = await shardFolders();
    const first = await shards.createSplit("east", "0", 3);
    await (await createWorldEngine(first)).close();
    expect(await codeOfRejection(shards.createSplit("east", "west", 9))).toBe("ORT_EXISTS");
    expect(await codeOfRejection(shards.createSplit("east", "0", 2))).toBe("ORT_EXISTS");
    const again = await shards.createSplit("east", "0", 4);
    expect(await again.list("")).toEqual([]);
    // The earlier attempt finds nothing under its name, and cannot take the new folder.
    expect(await codeOfRejection(first.open("manifest.json", "read"))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(shards.claim("east", 4))).toBe("ORT_FENCED");
    await shards.claim("east", 5);
    expect(await shards.termOf("east")).toBe(5);
  });

  test("[K51] a split leaves the folder of an imported shard alone", async () => {
    const shards = await shardFolders();
    expect(await codeOfRejection(shards.createSplit("0", "east", 9))).toBe("ORT_EXISTS");
  });
});
