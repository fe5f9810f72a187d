import {
  backupClusterWorld,
  type ClusterNode,
  checkpointShards,
  clusterStatus,
  DiskFolders,
  mergeShards,
  type NodeEvents,
  restoreClusterWorld,
  savedShards,
} from "@orthant/cluster";
import type { Position } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxAt, boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { verifySave } from "@orthant/save";
import { codeOfRejection } from "@orthant/testkit";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

const WEST: Position = [1, 1, 1, 0];
/** In the second sector, whose voxels begin at 64. */
const EAST: Position = [65, 1, 1, 0];
const EASTERN_SECTORS = boxBetween([1, 0, 0, 0], [2, 1, 1, 1]);

/** A running cluster, with everything that its node reported. */
class Town {
  readonly small: SmallCluster = new SmallCluster();
  readonly reports: string[] = [];
  readonly #checkpointMs: number;
  node: ClusterNode | undefined;
  backbone: SmallNode["backbone"] | undefined;

  constructor(checkpointMs = 1_000) {
    this.#checkpointMs = checkpointMs;
  }

  static async create(furnish?: (world: WorldEngine) => unknown, checkpointMs = 1_000): Promise<Town> {
    const town = new Town(checkpointMs);
    await town.small.create(0, furnish);
    await town.start("a");
    return town;
  }

