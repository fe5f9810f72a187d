import { clusterStatus, handleCommands, OwnerWatch, sendCommand } from "@orthant/cluster";
import { codeOfRejection } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

async function ownedBy(
  names: readonly string[],
): Promise<{ readonly small: SmallCluster; readonly nodes: readonly SmallNode[] }> {
  const small = new SmallCluster();
  await small.create();
  const nodes: SmallNode[] = [];
  for (const name of names) {
    const made = await small.node(name);
    await handleCommands(made.backbone, "town", made.node);
    nodes.push(made);
  }
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  await small.pass(1_000);
  return { small, nodes };
}

async function ownerOf(small: SmallCluster): Promise<string | undefined> {
  const status = await small.settled(clusterStatus(small.hub.connect(), "town"));
  return status?.shards[0]?.lease?.node;
}

test("[K49] the last node of a world refuses to be drained, and stays the owner", async () => {
  const { small } = await ownedBy(["a"]);
  const backbone = small.hub.connect();
  for (const command of [{ kind: "drain" }, { kind: "move", shard: "0", successor: "" }] as const) {
    const refused = codeOfRejection(sendCommand(backbone, "town", "a", command));
    expect(await small.settled(refused)).toBe("ORT_NOT_FOUND");
    await small.pass(2_000);
    expect(await ownerOf(small)).toBe("a");
  }
  const { gateway } = await small.gateway();
  expect(await small.settled(small.edit(gateway, [1, 1, 1, 0], 3))).toMatchObject({ status: "applied" });
});

test("[K49] a drain ends when other nodes own the shards", async () => {
  const { small, nodes } = await ownedBy(["a", "b"]);
  const owner = nodes.find(({ node }) => node.owns("0"));
  await small.settled(owner?.node.drain() ?? Promise.resolve());
  expect(nodes.filter(({ node }) => node.owns("0")).map(({ node }) => node.node)).toEqual(
    nodes.filter((other) => other !== owner).map(({ node }) => node.node),
  );
});

test("[K49] one of two nodes that are drained at once keeps the shards", async () => {
  const { small, nodes } = await ownedBy(["a", "b"]);
  const codes = await small.settled(Promise.all(nodes.map(({ node }) => codeOfRejection(node.drain()))));
  expect(codes).toContain("ORT_NOT_FOUND");
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  await small.pass(5_000);
  expect(nodes.filter(({ node }) => node.owns("0"))).toHaveLength(1);
});

test("[K49] a forced drain leaves the shards without an owner, which an OwnerWatch reports after ten seconds", async () => {
  const { small } = await ownedBy(["a"]);
  const backbone = small.hub.connect();
  const watch = await small.settled(OwnerWatch.open({ backbone, world: "town", time: small.time }));
  await small.pass(20_000);
  expect(watch.vacant).toEqual([]);
  await small.settled(sendCommand(backbone, "town", "a", { kind: "leave" }));
  expect(await ownerOf(small)).toBe("");
  await small.pass(5_000);
  expect(watch.vacant).toEqual([]);
  await small.pass(6_000);
  expect(watch.vacant).toEqual(["0"]);
  const { node } = await small.node("b");
  await small.until(() => node.owns("0"));
  await small.pass(1_000);
  expect(watch.vacant).toEqual([]);
  watch.close();
});

test("an OwnerWatch reports the shards of a node that died", async () => {
  const { small, nodes } = await ownedBy(["a"]);
  const backbone = small.hub.connect();
  const watch = await small.settled(OwnerWatch.open({ backbone, world: "town", time: small.time }));
  nodes[0]?.node.kill(new Error("killed"));
  await small.pass(11_000);
  expect(watch.vacant).toEqual(["0"]);
  watch.close();
});
