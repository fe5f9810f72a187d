import {
  clusterNodes,
  clusterStatus,
  handleCommands,
  sectorsTouching,
  sendCommand,
  voxelsOfSectors,
} from "@orthant/cluster";
import {
  ClusterDirectory,
  nodeCommandCodec,
  ownerAddress,
  ownerAnswerCodec,
  ownerRequestCodec,
  shardMapCodec,
} from "@orthant/cluster/internal";
import { chunkShape, OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { boxAt, boxBetween, regionBox } from "@orthant/core/lattice";
import type { RequestedEdit } from "@orthant/protocol";
import { openSave } from "@orthant/save";
import { codeOf, codeOfRejection } from "@orthant/testkit";
import { NO_ENGINE_FAULTS } from "@orthant/testkit/cluster";
import { expect, test, vi } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

async function cluster(
  names: readonly string[],
): Promise<{ readonly small: SmallCluster; readonly nodes: readonly SmallNode[] }> {
  const small = new SmallCluster();
  await small.create();
  const nodes: SmallNode[] = [];
  for (const name of names) nodes.push(await small.node(name));
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  return { small, nodes };
}

const REGION = regionBox([0, 0, 0, 0]);

test("[K20] an edit through one gateway appears at another, and is in the journal when it is acknowledged", async () => {
  const { small } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const { gateway: other } = await small.gateway();
  await small.settled(Promise.all([gateway.world.load(REGION), other.world.load(REGION)]));
  const before = small.hub.journal("town", "0")?.state.last;
  const made = await small.settled(small.edit(gateway, [1, 2, 3, 0], 4));
  expect(made.status).toBe("applied");
  expect(small.hub.journal("town", "0")?.state.last).toBe((before ?? 0) + 1);
  await small.pass(20);
  expect(gateway.world.state.voxelAt(1, 2, 3, 0)).toBe(4);
  expect(other.world.state.voxelAt(1, 2, 3, 0)).toBe(4);
  expect(other.world.clockOf([0, 0, 0, 0])).toBe(made.clocks[0]?.after);
});

test("[K21] a node takes a world with many earlier sessions at the first attempt", async () => {
  const small = new SmallCluster();
  await small.create(3);
  const failures: unknown[] = [];
  const { node } = await small.node("a", { onFailure: (_shard, error) => failures.push(error) });
  await small.until(() => node.owns("0"));
  expect(failures).toEqual([]);
  expect(node.shards.get("0")?.term).toBe(4);
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(REGION));
  expect(gateway.world.state.voxelAt(1, 2, 3, 0)).toBe(3);
  expect((await small.settled(small.edit(gateway, [1, 2, 3, 0], 9))).status).toBe("applied");
});

test("[K17] clusterNodes reports which nodes are alive and which are leaving", async () => {
  const { small, nodes } = await cluster(["a", "b", "c"]);
  const backbone = small.hub.connect();
  const received = async (): Promise<readonly (readonly [string, boolean, boolean])[]> => {
    const all = await small.settled(clusterNodes(backbone, "town", small.time));
    return all.map(({ node, isAlive, isLeaving }) => [node, isAlive, isLeaving]);
  };
  expect(await received()).toEqual(["a", "b", "c"].map((name) => [name, true, false]));
  nodes[0]?.node.kill(new Error("killed"));
  await small.settled(nodes[1]?.node.drain() ?? Promise.resolve());
  await small.pass(600);
  expect(await received()).toEqual([
    ["a", false, false],
    ["b", true, true],
    ["c", true, false],
  ]);
  const empty = new SmallCluster();
  expect(await empty.settled(clusterNodes(empty.hub.connect(), "town", empty.time))).toEqual([]);
});

