import type { ClusterGateway } from "@orthant/cluster";
import type { Position } from "@orthant/core";
import { boxBetween, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";
import { SmallServer } from "./small-server.ts";

const CHEST = 4;
const WEST: Position = [1, 2, 3, 0];
/** A voxel in the sectors that the split gives to the new shard. */
const EAST: Position = [65, 2, 3, 0];
const BOTH = boxBetween([0, 0, 0, 0], [32, 4, 4, 1]);
const items = new Prng(1).bytes(2_048);
const moreItems = new Prng(2).bytes(2_048);

/** A cluster of three nodes, one of which owns the world. */
class DataCluster {
  readonly small = new SmallCluster();
  nodes: readonly SmallNode[] = [];
  #edits = 0;

  /** The node that owns a shard. Waits until one does. */
  async ownerOf(shard: string): Promise<SmallNode> {
    await this.small.until(() => this.nodes.some(({ node }) => node.owns(shard)));
    return this.nodes.find(({ node }) => node.owns(shard)) as SmallNode;
  }

  async start(): Promise<void> {
    await this.small.create();
    this.nodes = await Promise.all(["a", "b", "c"].map((name) => this.small.node(name)));
    await this.ownerOf("0");
  }

  async edit(gateway: ClusterGateway, ...placements: readonly VoxelPlacement[]): Promise<void> {
    const origin = { clientId: 7n, editId: ++this.#edits };
    const made = await this.small.settled(gateway.world.edit({ kind: "voxels", placements }, origin));
    expect(made.status).toBe("applied");
  }

  /** Returns what a gateway that opens now shows of two voxels. */
  async shown(): Promise<readonly (readonly [block: number, data: Uint8Array | undefined])[]> {
    const { gateway } = await this.small.gateway();
    await this.small.settled(gateway.world.load(BOTH));
    const { state } = gateway.world;
    const shown = [WEST, EAST].map((voxel) => {
      const chunk = state.realizeChunk(...chunkOfVoxel(state.shape, voxel));
      const index = voxelIndex(state.shape, ...voxel);
      return [chunk.get(index), chunk.dataAt(index)] as const;
    });
    gateway.close();
    return shown;
  }
}

test("a gateway refuses an edit with a companion, and makes neither of them", async () => {
  const cluster = new DataCluster();
  await cluster.start();
  const { gateway } = await cluster.small.gateway();
  let calls = 0;
  const edit = { kind: "voxels", placements: [{ voxel: WEST, block: 3 }] } as const;
  const refused = gateway.world.edit(
    edit,
    { clientId: 7n, editId: 1 },
    () => calls++,
    async () => void calls++,
  );
  await expect(refused).rejects.toThrow(
    "ORT_ARGUMENT: companion is a function; a world on several servers has no transactions, so an edit of it has no companion",
  );
  expect(calls).toBe(0);
  expect((await cluster.shown())[0]?.[0]).not.toBe(3);
  await cluster.edit(gateway, { voxel: WEST, block: 3 });
  expect((await cluster.shown())[0]?.[0]).toBe(3);
});

test("[K11] data that was acknowledged survives the death of its owner before a save", async () => {
  const cluster = new DataCluster();
  await cluster.start();
  const { gateway } = await cluster.small.gateway();
  await cluster.edit(gateway, { voxel: WEST, block: CHEST, data: items });
  await cluster.edit(gateway, { voxel: EAST, block: CHEST }, { voxel: EAST, data: items });
  const owner = await cluster.ownerOf("0");
  owner.backbone.kill();
  owner.node.kill(new Error("killed"));
  expect((await cluster.ownerOf("0")).node.node).not.toBe(owner.node.node);
  expect(await cluster.shown()).toEqual([
    [CHEST, items],
    [CHEST, items],
  ]);
});

test("[K11] 32,769 encoded bytes of a voxel reach the owner, and one more does not", async () => {
  const cluster = new DataCluster();
  await cluster.start();
  const { gateway } = await cluster.small.gateway();
  const most = new Prng(3).bytes(32_769);
  await cluster.edit(gateway, { voxel: WEST, block: CHEST, data: most });
  await cluster.edit(gateway, { voxel: EAST, block: CHEST });
  expect(await cluster.shown()).toEqual([
    [CHEST, most],
    [CHEST, undefined],
  ]);
  const placements = [{ voxel: EAST, data: new Uint8Array(32_770) }];
  const refused = cluster.small.settled(
    gateway.world.edit({ kind: "voxels", placements }, { clientId: 7n, editId: 3 }),
  );
  await expect(refused).rejects.toThrow();
});

test("[K19] an edit that was made in one shard and changes nothing in another is a duplicate when it comes again", async () => {
  const cluster = new DataCluster();
  await cluster.start();
  const { small } = cluster;
  const owner = await cluster.ownerOf("0");
  await small.settled(owner.node.split("0", boxBetween([1, -8, -8, -8], [8, 8, 8, 8]), "east"));
  const { gateway } = await small.gateway();
  const placements = [
    { voxel: WEST, block: CHEST },
    { voxel: EAST, data: null },
  ];
  const send = () =>
    small.settled(gateway.world.edit({ kind: "voxels", placements }, { clientId: 9n, editId: 1 }));
  expect((await send()).status).toBe("applied");
  // The next owners find the edit in the journal of one shard only.
  owner.backbone.kill();
  owner.node.kill(new Error("killed"));
  await cluster.ownerOf("0");
  await cluster.ownerOf("east");
  expect((await send()).status).toBe("duplicate");
});

test("[K25] a split and a move take the data of saved and of unsaved edits along", async () => {
  const cluster = new DataCluster();
  await cluster.start();
  const { small } = cluster;
  const { gateway } = await small.gateway();
  await cluster.edit(
    gateway,
    { voxel: WEST, block: CHEST, data: items },
    { voxel: EAST, block: CHEST, data: items },
  );
  const owner = await cluster.ownerOf("0");
  // The edit below may reach the owner before or after the copy; its data is in the new shard in both cases.
  const split = owner.node.split("0", boxBetween([1, -8, -8, -8], [8, 8, 8, 8]), "east");
  await cluster.edit(gateway, { voxel: EAST, data: moreItems });
  await small.settled(split);
  expect(await cluster.shown()).toEqual([
    [CHEST, items],
    [CHEST, moreItems],
  ]);
  const successor = cluster.nodes.find(({ node }) => node !== owner.node) as SmallNode;
  for (const shard of ["0", "east"]) {
    await cluster.edit(gateway, {
      voxel: shard === "0" ? WEST : EAST,
      data: moreItems.subarray(shard.length),
    });
    await small.settled(owner.node.move(shard, successor.node.node));
    await small.until(() => successor.node.owns(shard));
  }
  expect(await cluster.shown()).toEqual([
    [CHEST, moreItems.slice(1)],
    [CHEST, moreItems.slice(4)],
  ]);
  // Another type of block in the same voxel has no data, whichever shard owns it.
  await cluster.edit(gateway, { voxel: WEST, block: 2 }, { voxel: EAST, block: 2 });
  expect(await cluster.shown()).toEqual([
    [2, undefined],
    [2, undefined],
  ]);
});

test("a player of a gateway cannot copy data from out of reach, nor to there", async () => {
  const cluster = new DataCluster();
  await cluster.start();
  const { small } = cluster;
  const server = await SmallServer.open(small, { isWithinReach: ({ box: { max } }) => max[0] <= 16 });
  const chest = boxBetween([20, 2, 3, 0], [21, 3, 4, 1]);
  await cluster.edit(server.gateway, { voxel: chest.min, block: CHEST, data: items });
  const { sync, results } = await server.join(9n, "Ada");
  sync.edit({ kind: "copy", box: chest, to: WEST });
  sync.setVoxels([{ voxel: WEST, block: CHEST }]);
  const placed = boxBetween(WEST, [2, 3, 4, 1]);
  sync.edit({ kind: "copy", box: placed, to: [20, 2, 4, 0] });
  sync.edit({ kind: "copy", box: placed, to: [5, 2, 3, 0] });
  await small.until(() => results.length === 4);
  const rejected = (voxel: Position) => ({
    status: "rejected",
    reason: "reach",
    detail: `voxel [${voxel}] is out of reach`,
  });
  expect(results).toEqual([
    rejected(chest.min),
    { status: "applied" },
    rejected([20, 2, 4, 0]),
    { status: "applied" },
  ]);
  expect(server.gateway.world.state.dataAt(...WEST)).toBeUndefined();
  server.kill();
});
