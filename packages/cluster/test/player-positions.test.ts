import { ownerRequestCodec } from "@orthant/cluster/internal";
import { encode } from "@orthant/core/bytes";
import { openSave } from "@orthant/save";
import { toHex } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";
import { SmallServer } from "./small-server.ts";

const FORWARD = [0, 0, 0, 1] as const;

interface Town {
  readonly small: SmallCluster;
  readonly nodes: readonly SmallNode[];
  readonly north: SmallServer;
  readonly south: SmallServer;
}

async function town(checkpointMs = 1_000, playersMax = 100): Promise<Town> {
  const small = new SmallCluster();
  await small.create(0, (world) => world.upsertPlayer({ playerId: 50n, position: [7, 1, 1, 0] }));
  const nodes = [
    await small.node("a", {}, checkpointMs, { playersMax }),
    await small.node("b", {}, checkpointMs, { playersMax }),
  ];
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  return { small, nodes, north: await SmallServer.open(small), south: await SmallServer.open(small) };
}

test("[K32] a request about players has these bytes", () => {
  const pose = { position: [1.5, -2, 0, 0], orientation: FORWARD } as const;
  const bytes = encode(ownerRequestCodec, {
    kind: "players",
    updates: [{ playerId: 300n, name: "Ada", pose, sinceMs: 200 }],
    lookups: [5n],
  });
  expect(toHex(bytes)).toBe("0201ac0203416461c001ff0100000000007fc8010105");
});

test("[K32] a player who leaves one gateway and joins another stands where they were", async () => {
  const { small, north, south } = await town();
  const ada = await north.join(1n, "Ada");
  expect(north.standing("Ada")).toBe(0);
  for (const [x, from, to] of [
    [9, north, south],
    [33, south, north],
    [5, north, south],
  ] as const) {
    ada.move(x);
    await small.until(() => from.standing("Ada") === x);
    ada.leave();
    ada.connect(to);
    await small.until(() => to.standing("Ada") !== undefined);
    expect(to.standing("Ada")).toBe(x);
  }
});

test("[K32] players of a world imported into a cluster stand where they were", async () => {
  const { south } = await town();
  await south.join(50n, "Eve");
  expect(south.standing("Eve")).toBe(7);
});

test("[K32] poses are in a save of the first shard after a checkpoint, and outlive all processes", async () => {
  const { small, nodes, north } = await town();
  const ada = await north.join(1n, "Ada");
  ada.move(9);
  await small.until(() => north.standing("Ada") === 9);
  ada.leave();
  await small.pass(2_000);
  for (const { node, backbone } of nodes) {
    node.kill(new Error("killed"));
    backbone.kill();
  }
  north.kill();
  const disk = small.store.disk(`town/shards/0/e${await small.folders.termOf("0")}`);
  const save = await openSave(disk);
  expect(save.players.map(({ playerId, position }) => [playerId, position[0]])).toEqual([
    [1n, 9],
    [50n, 7],
  ]);
  await save.close();
  const { node } = await small.node("c");
  await small.until(() => node.owns("0"));
  const later = await SmallServer.open(small);
  await later.join(1n, "Ada");
  expect(later.standing("Ada")).toBe(9);
});

test("[K32] when an owner dies before saving, gateways send the poses to the next one", async () => {
  const { small, nodes, north, south } = await town(3_600_000);
  const ada = await north.join(1n, "Ada");
  ada.move(9);
  await small.until(() => north.standing("Ada") === 9);
  ada.leave();
  await small.pass(100);
  // Only the connection is killed, because a node that ends itself would save.
  nodes.find(({ node }) => node.owns("0"))?.backbone.kill();
  // The player rejoins while the shard has no owner, and waits.
  ada.connect(south);
  await small.until(() => south.standing("Ada") !== undefined);
  expect(south.standing("Ada")).toBe(9);
});