test("[K17] [K18] nodes ignore nodes of another world on the same backbone, even one with the same name", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const other = new SmallCluster({}, "village", small);
  await other.create();
  const own = nodes.find(({ node }) => node.owns("0"));
  const successor = nodes.find((node) => node !== own);
  // The other world has a live node of the same name, and one without shards, which would be preferred if it
  // counted.
  const { node: namesake } = await other.node(own?.node.node ?? "");
  await other.node("idle");
  await other.until(() => namesake.owns("0"));
  own?.backbone.kill();
  own?.node.kill(new Error("killed"));
  expect(await small.until(() => successor?.node.owns("0") === true)).toBeLessThan(5_000);
  expect(
    (await small.settled(clusterNodes(small.hub.connect(), "village", small.time))).map(({ node }) => node),
  ).toEqual([namesake.node, "idle"]);
  // A shard that may go to any node is never offered to a node of the other world.
  await small.settled(successor?.node.drain({ force: true }) ?? Promise.resolve());
  expect((await small.settled(clusterStatus(small.hub.connect(), "town")))?.shards[0]?.lease).toMatchObject({
    node: "",
    successor: "",
  });
});

test("[K25] a split fails if another node took the shard without a journal after the splitting node's check", async () => {
  const { small } = await cluster(["a"]);
  const backbone = small.hub.connect();
  const directory = await small.settled(ClusterDirectory.open(backbone, "town"));
  const split = { from: "0", sectors: boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), to: "east" };
  let checks = 0;
  const requireHeld = async (): Promise<void> => {
    if (++checks > 1) throw new OrthantError("ORT_FENCED", "another node claimed it");
    await directory.bumpGeneration(backbone);
  };
  const completed = directory.completeSplit(backbone, split, requireHeld);
  expect(await small.settled(codeOfRejection(completed))).toBe("ORT_FENCED");
  expect(checks).toBe(2);
  const status = await small.settled(clusterStatus(backbone, "town"));
  expect(status?.shards.map(({ shard }) => shard)).toEqual(["0"]);
});

test("[K25] a node that opens a shard without its journal touches the map", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const owner = nodes.find(({ node }) => node.owns("0"));
  const successor = nodes.find((node) => node !== owner);
  const revision = small.hub.table.get("map.town")?.revision ?? 0;
  small.hub.loseJournal("town", "0");
  owner?.node.kill(new Error("killed"));
  await small.until(() => successor?.node.owns("0") === true);
  expect(small.hub.table.get("map.town")?.revision).toBeGreaterThan(revision);
});

test("[K5] an owner that moved its shard answers `away` for a while, and then not at all", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const giver = nodes.find(({ node }) => node.owns("0"))?.node;
  const backbone = small.hub.connect();
  const address = ownerAddress("town", "0", giver?.shards.get("0")?.term ?? 0);
  const ask = (): Promise<Uint8Array> =>
    small.settled(backbone.request(address, encode(ownerRequestCodec, { kind: "edits", edits: [] }), 1_000));
  await small.settled(giver?.move("0") ?? Promise.resolve());
  expect(decode(ownerAnswerCodec(4096), await ask())).toEqual({ kind: "away" });
  await small.pass(5_000);
  expect(await codeOfRejection(ask)).toBe("ORT_BACKBONE_NO_RESPONDER");
});

test("a moved shard can be moved back at once", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const giver = nodes.find(({ node }) => node.owns("0"))?.node;
  const successor = nodes.find(({ node }) => !node.owns("0"))?.node;
  await small.settled(giver?.move("0", successor?.node) ?? Promise.resolve());
  await small.until(() => successor?.owns("0") === true);
  await small.settled(successor?.move("0", giver?.node) ?? Promise.resolve());
  expect(await small.until(() => giver?.owns("0") === true)).toBeLessThan(1_000);
});

test("[K25] a node that splits a shard writes the new shard's lease before other nodes can see the shard", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const splitter = nodes.find(({ node }) => node.owns("0"));
  if (splitter === undefined) throw new Error("the shard has no owner");
  const swaps = vi.spyOn(splitter.backbone.table, "swap");
  await small.settled(splitter.node.split("0", boxAt([0, 0, 0, 0]), "east"));
  await small.pass(3_000);
  const keys = swaps.mock.calls.map(([key]) => key);
  expect(keys.indexOf("own.town.east")).toBeGreaterThanOrEqual(0);
  expect(keys.indexOf("own.town.east")).toBeLessThan(keys.indexOf("map.town"));
  const status = await small.settled(clusterStatus(small.hub.connect(), "town"));
  expect(status?.shards[1]?.lease?.node).toBe(splitter.node.node);
});