  async start(name: string): Promise<void> {
    const events: NodeEvents = {
      onJournalLost: (shard, detail) => this.reports.push(`lost the journal of ${shard}: ${detail}`),
      onFailure: (shard, error) => this.reports.push(`could not claim ${shard}: ${error}`),
    };
    const { node, backbone } = await this.small.node(name, events, this.#checkpointMs);
    this.node = node;
    this.backbone = backbone;
    const { shards = [] } = (await this.small.settled(clusterStatus(this.small.hub.connect(), "town"))) ?? {};
    const isOwned = (shard: string): boolean => node.owns(shard) || this.reports.length > 0;
    await this.small.until(() => shards.every(({ shard }) => isOwned(shard)));
  }

  async stop(): Promise<void> {
    await this.small.settled(this.node?.stop() ?? Promise.resolve());
    await this.small.pass(4_000);
  }

  /** Ends the node as if its host were lost, with edits that no save has. */
  async kill(): Promise<void> {
    this.node?.kill(new Error("killed"));
    await this.small.pass(4_000);
  }

  async build(voxel: Position, block: number): Promise<void> {
    const { gateway } = await this.small.gateway();
    const client = BigInt(Math.round(this.small.time.nowMs()) + block);
    expect(await this.small.settled(this.small.edit(gateway, voxel, block, client))).toMatchObject({
      status: "applied",
    });
    gateway.close();
  }

  async blocks(): Promise<readonly number[]> {
    const { gateway } = await this.small.gateway();
    await this.small.settled(gateway.world.load(boxAt([0, 0, 0, 0])));
    await this.small.settled(gateway.world.load(boxAt([16, 0, 0, 0])));
    const { state } = gateway.world;
    gateway.close();
    return [state.voxelAt(...WEST), state.voxelAt(...EAST)];
  }

  async split(): Promise<void> {
    await this.small.settled(this.node?.split("0", EASTERN_SECTORS, "east") ?? Promise.resolve());
  }

  async backup(): Promise<MemoryDisk> {
    await this.small.settled(this.node?.checkpoint() ?? Promise.resolve());
    const target = new MemoryDisk();
    const { folders, random } = this.small;
    await backupClusterWorld({ folders, target: new DiskFolders(target), world: "town", random });
    return target;
  }

  restore(backup: MemoryDisk): ReturnType<typeof restoreClusterWorld> {
    const { store, random, time, hub } = this.small;
    const backbone = hub.connect();
    const options = { backbone, shared: store, backup: new DiskFolders(backup), world: "town", random, time };
    return this.small.settled(restoreClusterWorld(options));
  }

  async checkpoint(): ReturnType<typeof checkpointShards> {
    const { folders, random, time, hub } = this.small;
    const options = {
      backbone: hub.connect(),
      folders,
      world: "town",
      random,
      time,
      generators: DEFAULT_GENERATORS,
    };
    return this.small.settled(checkpointShards(options));
  }

  async requireWhole(): Promise<void> {
    const { disks } = await savedShards(this.small.folders, "town");
    for (const [shard, disk] of disks) expect(await verifySave(disk), `shard ${shard}`).toEqual([]);
  }
}

test("[K50] a backup made while edits go on restores the world to its state, without a report of a lost journal", async () => {
  const town = await Town.create();
  await town.build(WEST, 3);
  const backup = await town.backup();
  await town.build(WEST, 4);
  await town.stop();
  const { before, droppedShards } = await town.restore(backup);
  expect(before).toMatch(/^town\.before-\d{17}$/);
  expect(droppedShards).toEqual([]);
  await town.requireWhole();
  await town.start("b");
  expect(await town.blocks()).toEqual([3, 0]);
  await town.build(WEST, 5);
  await town.kill();
  await town.start("c");
  expect(await town.blocks()).toEqual([5, 0]);
  expect(town.reports).toEqual([]);
});

test("[K50] a backup that is older than a split takes its sectors back, and they can be split off again", async () => {
  const town = await Town.create();
  await town.build(WEST, 3);
  await town.build(EAST, 4);
  const backup = await town.backup();
  await town.split();
  await town.build(EAST, 5);
  await town.build(WEST, 5);
  await town.stop();
  expect((await town.restore(backup)).droppedShards).toEqual(["east"]);
  await town.start("b");
  expect(await town.blocks()).toEqual([3, 4]);
  expect([...(town.node?.shards.keys() ?? [])]).toEqual(["0"]);
  await town.split();
  await town.build(EAST, 6);
  await town.stop();
  await town.start("c");
  expect(await town.blocks()).toEqual([3, 6]);
  expect(town.reports).toEqual([]);
});

test("[K50] a backup that is newer than a split, and of a cluster whose NATS is lost, is restored with its shards", async () => {
  const town = await Town.create();
  await town.split();
  await town.build(WEST, 3);
  await town.build(EAST, 4);
  const backup = await town.backup();
  await town.stop();
  const other = new Town();
  expect(await other.restore(backup)).toMatchObject({ before: undefined, droppedShards: [] });
  await other.start("b");
  expect(await other.blocks()).toEqual([3, 4]);
  await other.build(EAST, 5);
  await other.stop();
  await other.requireWhole();
  expect(other.reports).toEqual([]);
});

test("[K50] an owner that slept through a restore can neither save nor store an edit", async () => {
  const town = await Town.create(undefined, 60_000);
  await town.build(WEST, 3);
  const backup = await town.backup();
  await town.build(WEST, 4);
  const [sleeper, connection] = [town.node, town.backbone];
  connection?.pause();
  await town.small.pass(6_000);
  await town.restore(backup);
  const saving = codeOfRejection(sleeper?.checkpoint() ?? Promise.resolve());
  expect(await town.small.settled(saving)).toBe("ORT_SAVE_FAILED");
  const journal = await town.small.settled(town.small.hub.connect().findJournal("town", "0"));
  const { first } = (await town.small.settled(journal?.state() ?? Promise.resolve(undefined))) ?? {
    first: 0,
  };
  expect(first, "the beginning of the new journal").toBeGreaterThan(2 ** 30);
  connection?.resume();
  // It may claim the shard, and then has what the backup has.
  await town.small.until(() => (sleeper?.shards.get("0")?.term ?? 0) > 2);
  expect(await town.blocks()).toEqual([3, 0]);
  await town.requireWhole();
});

test("[K50] a restore refuses while a node runs, and a backup that lacks the world", async () => {
  const town = await Town.create();
  const backup = await town.backup();
  await expect(town.restore(backup)).rejects.toThrow(/ORT_LOCKED: a of town is running: stop all owners/);
  await expect(town.checkpoint()).rejects.toThrow(/ORT_LOCKED: a of town is running/);
  await town.stop();
  await expect(town.restore(new MemoryDisk())).rejects.toThrow(/ORT_NOT_FOUND: there is no map in town\/map/);
  await town.start("b");
  expect(town.reports).toEqual([]);
});

test("[K50] a restore that was interrupted anywhere can be repeated", async () => {
  for (let failing = 1; ; failing++) {
    const town = await Town.create();
    await town.build(WEST, 3);
    const backup = await town.backup();
    await town.split();
    await town.build(EAST, 4);
    await town.stop();
    let calls = 0;
    town.small.disk.onWrite = () => {
      if (++calls === failing) throw new Error("interrupted");
    };
    const code = await codeOfRejection(town.restore(backup)).catch(() => "interrupted");
    town.small.disk.onWrite = undefined;
    await town.restore(backup);
    await town.requireWhole();
    await town.start("b");
    expect(await town.blocks(), `interrupted at ${failing}`).toEqual([3, 0]);
    expect(town.reports).toEqual([]);
    if (code === "no error") break;
  }
});

test("a save that is older than its journal is not opened, and the error says how to restore it", async () => {
  const town = await Town.create();
  await town.build(WEST, 3);
  const backup = await town.backup();
  for (const block of [4, 5]) {
    await town.build(WEST, block);
    await town.small.settled(town.node?.checkpoint() ?? Promise.resolve());
  }
  await town.stop();
  // What an operator does who copies the files of a backup back.
  const { store } = town.small;
  await store.move("town", "town.before");
  for (const path of ["town/map", "town/shards/0/e1/data", "town/shards/0/e1/index"]) await store.make(path);
  for (const [path, bytes] of backup.image().files) {
    const file = await town.small.disk.open(path, "create");
    await file.append(bytes);
    await file.close();
  }
  await town.start("b");
  expect(town.reports[0]).toMatch(/older than the journal.*Restore backups with orthant cluster restore/);
  await town.node?.stop();
  await town.small.pass(4_000);
  town.reports.length = 0;
  await town.restore(backup);
  await town.start("c");
  expect(await town.blocks()).toEqual([3, 0]);
});

test("[K50] shards are saved with their journals, and merged into one ordinary world", async () => {
  const town = await Town.create(async (world) => {
    await world.set([200, 1, 1, 0], 9);
    await world.set([70, 1, 1, 0], 9);
    world.entities.spawn({ kind: 7, position: [66, 1, 1, 0] });
    world.entities.spawn({ kind: 8, position: [2, 1, 1, 0] });
    world.upsertPlayer({ playerId: 5n, name: "Ada" });
  });
  await town.split();
  await town.build(WEST, 3);
  await town.build(EAST, 4);
  await town.build([70, 1, 1, 0], 5);
  // Their last edits are only in the journals.
  await town.kill();
  const saved = await town.checkpoint();
  expect([...saved.disks.keys()]).toEqual(["0", "east"]);
  const target = new MemoryDisk();
  await mergeShards(saved, target, { nowMs: 1 });
  await saved.requireHeld();
  await town.small.settled(saved.release());
  expect(await verifySave(target)).toEqual([]);
  const world = await openWorldEngine(target);
  const voxels: readonly Position[] = [WEST, EAST, [70, 1, 1, 0], [200, 1, 1, 0], [300, 0, 0, 0]];
  expect(await Promise.all(voxels.map((voxel) => world.get(voxel)))).toEqual([3, 4, 5, 9, 0]);
  const all = await world.entities.in(boxBetween([-64, -64, -64, -64], [300, 64, 64, 64]));
  expect(all.map(({ kind }) => kind)).toEqual([7, 8]);
  expect([world.name, world.player(5n)?.name]).toEqual(["Town", "Ada"]);
  await world.set(WEST, 6);
  await world.close();
  expect(await verifySave(target)).toEqual([]);
  await town.start("b");
  expect(await town.blocks(), "the cluster has not changed").toEqual([3, 4]);
  await expect(saved.requireHeld()).rejects.toThrow(/ORT_FENCED/);
});
