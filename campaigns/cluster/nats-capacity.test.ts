import {
  type Backbone,
  ClusterGateway,
  ClusterNode,
  createClusterWorld,
  DiskFolders,
  ShardFolders,
} from "@orthant/cluster";
import { type Position, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween, systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { codeOfRejection } from "@orthant/testkit";
import { NatsCluster } from "@orthant/testkit/nats";
import { createWorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { waitUntil } from "./waiting.ts";

const PATIENCE_MS = 120_000;
const MIB = 1024 * 1024;
const WORLD = "town";
const EAST_SECTORS = boxBetween([1, -8, -8, -8], [8, 8, 8, 8]);
/** Every server frees the room of a removed journal in its own time. */
const FREED = { timeout: 40_000, interval: 250 };
const EAST: Position = [65, 2, 3, 0];

let nats: NatsCluster;
let backbone: Backbone;

/** Three servers with room for four journals. */
beforeAll(async () => {
  nats = await NatsCluster.start(3, { maxFileStore: "64MB" });
  backbone = await nats.connect({ journalBytesMax: 256 * MIB });
}, PATIENCE_MS);

afterAll(async () => {
  await backbone.close();
  await nats.dispose();
});

test(
  "journals that are made in a short time get the room that there is, and the next one is refused",
  async () => {
    const shards = ["1", "2", "3", "4", "5", "6"];
    const made = await Promise.allSettled(shards.map((shard) => backbone.journal("w", shard)));
    expect(made.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 4 }, () => "fulfilled"),
      ...Array.from({ length: 2 }, () => "rejected"),
    ]);
    const refused = /ORT_BACKBONE_FULL: .*J_w_6: n. has 0 of 67108864 bytes left, .*Raise max_file_store/;
    await expect(backbone.journal("w", "6")).rejects.toThrow(refused);
    const journal = await backbone.journal("w", "1");
    expect(await journal.reserve(20 * MIB)).toBe(16 * MIB);
    for (const shard of ["2", "3", "4"]) await backbone.removeJournal("w", shard);
    await vi.waitFor(async () => expect(await journal.reserve(20 * MIB)).toBe(64 * MIB), FREED);
    expect(await journal.reserve(0)).toBe(16 * MIB);
    await backbone.removeJournal("w", "1");
  },
  PATIENCE_MS,
);

test(
  "a world and a split without room are refused, and leave the shard and the name as they were",
  async () => {
    const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), WORLD);
    const source = new MemoryDisk();
    await (await createWorldEngine(source, { name: "Town" })).close();
    const create = (): Promise<unknown> =>
      createClusterWorld({ backbone, folders, world: WORLD, source, random: systemRandomBits });
    for (const shard of ["1", "2", "3", "4"]) await vi.waitFor(() => backbone.journal("w", shard), FREED);
    expect(await codeOfRejection(create())).toBe("ORT_BACKBONE_FULL");
    await backbone.removeJournal("w", "4");
    await vi.waitFor(create, FREED);
    const setting = { backbone, world: WORLD, time: systemTime, generators: DEFAULT_GENERATORS };
    const node = new ClusterNode({ ...setting, folders, node: "a", random: systemRandomBits });
    await node.start();
    await waitUntil(() => node.owns("0"), "the node owns the world");
    const gateway = await ClusterGateway.open(setting);
    let editId = 0;
    const edit = (block: number): Promise<string> =>
      gateway.world
        .edit({ kind: "voxels", placements: [{ voxel: EAST, block }] }, { clientId: 7n, editId: ++editId })
        .then(({ status }) => status);
    expect(await codeOfRejection(node.split("0", EAST_SECTORS, "east"))).toBe("ORT_BACKBONE_FULL");
    expect(await edit(2)).toBe("applied");
    await backbone.removeJournal("w", "3");
    await vi.waitFor(() => node.split("0", EAST_SECTORS, "east"), FREED);
    expect(await edit(3)).toBe("applied");
    expect([...node.shards.keys()]).toEqual(["0", "east"]);
    gateway.close();
    await node.stop();
  },
  PATIENCE_MS,
);