test("[K2] cellsTouching and voxelsOfCells use sectors of sixteen chunks along each edge", () => {
  const shape = chunkShape([4, 4, 4, 1]);
  const sectors = sectorsTouching(shape, boxBetween([-1, 0, 63, 0], [1, 64, 65, 1]));
  expect(sectors).toEqual({ min: [-1, 0, 0, 0], max: [1, 1, 2, 1] });
  expect(voxelsOfSectors(shape, sectors)).toEqual({ min: [-64, 0, 0, 0], max: [64, 64, 128, 16] });
});

test("[K19] an edit sent twice is applied once, and its sender gets the result both times", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const { gateway: other } = await small.gateway();
  const origin = { clientId: 9n, editId: 1 };
  const edit = { kind: "voxels", placements: [{ voxel: [0, 0, 0, 0], block: 1 }] } as const;
  const made = await small.settled(gateway.world.edit(edit, origin));
  expect(made.status).toBe("applied");
  expect(await small.settled(other.world.edit(edit, origin))).toEqual(made);
  const refused = { kind: "voxels", placements: [{ voxel: [0, 0, 0, 0], block: 60_000 }] } as const;
  const next = { clientId: 9n, editId: 2 };
  expect(await codeOfRejection(small.settled(gateway.world.edit(refused, next)))).toBe("ORT_BLOCKS");
  await small.settled(gateway.world.edit(edit, { clientId: 9n, editId: 3 }));
  expect(await codeOfRejection(small.settled(other.world.edit(refused, next)))).toBe("ORT_BLOCKS");
  nodes[0]?.node.kill(new Error("lost"));
  await small.node("b");
  // The next owner knows that the edit was made, and no more.
  expect((await small.settled(other.world.edit(edit, origin))).status).toBe("duplicate");
});

test("[K11] [K18] when a node dies, another one has all acknowledged edits within five seconds", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(REGION));
  for (let index = 0; index < 5; index++) await small.settled(small.edit(gateway, [index, 0, 0, 0], 7));
  await small.pass(1_500);
  for (let index = 5; index < 9; index++) await small.settled(small.edit(gateway, [index, 0, 0, 0], 7));
  const dead = nodes.find(({ node }) => node.owns("0"));
  const successor = nodes.find(({ node }) => !node.owns("0"));
  dead?.node.kill(new Error("killed"));
  dead?.backbone.kill();
  const tookMs = await small.until(() => successor?.node.owns("0") === true);
  expect(tookMs).toBeLessThan(5_000);
  await small.settled(small.edit(gateway, [9, 0, 0, 0], 7));
  const { gateway: late } = await small.gateway();
  await small.settled(late.world.load(REGION));
  const seen = Array.from({ length: 10 }, (_, x) => late.world.state.voxelAt(x, 0, 0, 0));
  expect(seen).toEqual(new Array(10).fill(7));
});

test("[K9] [K21] a paused node is fenced: it stores and saves nothing after another node took its shard", async () => {
  const lost: unknown[] = [];
  const small = new SmallCluster();
  await small.create();
  const zombie = await small.node("a", { onLost: (_shard, error) => lost.push(error) }, 60_000);
  await small.until(() => zombie.node.owns("0"));
  const { gateway } = await small.gateway();
  await small.settled(small.edit(gateway, [0, 0, 0, 0], 1));
  zombie.backbone.pause();
  const successor = await small.node("b");
  await small.until(() => successor.node.owns("0"));
  await small.settled(small.edit(gateway, [1, 0, 0, 0], 2));
  await expect(small.settled(zombie.node.checkpoint())).rejects.toMatchObject({ code: "ORT_SAVE_FAILED" });
  zombie.backbone.resume();
  await small.pass(2_000);
  expect(lost).not.toHaveLength(0);
  await small.settled(gateway.world.load(REGION));
  expect([0, 1].map((x) => gateway.world.state.voxelAt(x, 0, 0, 0))).toEqual([1, 2]);
});

