import type { NodeEvents } from "@orthant/cluster";
import { heartbeatCodec, heartbeatKey, leaseCodec, leaseKey, mapKey } from "@orthant/cluster/internal";
import { decode, encode } from "@orthant/core/bytes";
import { boxBetween } from "@orthant/core/lattice";
import { EPOCH_MAX } from "@orthant/core/tree";
import { codeOfRejection } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const JUNK = new Uint8Array([1]);

/** A cluster with one owner that has a shard, a gateway, and what the owner reported. */
async function startCluster() {
  const cluster = new SmallCluster();
  await cluster.create();
  const reported: string[] = [];
  const lost: unknown[] = [];
  const events: NodeEvents = {
    onForeign: (_shard, error) => reported.push(String(error)),
    onLost: (_shard, error) => lost.push(error),
  };
  const { node, backbone } = await cluster.node("a", events);
  await cluster.until(() => node.owns("0"));
  const { gateway } = await cluster.gateway();
  return { cluster, node, backbone, gateway, reported, lost };
}

/** Number of heartbeats that the table has accepted from the process that has a node's name. */
function heartbeatsOf({ hub, world }: SmallCluster, node: string): number {
  const value = hub.table.get(heartbeatKey(world, node))?.value;
  return value === undefined ? 0 : decode(heartbeatCodec, value).count;
}

/** Writes to the journal of the shard behind the owner's back. */
function smuggle({ hub, world }: SmallCluster, ...messages: readonly Uint8Array[]): void {
  const journal = hub.journal(world, "0");
  const records = messages.map((bytes) => ({ subject: { kind: "control" } as const, bytes }));
  expect(journal?.append(records, journal.state.last).outcome.kind).toBe("stored");
}

test("[K43] an owner passes over messages in its journal that are not records, reports them and goes on", async () => {
  const { cluster, node, gateway, reported, lost } = await startCluster();
  await cluster.settled(cluster.edit(gateway, [1, 1, 1, 0], 3));
  smuggle(cluster, JUNK, new Uint8Array(0));
  expect((await cluster.settled(cluster.edit(gateway, [2, 1, 1, 0], 4))).status).toBe("applied");
  expect(node.owns("0")).toBe(true);
  expect(lost).toEqual([]);
  expect(reported).toHaveLength(2);
  expect(reported[0]).toMatch(/ORT_JOURNAL: message \d+ in the journal of shard 0 is not from an owner/);
});

test("[K43] a new owner sets messages aside that are not records, and replays everything else", async () => {
  const { cluster, node, gateway } = await startCluster();
  await cluster.settled(cluster.edit(gateway, [1, 1, 1, 0], 3));
  node.kill(new Error("lost"));
  smuggle(cluster, JUNK);
  const reported: string[] = [];
  const { node: next } = await cluster.node("b", {
    onForeign: (shard, error) => reported.push(`${shard}: ${error}`),
  });
  await cluster.until(() => next.owns("0"));
  expect(reported).toHaveLength(1);
  expect((await cluster.settled(cluster.edit(gateway, [2, 1, 1, 0], 4))).status).toBe("applied");
  await cluster.settled(gateway.world.load({ min: [0, 0, 0, 0], max: [1, 1, 1, 1] }));
  expect(gateway.world.state.voxelAt(1, 1, 1, 0)).toBe(3);
});

test("[K44] an owner replaces a lease with the highest term, and keeps its shard", async () => {
  const { cluster, node, backbone, gateway, reported, lost } = await startCluster();
  const key = leaseKey(cluster.world, "0");
  const term = node.shards.get("0")?.term;
  const forged = { node: "evil", term: EPOCH_MAX, successor: "" };
  await cluster.settled(backbone.table.put(key, encode(leaseCodec, forged)));
  expect((await cluster.settled(cluster.edit(gateway, [1, 1, 1, 0], 3))).status).toBe("applied");
  expect(decode(leaseCodec, cluster.hub.table.get(key)?.value ?? JUNK)).toEqual({
    node: "a",
    term,
    successor: "",
  });
  expect(lost).toEqual([]);
  expect(reported).toEqual([expect.stringContaining(`the lease of shard 0 has term ${EPOCH_MAX}`)]);
});

test.each<[what: string, value: Uint8Array]>([
  ["is unreadable", JUNK],
  ["has the highest term", encode(leaseCodec, { node: "evil", term: EPOCH_MAX, successor: "" })],
])("[K44] a node claims a shard whose lease %s, in the term after its folder's", async (_what, value) => {
  const { cluster, node, backbone } = await startCluster();
  const term = node.shards.get("0")?.term ?? 0;
  node.kill(new Error("lost"));
  await cluster.settled(backbone.table.put(leaseKey(cluster.world, "0"), value));
  const { node: next } = await cluster.node("b");
  await cluster.until(() => next.owns("0"));
  expect(next.shards.get("0")?.term).toBe(term + 1);
});

test("[K44] owners replace an unreadable lease and an unreadable map by those that they know", async () => {
  const { cluster, backbone, node } = await startCluster();
  const { world, hub } = cluster;
  const before = hub.table.get(leaseKey(world, "0"))?.value;
  await cluster.settled(backbone.table.put(leaseKey(world, "0"), JUNK));
  await cluster.settled(backbone.table.put(mapKey(world), JUNK));
  await cluster.until(() => hub.table.get(mapKey(world))?.value?.length !== JUNK.length);
  await cluster.until(() => hub.table.get(leaseKey(world, "0"))?.value?.length !== JUNK.length);
  expect(hub.table.get(leaseKey(world, "0"))?.value).toEqual(before);
  const { gateway } = await cluster.gateway();
  expect((await cluster.settled(cluster.edit(gateway, [1, 1, 1, 0], 3))).status).toBe("applied");
  expect(node.owns("0")).toBe(true);
});

