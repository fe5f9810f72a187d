import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

test.each(["runs", "is lost"])(
  "[K72] a sealed journal is replaced, and nothing in it is lost: its owner %s",
  async (how) => {
    const cluster = new SmallCluster();
    await cluster.create();
    const reported: string[] = [];
    const lost: string[] = [];
    const events = {
      onForeign: (_shard: string, error: unknown) => reported.push(String(error)),
      onJournalLost: (_shard: string, detail: string) => lost.push(detail),
    };
    // It saves nothing by itself, so the edits are in the journal alone.
    const { node, backbone } = await cluster.node("a", events, 3_600_000);
    await cluster.until(() => node.owns("0"));
    const { gateway } = await cluster.gateway();
    for (let x = 0; x < 5; x++) await cluster.settled(cluster.edit(gateway, [x, 1, 1, 0], 3));
    const journal = cluster.hub.journal(cluster.world, "0");
    if (journal === undefined) throw new Error("the shard has no journal");
    journal.isSealed = true;
    if (how === "is lost") {
      // Only the connection is killed, because a node that ends itself would save.
      backbone.kill();
      await cluster.node("b", events, 3_600_000);
    }
    expect((await cluster.settled(cluster.edit(gateway, [5, 1, 1, 0], 3))).status).toBe("applied");
    expect(cluster.hub.journal(cluster.world, "0")).not.toBe(journal);
    expect(reported).toEqual([expect.stringContaining("ORT_JOURNAL: the journal of shard 0 was sealed")]);
    expect(lost).toEqual([]);
    const { gateway: other } = await cluster.gateway();
    await cluster.settled(other.world.load({ min: [0, 0, 0, 0], max: [1, 1, 1, 1] }));
    for (let x = 0; x < 6; x++) expect(other.world.state.voxelAt(x, 1, 1, 0), `x ${x}`).toBe(3);
  },
);

test("[K72] an owner that dies between the sealed journal and the next one loses nothing", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const { node, backbone } = await cluster.node("a", {}, 3_600_000);
  await cluster.until(() => node.owns("0"));
  const { gateway } = await cluster.gateway();
  for (let x = 0; x < 5; x++) await cluster.settled(cluster.edit(gateway, [x, 1, 1, 0], 3));
  const journal = cluster.hub.journal(cluster.world, "0");
  if (journal === undefined) throw new Error("the shard has no journal");
  journal.isSealed = true;
  backbone.journal = () => {
    backbone.kill();
    return new Promise(() => undefined);
  };
  const edited = cluster.edit(gateway, [5, 1, 1, 0], 3);
  await cluster.until(() => cluster.hub.journal(cluster.world, "0") === undefined);
  const lost: string[] = [];
  await cluster.node("b", { onJournalLost: (_shard, detail) => lost.push(detail) }, 3_600_000);
  expect((await cluster.settled(edited)).status).toBe("applied");
  expect(lost).toHaveLength(1);
  const { gateway: other } = await cluster.gateway();
  await cluster.settled(other.world.load({ min: [0, 0, 0, 0], max: [1, 1, 1, 1] }));
  for (let x = 0; x < 6; x++) expect(other.world.state.voxelAt(x, 1, 1, 0), `x ${x}`).toBe(3);
});