test("a shard moves to another node while edits continue, and all of them are applied", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(REGION));
  const from = nodes.find(({ node }) => node.owns("0"));
  const to = nodes.find(({ node }) => !node.owns("0"));
  const edits: Promise<unknown>[] = [];
  for (let index = 0; index < 40; index++) {
    if (index === 10) edits.push(from?.node.move("0", to?.node.node) ?? Promise.resolve());
    edits.push(small.edit(gateway, [index % 8, 1, 0, 0], 1 + (index % 5), BigInt(index % 3)));
    await small.pass(10);
  }
  const outcomes = await small.settled(Promise.all(edits));
  expect(outcomes.filter((made) => made !== undefined)).toHaveLength(40);
  await small.until(() => to?.node.owns("0") === true);
  expect(from?.node.owns("0")).toBe(false);
});

test("[K25] a shard is split while edits continue, and an edit across both parts is applied in both", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const [owner] = nodes;
  const edits: Promise<unknown>[] = [];
  let split: Promise<void> | undefined;
  for (let index = 0; index < 40; index++) {
    if (index === 10) split = owner?.node.split("0", boxBetween([1, -8, -8, -8], [8, 8, 8, 8]), "east");
    edits.push(small.edit(gateway, [index % 2 === 0 ? index : 64 + index, 1, 0, 0], 3));
    await small.pass(10);
  }
  await small.settled(Promise.all([split, ...edits]));
  expect(owner?.node.owns("east")).toBe(true);
  const both = [0, 64].map((x) => ({ voxel: [x, 2, 0, 0] as const, block: 9 }));
  const made = await small.settled(
    gateway.world.edit({ kind: "voxels", placements: both }, { clientId: 6n, editId: 1 }),
  );
  expect(made.clocks.map(({ region }) => region)).toEqual([
    [0, 0, 0, 0],
    [4, 0, 0, 0],
  ]);
  const { gateway: late } = await small.gateway();
  await small.settled(late.world.load(boxBetween([0, 0, 0, 0], [32, 1, 1, 1])));
  for (let index = 0; index < 40; index++)
    expect(late.world.state.voxelAt(index % 2 === 0 ? index : 64 + index, 1, 0, 0)).toBe(3);
});

test("[K36] a fill or a copy is made once by the owner of all its regions, and a small fill in several shards", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const [owner] = nodes;
  await small.settled(small.edit(gateway, [0, 0, 0, 0], 1));
  await small.settled(
    Promise.resolve(owner?.node.split("0", boxBetween([1, -8, -8, -8], [8, 8, 8, 8]), "east")),
  );
  let editId = 0;
  const make = (edit: RequestedEdit, again = 0) => {
    editId += 1 - again;
    return small.settled(gateway.world.edit(edit, { clientId: 6n, editId }));
  };
  const box = boxBetween([0, 0, 0, 0], [20, 2, 1, 1]);
  const fill = { kind: "fill", box, block: 9 } as const;
  const made = await make(fill);
  expect(made.status).toBe("applied");
  expect(await make(fill, 1)).toEqual(made);
  expect((await make({ kind: "copy", box, to: [0, 4, 0, 0] })).status).toBe("applied");
  const wide = boxBetween([0, 8, 0, 0], [80, 10, 1, 1]);
  expect((await make({ kind: "fill", box: wide, block: 9 })).status).toBe("applied");
  await expect(make({ kind: "copy", box: wide, to: [0, 12, 0, 0] })).rejects.toMatchObject({
    code: "ORT_EDIT_SHARDS",
  });
  const large = boxBetween([0, 8, 0, 0], [80, 30, 20, 1]);
  await expect(make({ kind: "fill", box: large, block: 9 })).rejects.toMatchObject({
    code: "ORT_EDIT_SHARDS",
  });
  await small.settled(gateway.world.load(boxBetween([0, 0, 0, 0], [32, 8, 1, 1])));
  for (const [x, y] of [
    [19, 1],
    [19, 5],
    [79, 9],
  ] as const)
    expect(gateway.world.state.voxelAt(x, y, 0, 0)).toBe(9);
});

