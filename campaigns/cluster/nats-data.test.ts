import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Backbone,
  ClusterGateway,
  ClusterNode,
  createClusterWorld,
  DiskFolders,
  FIRST_SHARD,
  ShardFolders,
} from "@orthant/cluster";
import { chunkShape, type Position, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween, chunkOfVoxel, systemRandomBits, voxelIndex } from "@orthant/core/lattice";
import type { VoxelPlacement, WorldState } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { NatsCluster } from "@orthant/testkit/nats";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntil } from "./waiting.ts";

const PATIENCE_MS = 180_000;
const WORLD = "town";
const SHAPE = chunkShape([4, 4, 4, 1]);
const SETTING = { time: systemTime, generators: DEFAULT_GENERATORS, world: WORLD };
const CHEST = 4;
const WEST: Position = [1, 2, 3, 0];
/** A voxel in the sectors that the split gives to the new shard. */
const EAST: Position = [65, 2, 3, 0];
const BOTH = boxBetween([0, 0, 0, 0], [32, 4, 4, 1]);
const EAST_SECTORS = boxBetween([1, -8, -8, -8], [8, 8, 8, 8]);

interface Member {
  readonly node: ClusterNode;
  readonly backbone: Backbone;
}

let nats: NatsCluster;
let root: string;
let store: DiskFolders;
let members: Member[] = [];
let edits = 0;

/** A town with three nodes on three NATS servers, with the folders of its shards on the real disk. */
beforeAll(async () => {
  nats = await NatsCluster.start(3);
  root = mkdtempSync(join(tmpdir(), "orthant-cluster-data-"));
  store = new DiskFolders(new NodeDisk(root));
  const source = new MemoryDisk();
  await (await createWorldEngine(source, { name: "Town", shape: SHAPE })).close();
  const backbone = await nats.connect();
  await createClusterWorld({
    backbone,
    folders: foldersOf(),
    world: WORLD,
    source,
    random: systemRandomBits,
  });
  await backbone.close();
  members = await Promise.all(["a", "b", "c"].map(startMember));
}, PATIENCE_MS);

afterAll(async () => {
  for (const { node, backbone } of members) {
    await node.stop();
    await backbone.close();
  }
  await nats.dispose();
  rmSync(root, { recursive: true });
}, PATIENCE_MS);

function foldersOf(): ShardFolders {
  return new ShardFolders(store, WORLD);
}

async function startMember(name: string): Promise<Member> {
  const backbone = await nats.connect();
  const random = systemRandomBits;
  const node = new ClusterNode({ ...SETTING, backbone, folders: foldersOf(), node: name, random });
  await node.start();
  return { node, backbone };
}

async function ownerOf(shard: string): Promise<Member> {
  await waitUntil(() => members.some(({ node }) => node.owns(shard)), `a node owns shard ${shard}`);
  return members.find(({ node }) => node.owns(shard)) as Member;
}

async function edit(gateway: ClusterGateway, ...placements: readonly VoxelPlacement[]): Promise<void> {
  const origin = { clientId: 7n, editId: ++edits };
  expect((await gateway.world.edit({ kind: "voxels", placements }, origin)).status).toBe("applied");
}

type Content = readonly [block: number, data: Uint8Array | undefined];

function contentAt(state: WorldState, voxel: Position): Content {
  const chunk = state.realizeChunk(...chunkOfVoxel(SHAPE, voxel));
  const index = voxelIndex(SHAPE, ...voxel);
  return [chunk.get(index), chunk.dataAt(index)];
}

/** Returns what a gateway that opens now shows. */
async function shown(): Promise<readonly Content[]> {
  const backbone = await nats.connect();
  const gateway = await ClusterGateway.open({ ...SETTING, backbone });
  await gateway.world.load(BOTH);
  const contents = [WEST, EAST].map((voxel) => contentAt(gateway.world.state, voxel));
  gateway.close();
  await backbone.close();
  return contents;
}

/** Returns what the folder of a shard contains. */
async function saved(shard: string, voxel: Position): Promise<Content> {
  const disk = store.disk(`${WORLD}/shards/${shard}/e${await foldersOf().termOf(shard)}`);
  const world = await openWorldEngine(disk, { readOnly: true });
  await world.load(BOTH);
  const content = contentAt(world.state, voxel);
  await world.close();
  return content;
}

test(
  "[K11] [K25] a chest's data survives the death of its owner, a split and a move on real NATS servers",
  async () => {
    const [items, more, last] = [1, 2, 3].map((seed) => new Prng(seed).bytes(2_048)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const backbone = await nats.connect();
    const gateway = await ClusterGateway.open({ ...SETTING, backbone });
    await ownerOf(FIRST_SHARD);
    await edit(
      gateway,
      { voxel: WEST, block: CHEST, data: items },
      { voxel: EAST, block: CHEST, data: items },
    );

    // The owner dies right after its acknowledgement, before a save.
    const victim = await ownerOf(FIRST_SHARD);
    victim.node.kill(new Error("killed"));
    await victim.backbone.close();
    members = members.filter((member) => member !== victim);
    const owner = await ownerOf(FIRST_SHARD);
    expect(await shown()).toEqual([
      [CHEST, items],
      [CHEST, items],
    ]);

    const split = owner.node.split(FIRST_SHARD, EAST_SECTORS, "east");
    await edit(gateway, { voxel: EAST, data: more });
    await split;
    expect(await shown()).toEqual([
      [CHEST, items],
      [CHEST, more],
    ]);

    const successor = members.find((member) => member !== owner) as Member;
    await edit(gateway, { voxel: EAST, data: last });
    await owner.node.move("east", successor.node.node);
    await waitUntil(() => successor.node.owns("east"), "the new shard has moved");
    expect(await shown()).toEqual([
      [CHEST, items],
      [CHEST, last],
    ]);
    expect(await saved("east", EAST)).toEqual([CHEST, last]);
    gateway.close();
    await backbone.close();
  },
  PATIENCE_MS,
);