test("[K32] a gateway that notices a player's departure late does not restore an older pose", async () => {
  const { small, north, south } = await town();
  const { world } = north.gateway;
  world.storePlayer(1n, "Ada", { position: [9, 1, 1, 0], orientation: FORWARD }, 0);
  await small.pass(7_000);
  // At the other gateway the player moved a second ago; this one has not heard from them for seven seconds.
  south.gateway.world.storePlayer(1n, "Ada", { position: [20, 1, 1, 0], orientation: FORWARD }, 1_000);
  await small.pass(100);
  world.storePlayer(1n, "Ada", { position: [10, 1, 1, 0], orientation: FORWARD }, 6_500);
  await small.pass(100);
  const later = await SmallServer.open(small);
  await later.join(1n, "Ada");
  expect(later.standing("Ada")).toBe(20);
});

test("[K32] a player with clients at two gateways is stored where the one was that left last", async () => {
  const { small, north, south } = await town();
  const standing = await south.join(1n, "Ada");
  standing.move(20);
  await small.until(() => south.standing("Ada") === 20);
  await small.pass(3_000);
  const walking = await north.join(1n, "Ada");
  walking.move(9);
  await small.until(() => north.standing("Ada") === 9);
  await small.pass(3_000);
  walking.leave();
  await small.pass(3_000);
  standing.leave();
  await small.pass(3_000);
  const later = await SmallServer.open(small);
  await later.join(1n, "Ada");
  expect(later.standing("Ada")).toBe(20);
});

test("[K32] when no owner answers, players still join, at the last pose this gateway knows", async () => {
  const { small, nodes, north, south } = await town();
  const ada = await north.join(1n, "Ada");
  await south.join(2n, "Bo");
  ada.move(9);
  await small.until(() => north.standing("Ada") === 9);
  ada.leave();
  await small.pass(100);
  for (const { backbone } of nodes) backbone.kill();
  ada.connect(north);
  const waitedMs = await small.until(() => north.standing("Ada") !== undefined);
  expect(waitedMs).toBeGreaterThan(7_000);
  expect(waitedMs).toBeLessThan(9_000);
  expect(north.standing("Ada")).toBe(9);
  // A gateway that is cut off knows that no owner will answer.
  south.backbone.partition = "both";
  await small.pass(2_000);
  ada.leave();
  ada.connect(south);
  expect(await small.until(() => south.standing("Ada") !== undefined)).toBeLessThan(200);
  expect(south.standing("Ada")).toBe(0);
  // A player who started at the spawn for lack of an answer must not be remembered there.
  ada.leave();
  south.backbone.partition = "none";
  const { node } = await small.node("c");
  await small.until(() => node.owns("0"));
  await small.pass(500);
  const later = await SmallServer.open(small);
  await later.join(1n, "Ada");
  expect(later.standing("Ada")).toBe(9);
});

test("[K33] when the player limit is reached, known players are still remembered", async () => {
  const { small, north, south } = await town(1_000, 2);
  const stay = async (clientId: bigint, name: string, x: number): Promise<void> => {
    const client = await north.join(clientId, name);
    client.move(x);
    await small.until(() => north.standing(name) === x);
    client.leave();
    await small.pass(100);
  };
  await stay(1n, "Ada", 9);
  await stay(2n, "Bo", 11);
  await stay(50n, "Eve", 13);
  for (const [clientId, name, x] of [
    [1n, "Ada", 9],
    [2n, "Bo", 0],
    [50n, "Eve", 13],
  ] as const) {
    await south.join(clientId, name);
    expect(south.standing(name)).toBe(x);
  }
});

test("a closing gateway waits until an owner has its players' poses, but not forever", async () => {
  const { small, nodes, north, south } = await town();
  const ada = await north.join(1n, "Ada");
  ada.move(9);
  await small.until(() => north.standing("Ada") === 9);
  await north.sync.shutdown("done", 0);
  await small.settled(north.gateway.served.save());
  north.gateway.close();
  ada.leave();
  ada.connect(south);
  await small.until(() => south.standing("Ada") !== undefined);
  expect(south.standing("Ada")).toBe(9);
  for (const { backbone } of nodes) backbone.kill();
  await south.sync.shutdown("done", 0);
  const startMs = small.time.nowMs();
  await small.settled(south.gateway.served.save());
  expect(small.time.nowMs() - startMs).toBe(2_000);
});