test("[K54] while the backbone is away a gateway shows what it has, and edits wait", async () => {
  const { small } = await cluster(["a"]);
  const { gateway, backbone } = await small.gateway();
  await small.settled(gateway.world.load(REGION));
  backbone.partition = "both";
  await small.pass(2_000);
  expect(gateway.isBackboneAway).toBe(true);
  const results: string[] = [];
  const edits = [1, 2].map((block) =>
    small.edit(gateway, [0, 0, 0, 0], block).then(({ status }) => results.push(status)),
  );
  await small.pass(5_000);
  expect(results).toEqual([]);
  expect(gateway.world.isLoaded(boxAt([0, 0, 0, 0]))).toBe(true);
  backbone.partition = "none";
  await small.settled(Promise.all(edits));
  expect(gateway.isBackboneAway).toBe(false);
  expect(results).toEqual(["applied", "applied"]);
  expect(gateway.world.state.voxelAt(0, 0, 0, 0)).toBe(2);
});

test("a gateway detects a lost record even if no later one follows", async () => {
  const { small } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const { gateway: other } = await small.gateway();
  await small.settled(Promise.all([gateway.world.load(REGION), other.world.load(REGION)]));
  small.hub.faultPlan = { ...small.hub.faultPlan, deliveryLoss: 1 };
  await small.settled(small.edit(gateway, [0, 0, 0, 0], 5));
  expect(other.world.state.voxelAt(0, 0, 0, 0)).toBe(0);
  await small.pass(7_000);
  expect(other.world.state.voxelAt(0, 0, 0, 0)).toBe(5);
});

test("[K10] [K20] when a journal is lost, saved edits survive and no clock goes back", async () => {
  const lost: string[] = [];
  const small = new SmallCluster();
  await small.create();
  const { node } = await small.node("a", { onJournalLost: (_shard, detail) => lost.push(detail) });
  await small.until(() => node.owns("0"));
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(REGION));
  await small.settled(small.edit(gateway, [0, 0, 0, 0], 1));
  await small.settled(node.checkpoint());
  const { clocks } = await small.settled(small.edit(gateway, [1, 0, 0, 0], 2));
  small.hub.loseJournal("town", "0");
  await small.settled(small.edit(gateway, [2, 0, 0, 0], 3));
  await small.pass(6_000);
  expect(lost).toHaveLength(1);
  expect(gateway.world.clockOf([0, 0, 0, 0])).toBeGreaterThan(clocks[0]?.after ?? Infinity);
  expect([0, 1, 2].map((x) => gateway.world.state.voxelAt(x, 0, 0, 0))).toEqual([1, 0, 3]);
});

test("[K20] an edit whose journal is lost settles even if no other edit follows", async () => {
  const small = new SmallCluster();
  await small.create();
  // This node never saves on its own.
  const { node, backbone } = await small.node("a", {}, 1_000_000);
  await small.until(() => node.owns("0"));
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(REGION));
  await small.settled(small.edit(gateway, [0, 0, 0, 0], 1));
  await small.settled(node.checkpoint());
  // The gateway gets the owner's answer, but the record is lost on the way, and then the journal is lost.
  small.hub.faultPlan = { ...NO_ENGINE_FAULTS, deliveryLoss: 1 };
  const edited = small.edit(gateway, [1, 0, 0, 0], 2);
  await small.pass(50);
  small.hub.loseJournal("town", "0");
  backbone.kill();
  small.hub.faultPlan = NO_ENGINE_FAULTS;
  const successor = await small.node("b");
  await small.until(() => successor.node.owns("0"));
  const { status, clocks } = await small.settled(edited);
  expect(status).toBe("applied");
  expect(gateway.world.clockOf([0, 0, 0, 0])).toBeGreaterThan(clocks[0]?.after ?? Infinity);
  expect([0, 1].map((x) => gateway.world.state.voxelAt(x, 0, 0, 0))).toEqual([1, 0]);
});

test("[K15] all gateways share one epoch, including those that open later", async () => {
  const { small } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const { gateway: other } = await small.gateway();
  expect(gateway.world.epoch).toEqual(other.world.epoch);
  expect(gateway.world.knowsEpoch(other.world.epoch)).toBe(true);
  expect(gateway.world.knowsEpoch({ ...other.world.epoch, id: 1n })).toBe(false);
});

