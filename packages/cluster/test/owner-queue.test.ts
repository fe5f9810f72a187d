import { ClusterDirectory, OwnerQueue } from "@orthant/cluster/internal";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

test("[K19] an edit that was sent to another owner before goes ahead of later ones of its client", async () => {
  const small = new SmallCluster();
  await small.create();
  const backbone = small.hub.connect();
  const directory = await small.settled(ClusterDirectory.open(backbone, small.world));
  const sent: number[][] = [];
  const queue = new OwnerQueue<number>({
    ...{ backbone, directory, time: small.time, world: small.world },
    batchMax: 2,
    shardOf: () => "0",
    inOrder: (edits) => [...edits].sort((a, b) => a - b),
    async send(edits) {
      sent.push([...edits]);
      if (sent.length > 1) return [];
      // While the first request is on its way, later edits arrive; the answer says that edit 1 is split.
      for (const later of [3, 4, 5]) queue.add(later);
      queue.addAgain(2);
      return [];
    },
  });
  queue.add(1);
  await small.pass(1_000);
  expect(sent).toEqual([[1], [2, 3], [4, 5]]);
  queue.close();
  await small.settled(backbone.close());
});
