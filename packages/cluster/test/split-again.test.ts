import type { ClusterNode } from "@orthant/cluster";
import { mapKey } from "@orthant/cluster/internal";
import { boxBetween } from "@orthant/core/lattice";
import type { MemoryBackbone } from "@orthant/testkit/cluster";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const EAST = boxBetween([1, -8, -8, -8], [8, 8, 8, 8]);
/** More than the calls of a split. */
const CALLS_MAX = 60;

/**
 * Kills a node before its backbone is called for the `number`th time from now on. Returns a function that says whether
 * that happened.
 */
function dieBefore(number: number, node: ClusterNode, backbone: MemoryBackbone): () => boolean {
  let left = number;
  let isDead = false;
  const { table } = backbone;
  const pass = <Arguments extends readonly unknown[], Result>(
    call: (...parameters: Arguments) => Promise<Result>,
  ): ((...parameters: Arguments) => Promise<Result>) => {
    return (...parameters) => {
      if (!isDead && --left > 0) return call(...parameters);
      isDead = true;
      backbone.kill();
      node.kill(new Error("killed"));
      return new Promise(() => undefined);
    };
  };
  Object.assign(table, { get: pass(table.get), swap: pass(table.swap) });
  Object.assign(backbone, {
    findJournal: pass(backbone.findJournal.bind(backbone)),
    journal: pass(backbone.journal.bind(backbone)),
    respond: pass(backbone.respond.bind(backbone)),
  });
  return () => isDead;
}

test("[K25] [K51] a split whose node dies at any call is finished or undone, and an undone one can be made again", async () => {
  const ends = new Set<string>();
  for (let number = 1; number < CALLS_MAX; number++) {
    const small = new SmallCluster();
    await small.create();
    const nodes = [await small.node("a"), await small.node("b")];
    await small.until(() => nodes.some(({ node }) => node.owns("0")));
    const first = nodes.find(({ node }) => node.owns("0"));
    const second = nodes.find((node) => node !== first);
    if (first === undefined || second === undefined) throw new Error("there are two");
    const { gateway } = await small.gateway();
    await small.settled(small.edit(gateway, [0, 1, 0, 0], 3));
    await small.settled(small.edit(gateway, [64, 1, 0, 0], 4));
    const isDead = dieBefore(number, first.node, first.backbone);
    const split = first.node.split("0", EAST, "east").then(
      () => "done",
      () => "failed",
    );
    await small.until(() => isDead() || first.node.owns("east"));
    if (!isDead()) {
      expect(await split).toBe("done");
      ends.add("lived");
      break;
    }
    await small.until(() => second.node.owns("0"));
    await small.pass(5_000);
    const isFinished = second.node.owns("east");
    ends.add(isFinished ? "finished" : "undone");
    if (!isFinished) await small.settled(second.node.split("0", EAST, "east"));
    expect([...second.node.shards.keys()].sort(), `dead before call ${number}`).toEqual(["0", "east"]);
    await small.settled(small.edit(gateway, [65, 1, 0, 0], 5));
    const { gateway: late } = await small.gateway();
    await small.settled(late.world.load(boxBetween([0, 0, 0, 0], [32, 1, 1, 1])));
    expect([0, 64, 65].map((x) => late.world.state.voxelAt(x, 1, 0, 0))).toEqual([3, 4, 5]);
  }
  expect([...ends].sort()).toEqual(["finished", "lived", "undone"]);
}, 60_000);

test("[K25] a node that was held up in a split does not own the new shard if another one has it by then", async () => {
  const small = new SmallCluster();
  await small.create();
  const lost: string[] = [];
  const first = await small.node("a", { onLost: (shard) => lost.push(shard) });
  await small.until(() => first.node.owns("0"));
  const second = await small.node("b");
  const { gateway } = await small.gateway();
  const { table } = first.backbone;
  const { swap, put } = table;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeldUp = false;
  // The record of the split is stored when the map is written; from then on no heartbeat arrives.
  table.swap = async (...parameters) => {
    if (parameters[0] === mapKey("town")) {
      isHeldUp = true;
      await released;
    }
    return swap(...parameters);
  };
  table.put = (...parameters) => (isHeldUp ? new Promise(() => undefined) : put(...parameters));
  const split = first.node.split("0", EAST, "east").catch(() => undefined);
  await small.until(() => second.node.owns("0") && second.node.owns("east"));
  release();
  await small.settled(split);
  expect(first.node.owns("east")).toBe(false);
  expect(lost).toContain("0");
  expect((await small.settled(small.edit(gateway, [64, 1, 0, 0], 4))).status).toBe("applied");
});

test("[K25] a split that would move nothing is refused, and leaves nothing behind", async () => {
  const cluster = new SmallCluster();
  await cluster.create();
  const { node } = await cluster.node("a");
  await cluster.until(() => node.owns("0"));
  await cluster.settled(node.split("0", EAST, "east"));
  const inner = boxBetween([2, 0, 0, 0], [3, 1, 1, 1]);
  await expect(cluster.settled(node.split("0", inner, "far"))).rejects.toThrow(
    "ORT_ARGUMENT: shard 0 has nothing of this box, which belongs to east: split that shard",
  );
  expect(await cluster.folders.termOf("far")).toBeUndefined();
  expect(cluster.hub.journal(cluster.world, "far")).toBeUndefined();
  // A box of which the shard has a part is possible, and so is the same name.
  await cluster.settled(node.split("east", inner, "far"));
  const wide = boxBetween([0, -8, -8, -8], [8, 8, 8, 8]);
  await cluster.settled(node.split("0", wide, "wide"));
  expect([...node.shards.keys()].sort()).toEqual(["0", "east", "far", "wide"]);
  await expect(cluster.settled(node.split("east", inner, "more"))).rejects.toThrow("which belongs to far");
});