test("[K23] a new owner never writes to an existing pack", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  await small.settled(small.edit(gateway, [0, 0, 0, 0], 1));
  await small.settled(nodes[0]?.node.checkpoint() ?? Promise.resolve());
  const term = (await small.folders.termOf("0")) ?? 0;
  const packs = async (): Promise<Map<string, number>> => {
    const disk = small.store.disk(`town/shards/0/e${await small.folders.termOf("0")}`);
    const sizes = new Map<string, number>();
    for (const { name } of await disk.list("data")) {
      const file = await disk.open(`data/${name}`, "read");
      sizes.set(name, await file.size());
    }
    return sizes;
  };
  const before = await packs();
  nodes[0]?.node.kill(new Error("killed"));
  nodes[0]?.backbone.kill();
  const successor = await small.node("b");
  await small.until(() => successor.node.owns("0"));
  await small.settled(small.edit(gateway, [5, 0, 0, 0], 2));
  await small.settled(successor.node.checkpoint());
  expect(await small.folders.termOf("0")).toBeGreaterThan(term);
  const after = await packs();
  expect(after.size).toBeGreaterThan(before.size);
  for (const [name, bytes] of before) expect([name, after.get(name)]).toEqual([name, bytes]);
});

test("[K24] a save records up to where it contains the journal, and the journal drops everything before that", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  for (let index = 0; index < 4; index++) await small.settled(small.edit(gateway, [index, 0, 0, 0], 7));
  await small.settled(nodes[0]?.node.checkpoint() ?? Promise.resolve());
  await small.pass(100);
  const state = small.hub.journal("town", "0")?.state;
  expect(state).toEqual({ first: 6, last: 5, bytes: 0 });
  const save = await openSave(small.store.disk(`town/shards/0/e${await small.folders.termOf("0")}`));
  const attachment = save.global.description.attachments.find(({ key }) => key === "orthant.cluster.fold");
  expect([...(attachment?.value ?? [])]).toEqual([1, 5]);
  await save.close();
});

test("[K26] a node executes commands and reports those that it cannot execute", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const backbone = small.hub.connect();
  for (const { node, backbone: own } of nodes) await handleCommands(own, "town", node);
  const from = nodes.find(({ node }) => node.owns("0"))?.node.node ?? "";
  const to = nodes.find(({ node }) => !node.owns("0"))?.node.node ?? "";
  await small.settled(sendCommand(backbone, "town", from, { kind: "move", shard: "0", successor: to }));
  await small.until(() => nodes.some(({ node }) => node.node === to && node.owns("0")));
  await expect(
    small.settled(sendCommand(backbone, "town", from, { kind: "move", shard: "0", successor: "" })),
  ).rejects.toMatchObject({ code: "ORT_NOT_FOUND" });
  const sectors = boxBetween([4, 0, 0, 0], [8, 1, 1, 1]);
  await small.settled(
    sendCommand(backbone, "town", to, { kind: "split", shard: "0", sectors, newShard: "east" }),
  );
  const status = await small.settled(clusterStatus(backbone, "town"));
  expect(status?.shards.map(({ shard, lease }) => [shard, lease?.node])).toEqual([
    ["0", to],
    ["east", to],
  ]);
  await small.settled(sendCommand(backbone, "town", to, { kind: "drain" }));
  await small.until(() =>
    nodes.some(({ node }) => node.node === from && node.owns("0") && node.owns("east")),
  );
  for (const bytes of [[], [4], [0, 1], [1, 1, 48]])
    expect(codeOf(() => decode(nodeCommandCodec, Uint8Array.from(bytes)))).not.toBe("no error");
});

test("[K27] when the backbone loses its table, nodes restore what they know, and new nodes find the map beside the shards", async () => {
  const { small, nodes } = await cluster(["a"]);
  await small.settled(
    nodes[0]?.node.split("0", boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), "east") ?? Promise.resolve(),
  );
  small.hub.table.lose();
  await small.pass(12_000);
  const { gateway } = await small.gateway();
  expect((await small.settled(small.edit(gateway, [64, 0, 0, 0], 1))).status).toBe("applied");
  nodes[0]?.node.kill(new Error("killed"));
  nodes[0]?.backbone.kill();
  small.hub.table.lose();
  const successor = await small.node("b");
  await small.until(() => successor.node.owns("0") && successor.node.owns("east"));
  const { gateway: late } = await small.gateway();
  await small.settled(late.world.load(boxAt([16, 0, 0, 0])));
  expect(late.world.state.voxelAt(64, 0, 0, 0)).toBe(1);
});