test("[K45] a second process with the name of a live node refuses to start, and the first keeps its shards", async () => {
  const { cluster, node, lost } = await startCluster();
  const term = node.shards.get("0")?.term;
  await expect(cluster.node("a")).rejects.toThrow(
    /ORT_EXISTS: another process is node a of town. Stop it, or give this one another name/,
  );
  await cluster.pass(5_000);
  expect(node.shards.get("0")?.term).toBe(term);
  expect(lost).toEqual([]);
});

test("[K45] one of two processes that start with one name at once refuses", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const results = await Promise.allSettled([cluster.node("a"), cluster.node("a")]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("[K45] a node that was paused while another process took its name ends, and says so", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const ends: unknown[] = [];
  const first = await cluster.node("a", { onEnd: (error) => ends.push(error) });
  await cluster.until(() => first.node.owns("0"));
  first.backbone.partition = "both";
  const second = await cluster.node("a");
  await cluster.until(() => second.node.owns("0"));
  first.backbone.partition = "none";
  await cluster.until(() => ends.length > 0);
  expect(String(ends[0])).toMatch(/ORT_FENCED: a later process is node a of town now/);
  const term = second.node.shards.get("0")?.term;
  await cluster.pass(5_000);
  expect(second.node.shards.get("0")?.term).toBe(term);
  expect(first.node.owns("0")).toBe(false);
});

test("[K45] a node that loses its name before it has announced its start refuses to start", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const ends: unknown[] = [];
  const starting = cluster.startNode("a", { onEnd: (error) => ends.push(error) });
  const rejection = codeOfRejection(starting.started);
  while (heartbeatsOf(cluster, "a") < 3) await cluster.pass(1);
  // It still hears that the table has its third heartbeat, and cannot send the fourth, which says that it has started.
  starting.backbone.partition = "to backbone";
  const { node: second } = await cluster.node("a");
  expect(await cluster.settled(rejection)).toBe("ORT_EXISTS");
  expect(ends).toEqual([]);
  await cluster.until(() => second.owns("0"));
  expect(starting.node.owns("0")).toBe(false);
});

test("[K46] a node that finds no permission before it has announced its start refuses to start", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const ends: unknown[] = [];
  const { backbone, started } = cluster.startNode("a", { onEnd: (error) => ends.push(error) });
  const rejection = codeOfRejection(started);
  backbone.denied = "journal";
  while (heartbeatsOf(cluster, "a") < 3) await cluster.pass(1);
  // Its fourth heartbeat, which says that it has started, is lost, and it tries to claim a shard before the fifth.
  backbone.partition = "to backbone";
  await cluster.pass(100);
  backbone.partition = "none";
  expect(await cluster.settled(rejection)).toBe("ORT_BACKBONE_PERMISSION");
  expect(ends).toEqual([]);
});

test.each(["table", "journal"] as const)(
  "[K46] a node that the backbone permits no writes to the %s any more ends, and another one takes its shards",
  async (denied) => {
    const cluster = new SmallCluster();
    await cluster.create();
    const ends: unknown[] = [];
    const { node, backbone } = await cluster.node("a", { onEnd: (error) => ends.push(error) });
    await cluster.until(() => node.owns("0"));
    const { node: other } = await cluster.node("b");
    const { gateway } = await cluster.gateway();
    backbone.denied = denied;
    const edit = cluster.edit(gateway, [1, 1, 1, 0], 3);
    await cluster.until(() => other.owns("0"));
    expect((await cluster.settled(edit)).status).toBe("applied");
    expect(ends).toEqual([expect.objectContaining({ code: "ORT_BACKBONE_PERMISSION" })]);
  },
);

test("[K46] a node that ends while it begins to answer for a shard stops answering", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const { node, backbone, started } = cluster.startNode("a");
  const answering = new Set<string>();
  let begun = 0;
  const respond = backbone.respond.bind(backbone);
  backbone.respond = async (subject, answer) => {
    const responding = await respond(subject, answer);
    answering.add(subject);
    begun++;
    node.kill(new Error("the node ended"));
    return {
      end(): void {
        answering.delete(subject);
        responding.end();
      },
    };
  };
  const rejection = started.catch((error: unknown) => error);
  await cluster.until(() => begun > 0);
  await cluster.pass(1_000);
  await rejection;
  expect([...answering]).toEqual([]);
  expect(node.owns("0")).toBe(false);
});

test("[K27] [K44] a node that missed a split and finds an unreadable map takes the copy beside the shards", async () => {
  const { cluster, node, backbone, gateway } = await startCluster();
  const key = mapKey(cluster.world);
  const forge = (): void => {
    cluster.hub.table.put(key, JUNK);
    cluster.hub.announce();
  };
  const { node: next, backbone: nextBackbone } = await cluster.node("b");
  nextBackbone.partition = "from backbone";
  await cluster.settled(node.split("0", boxBetween([1, -8, -8, -8], [8, 8, 8, 8]), "east"));
  await cluster.settled(cluster.edit(gateway, [64, 1, 1, 0], 3));
  backbone.kill();
  node.kill(new Error("killed"));
  forge();
  const { swap } = nextBackbone.table;
  nextBackbone.table.swap = (...parameters) => {
    if (parameters[0].endsWith(".0")) forge();
    return swap(...parameters);
  };
  nextBackbone.partition = "none";
  await cluster.until(() => next.owns("0"));
  await cluster.until(() => next.owns("east"));
  expect((await cluster.settled(cluster.edit(gateway, [64, 1, 1, 0], 4))).status).toBe("applied");
});
