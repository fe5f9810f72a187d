import type { ClusterGateway, ClusterNode, OwnerLimits } from "@orthant/cluster";
import type { ErrorCode } from "@orthant/core";
import { boxAt } from "@orthant/core/lattice";
import { codeOfRejection } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const VOXEL = [1, 1, 1, 0] as const;

/** A node and what it reports. */
interface Watched {
  readonly node: ClusterNode;
  readonly reports: string[];
}

async function watchedNode(
  small: SmallCluster,
  name: string,
  limits?: Partial<OwnerLimits>,
): Promise<Watched> {
  const reports: string[] = [];
  const events = {
    onClaimed: (shard: string) => reports.push(`claimed ${shard}`),
    onLost: (shard: string, error: unknown) => reports.push(`lost ${shard}: ${error}`),
    onFailure: (shard: string, error: unknown) => reports.push(`could not claim ${shard}: ${error}`),
    onSaveFailure: (shard: string, error: unknown) =>
      reports.push(error === undefined ? `saves ${shard}` : `cannot save ${shard}: ${error}`),
  };
  const { node } = await small.node(name, events, 1_000, limits);
  return { node, reports };
}

async function ownedCluster(limits?: Partial<OwnerLimits>): Promise<
  Watched & {
    readonly small: SmallCluster;
    readonly gateway: ClusterGateway;
    readonly build: (block: number) => Promise<{ readonly status: string }>;
  }
> {
  const small = new SmallCluster();
  await small.create();
  const watched = await watchedNode(small, "a", limits);
  await small.until(() => watched.node.owns("0"));
  const { gateway } = await small.gateway();
  const build = (block: number): ReturnType<typeof small.edit> =>
    small.settled(small.edit(gateway, VOXEL, block));
  await build(1);
  await small.until(() => watched.node.shards.get("0")?.unsavedRecords === 0);
  return { small, gateway, build, ...watched };
}

async function blockAt(small: SmallCluster): Promise<number> {
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(boxAt([0, 0, 0, 0])));
  return gateway.world.state.voxelAt(...VOXEL);
}

test.each<ErrorCode>(["ORT_DISK_FULL", "ORT_DISK_DENIED", "ORT_DISK_IO"])(
  "[K48] an owner whose saves fail with %s keeps its shard, accepts edits, and saves them later",
  async (code) => {
    const { small, node, reports, build } = await ownedCluster();
    small.disk.refusal = code;
    for (let block = 2; block < 12; block++) {
      expect(await build(block)).toMatchObject({ status: "applied" });
      await small.pass(1_000);
    }
    const { unsavedRecords, saveFailure } = node.shards.get("0") ?? {};
    expect(unsavedRecords).toBe(10);
    expect(saveFailure).toMatchObject({ code });
    expect(await codeOfRejection(small.settled(node.checkpoint()))).toBe(code);
    small.disk.refusal = undefined;
    await small.until(() => node.shards.get("0")?.unsavedRecords === 0);
    expect(node.shards.get("0")?.saveFailure).toBeUndefined();
    expect(reports.at(1)).toContain(`cannot save 0: OrthantError: ${code}: no room for town/shards/0/e1/`);
    expect(reports, "one report of a failure that lasts").toHaveLength(3);
    expect([reports[0], reports[2]]).toEqual(["claimed 0", "saves 0"]);
    node.kill(new Error("killed"));
    const next = await watchedNode(small, "b");
    await small.until(() => next.node.owns("0"));
    expect(await blockAt(small)).toBe(11);
  },
);

test("[K48] another node can claim a shard while the shared folder is full", async () => {
  const { small, node, build } = await ownedCluster();
  small.disk.refusal = "ORT_DISK_FULL";
  await build(7);
  await small.pass(3_000);
  node.kill(new Error("killed"));
  const next = await watchedNode(small, "b");
  await small.until(() => next.node.owns("0"));
  expect(next.reports.join("\n")).toMatch(/^cannot save 0: .*ORT_DISK_FULL.*\nclaimed 0$/);
  expect(await blockAt(small)).toBe(7);
  expect(await build(8)).toMatchObject({ status: "applied" });
  small.disk.refusal = undefined;
  await small.until(() => next.node.shards.get("0")?.unsavedRecords === 0);
  expect(await blockAt(small)).toBe(8);
});

test("[K48] an owner keeps its shard while the shared folder is away", async () => {
  const { small, node, reports, build } = await ownedCluster();
  small.disk.isAway = true;
  expect(await build(7)).toMatchObject({ status: "applied" });
  await small.pass(10_000);
  expect(node.owns("0")).toBe(true);
  expect(reports.join("\n")).toContain("town/shards/0 is not in the shared folder: is the folder mounted?");
  small.disk.isAway = false;
  await small.until(() => node.shards.get("0")?.unsavedRecords === 0);
  expect(reports.at(-1)).toBe("saves 0");
});

test("a shard that cannot be saved is not moved", async () => {
  const { small, node, build } = await ownedCluster();
  const other = await watchedNode(small, "b");
  small.disk.refusal = "ORT_DISK_FULL";
  await build(7);
  expect(await codeOfRejection(small.settled(node.move("0", "b")))).toBe("ORT_DISK_FULL");
  expect([node.owns("0"), other.node.owns("0")]).toEqual([true, false]);
  expect(await build(8)).toMatchObject({ status: "applied" });
  small.disk.refusal = undefined;
  await small.settled(node.move("0", "b"));
  await small.until(() => other.node.owns("0"));
  expect(await blockAt(small)).toBe(8);
});

test("edits end at the limit of unsaved edits, and go on after the next save", async () => {
  const { small, node, build } = await ownedCluster({ journalBytesMax: 1_000 });
  small.disk.refusal = "ORT_DISK_FULL";
  const codes: string[] = [];
  for (let edit = 0; edit < 40; edit++) codes.push(await codeOfRejection(build(2 + (edit % 8))));
  expect([...new Set(codes)]).toEqual(["no error", "ORT_JOURNAL_FULL"]);
  small.disk.refusal = undefined;
  await small.until(() => node.shards.get("0")?.unsavedRecords === 0);
  expect(await build(3)).toMatchObject({ status: "applied" });
});