test("[K27] a restored map also replaces a newer one that was lost with the table", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const backbone = small.hub.connect();
  nodes[0]?.node.kill(new Error("killed"));
  nodes[0]?.backbone.kill();
  const directory = await small.settled(ClusterDirectory.open(backbone, "town"));
  // The node that split the shard died before it wrote the map beside the shards, and the split record is
  // lost.
  const split = { from: "0", sectors: boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), to: "east" };
  await small.settled(directory.completeSplit(backbone, split, async () => undefined));
  await small.pass(50);
  small.hub.table.lose();
  await small.node("b");
  expect((await small.settled(small.edit(gateway, [64, 0, 0, 0], 1))).status).toBe("applied");
  expect(directory.map.splits).toEqual([]);
});

test("[K27] a new shard stores nothing before the map beside the shards lists it", async () => {
  const small = new SmallCluster();
  await small.create();
  let goOn = (): void => undefined;
  const isFree = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  vi.spyOn(small.folders, "writeMap").mockImplementation(({ splits }) =>
    splits.length > 0 ? isFree : Promise.resolve(),
  );
  const { node } = await small.node("a");
  await small.until(() => node.owns("0"));
  const { gateway } = await small.gateway();
  const split = node.split("0", boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), "east");
  await small.pass(500);
  let isMade = false;
  const edited = small.edit(gateway, [64, 0, 0, 0], 1).then(() => {
    isMade = true;
  });
  await small.pass(2_000);
  expect(isMade).toBe(false);
  goOn();
  await small.settled(split);
  await small.settled(edited);
});

test("[K25] a split stays in force even if a restored map lacks it", async () => {
  const { small, nodes } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const before = decode(shardMapCodec, small.hub.table.get("map.town")?.value ?? new Uint8Array());
  await small.settled(
    nodes[0]?.node.split("0", boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), "east") ?? Promise.resolve(),
  );
  const { last } = small.hub.journal("town", "0")?.state ?? { last: 0 };
  small.hub.table.put("map.town", encode(shardMapCodec, before));
  small.hub.announce();
  expect((await small.settled(small.edit(gateway, [64, 0, 0, 0], 1))).status).toBe("applied");
  expect(small.hub.journal("town", "0")?.state.last).toBe(last);
  const status = await small.settled(clusterStatus(small.hub.connect(), "town"));
  expect(status?.shards.map(({ shard }) => shard)).toEqual(["0", "east"]);
});

test("[K25] a split that was lost with the table before its writer got the answer is added to the next table", async () => {
  const { small } = await cluster(["a"]);
  const backbone = small.hub.connect();
  const directory = await small.settled(ClusterDirectory.open(backbone, "town"));
  const before = small.hub.table.get("map.town")?.value ?? new Uint8Array();
  const swap = backbone.table.swap.bind(backbone.table);
  vi.spyOn(backbone.table, "swap").mockImplementationOnce(async (...asked) => {
    const revision = await swap(...asked);
    small.hub.table.lose();
    small.hub.table.put("map.town", before);
    small.hub.announce();
    await new Promise<void>((resolve) => small.time.after(100, resolve));
    return revision;
  });
  const split = { from: "0", sectors: boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), to: "east" };
  await small.settled(directory.completeSplit(backbone, split, async () => undefined));
  expect(directory.map.splits).toEqual([split]);
  const status = await small.settled(clusterStatus(backbone, "town"));
  expect(status?.shards.map(({ shard }) => shard)).toEqual(["0", "east"]);
});

test("[K10] a split creates no journal in place of a lost one", async () => {
  const { small, nodes } = await cluster(["a"]);
  small.hub.loseJournal("town", "0");
  const split = nodes[0]?.node.split("0", boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), "east");
  expect(await small.settled(codeOfRejection(split ?? Promise.resolve()))).toBe("ORT_JOURNAL");
  expect(small.hub.journal("town", "0")).toBeUndefined();
});
