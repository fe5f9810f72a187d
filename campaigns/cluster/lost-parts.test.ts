import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import {
  type Backbone,
  ClusterGateway,
  ClusterNode,
  createClusterWorld,
  DiskFolders,
  FIRST_SHARD,
  ShardFolders,
} from "@orthant/cluster";
import { leaseKey, mapKey } from "@orthant/cluster/internal";
import { chunkShape, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween, systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { NatsCluster, TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { createWorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "./waiting.ts";

const PATIENCE_MS = 60_000;
const WORLD = "town";
const SETTING = { time: systemTime, generators: DEFAULT_GENERATORS, world: WORLD };
const isRoot = process.getuid?.() === 0;

interface Member {
  readonly node: ClusterNode;
  readonly backbone: Backbone;
}

let nats: NatsCluster;
let root: string;
let members: readonly Member[] = [];
let gateway: ClusterGateway;
const backbones: Backbone[] = [];
const news: string[] = [];
let edits = 0;

async function connected(): Promise<Backbone> {
  const backbone = await nats.connect();
  backbones.push(backbone);
  return backbone;
}

function foldersOf(): ShardFolders {
  return new ShardFolders(new DiskFolders(new NodeDisk(root)), WORLD);
}

beforeAll(async () => {
  nats = await NatsCluster.start(3);
  root = mkdtempSync(join(tmpdir(), "orthant-lost-"));
  if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "none", root]);
  const source = new MemoryDisk();
  await (await createWorldEngine(source, { name: "Town", shape: chunkShape([4, 4, 4, 1]) })).close();
  const backbone = await connected();
  const random = systemRandomBits;
  await createClusterWorld({ backbone, folders: foldersOf(), world: WORLD, source, random });
  members = await Promise.all(
    ["a", "b"].map(async (name) => {
      const own = await connected();
      const node = new ClusterNode({
        ...{ ...SETTING, backbone: own, folders: foldersOf(), node: name, random },
        limits: { checkpointMs: 1_000 },
        events: {
          onClaimed: (shard, term) => news.push(`${name} owns ${shard} in term ${term}`),
          onLost: (shard, error) => news.push(`${name} lost ${shard}: ${error}`),
          onJournalLost: (shard, detail) => news.push(`${name}: journal of ${shard} lost: ${detail}`),
          onForeign: (shard, error) => news.push(`${name} at ${shard}: ${error}`),
          onSaveFailure: (shard, error) => news.push(`${name} cannot save ${shard}: ${error}`),
          onFailure: (shard, error) => news.push(`${name} cannot claim ${shard}: ${error}`),
        },
      });
      await node.start();
      return { node, backbone: own };
    }),
  );
  gateway = await ClusterGateway.open({ ...SETTING, backbone });
  await owner();
}, PATIENCE_MS);

afterAll(async () => {
  gateway.close();
  for (const { node } of members) node.kill(new Error("the test is over"));
  for (const backbone of backbones) await backbone.close();
  await nats.dispose();
  if (isRoot) execFileSync("umount", ["-l", root]);
  rmSync(root, { recursive: true });
}, PATIENCE_MS);

async function owner(): Promise<ClusterNode> {
  const owning = (): ClusterNode | undefined => members.find(({ node }) => node.owns(FIRST_SHARD))?.node;
  await waitUntil(() => owning() !== undefined, "the shard has an owner", PATIENCE_MS);
  return owning() as ClusterNode;
}

/** Sets a voxel that no other edit sets. Returns its coordinate. */
async function edit(): Promise<number> {
  const editId = ++edits;
  const placements = [{ voxel: [editId, 1, 0, 0] as const, block: 3 }];
  const { status } = await gateway.world.edit({ kind: "voxels", placements }, { clientId: 7n, editId });
  expect(status).toBe("applied");
  return editId;
}

/** Returns whether a gateway that opens now shows these edits. */
async function shown(...made: readonly number[]): Promise<readonly boolean[]> {
  const backbone = await connected();
  const late = await ClusterGateway.open({ ...SETTING, backbone });
  await late.world.load(boxBetween([0, 0, 0, 0], [16, 1, 1, 1]));
  const seen = made.map((x) => late.world.state.voxelAt(x, 1, 0, 0) === 3);
  late.close();
  return seen;
}

async function deleteStream(name: string): Promise<void> {
  await manage((streams) => streams.delete(name));
}

/** Changes streams behind the nodes' backs. */
async function manage(work: (streams: JetStreamManager["streams"]) => Promise<unknown>): Promise<void> {
  const { user, password: pass } = TEST_CREDENTIALS;
  const connection = await connect({ servers: [...nats.urls], user, pass });
  await work((await jetstreamManager(connection)).streams);
  await connection.close();
}

test(
  "a journal that is deleted costs the edits since the last save, is reported, and is replaced",
  async () => {
    const before = await edit();
    await (await owner()).checkpoint();
    news.splice(0);
    await deleteStream(`J_${WORLD}_${FIRST_SHARD}`);
    const after = await edit();
    expect(await shown(before, after)).toEqual([true, true]);
    expect(news.filter((text) => text.includes("journal of 0 lost"))).toHaveLength(1);
  },
  PATIENCE_MS,
);

test(
  "[K72] a journal that is sealed costs nothing, is reported, and is replaced",
  async () => {
    const name = `J_${WORLD}_${FIRST_SHARD}`;
    const before = await edit();
    news.splice(0);
    await manage(async (streams) => {
      const { config } = await streams.info(name);
      // The client's types have no word for it.
      const sealed: typeof config = { ...config, sealed: true };
      await streams.update(name, sealed);
    });
    const after = await edit();
    expect(await shown(before, after)).toEqual([true, true]);
    expect(news.filter((text) => text.includes("the journal of shard 0 was sealed"))).toHaveLength(1);
    expect(news.filter((text) => text.includes("journal of 0 lost"))).toEqual([]);
    await manage(async (streams) => {
      expect((await streams.info(name)).config.sealed).toBe(false);
    });
  },
  PATIENCE_MS,
);

test(
  "[K52] the owners make a table that is deleted again, and keep their shards",
  async () => {
    const before = await edit();
    news.splice(0);
    await deleteStream("KV_orthant");
    const during = await edit();
    // Without a new connection, which would make the table, too.
    for (const key of [mapKey(WORLD), leaseKey(WORLD, FIRST_SHARD)])
      await expect.poll(() => hasKey(key), { timeout: 30_000 }).toBe(true);
    expect(news).toEqual([]);
    // And a shard is handed over as before.
    const from = await owner();
    await from.move(FIRST_SHARD);
    await waitUntil(() => !from.owns(FIRST_SHARD), "the shard has moved");
    expect(await shown(before, during, await edit())).toEqual([true, true, true]);
  },
  PATIENCE_MS,
);

async function hasKey(key: string): Promise<boolean> {
  return (await backbones[0]?.table.get(key).catch(() => undefined)) !== undefined;
}

test(
  "an owner whose folder is deleted names it, keeps its shard, and saves when the folder is back",
  async () => {
    const before = await edit();
    await (await owner()).checkpoint();
    const folder = join(root, WORLD, "shards", FIRST_SHARD);
    const copy = mkdtempSync(join(tmpdir(), "orthant-copy-"));
    cpSync(folder, copy, { recursive: true });
    news.splice(0);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    const during = await edit();
    await waitUntil(() => news.length > 0, "the owner misses the folder", 30_000);
    expect(news[0]).toContain("ORT_NOT_FOUND: town/shards/0 is not in the shared folder");
    cpSync(copy, folder, { recursive: true });
    rmSync(copy, { recursive: true });
    const after = await edit();
    expect(await shown(before, during, after)).toEqual([true, true, true]);
  },
  PATIENCE_MS,
);

test.skipIf(!isRoot)(
  "a shared folder that is read-only for a while costs nothing",
  async () => {
    news.splice(0);
    const before = await edit();
    // A second mount above the first, because files of the first are open.
    execFileSync("mount", ["--bind", root, root]);
    execFileSync("mount", ["-o", "remount,bind,ro", root]);
    const during: number[] = [];
    for (let count = 0; count < 20; count++) during.push(await edit());
    await waitUntil(() => news.length > 0, "a save fails");
    expect(news[0]).toContain("ORT_DISK_DENIED");
    execFileSync("umount", ["-l", root]);
    const after = await edit();
    await (await owner()).checkpoint();
    expect((await shown(before, ...during, after)).every((isSeen) => isSeen)).toBe(true);
    // The same node owned the shard all the time.
    for (const text of news) expect(text).toContain("cannot save");
  },
  PATIENCE_MS,
);
