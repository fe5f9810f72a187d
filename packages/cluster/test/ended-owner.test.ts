import { transferAddress } from "@orthant/cluster/internal";
import type { Position } from "@orthant/core";
import { sleep } from "@orthant/core/time";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const VOXEL: Position = [1, 2, 3, 0];

test("an owner that an edit ends while it begins to answer gives its shard up, and the next one takes the edit", async () => {
  const small = new SmallCluster();
  await small.create();
  const losses: string[] = [];
  const { node, backbone, started } = small.startNode("a", {
    onLost: (shard, error) => losses.push(`${shard}: ${error}`),
  });
  const respond = backbone.respond.bind(backbone);
  // It answers edits already when its journal is lost, and waits to answer other shards.
  backbone.respond = async (address, answer) => {
    if (address === transferAddress(small.world, "0", 1)) {
      small.hub.loseJournal(small.world, "0");
      await sleep(small.time, 2_000);
    }
    return respond(address, answer);
  };
  await small.settled(started);
  const { gateway } = await small.gateway();
  const editing = small.edit(gateway, VOXEL, 7);
  await small.until(() => losses.length > 0);
  expect(losses.join()).toContain("0: OrthantError: ORT_JOURNAL");
  expect((await small.settled(editing)).status).toBe("applied");
  expect(node.shards.get("0")?.term).toBe(2);
});
