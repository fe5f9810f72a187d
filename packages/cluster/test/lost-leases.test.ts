import { heartbeatCodec, heartbeatKey, leaseCodec, leaseKey } from "@orthant/cluster/internal";
import { encode } from "@orthant/core/bytes";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const HEARTBEAT_MS = 400;
const LEASE = { node: "ghost", term: 3, successor: "" };

/** Starts a node in a cluster where another one lives that holds the lease, and does not know it. */
async function besideGhost() {
  const cluster = new SmallCluster();
  await cluster.create();
  const { hub, time, world } = cluster;
  let count = 0;
  const beat = (): void => {
    const heartbeat = { count: ++count, shards: 0, isLeaving: false, mark: 9n, since: 1 };
    hub.table.put(heartbeatKey(world, LEASE.node), encode(heartbeatCodec, heartbeat));
    hub.announce();
    time.after(HEARTBEAT_MS, beat);
  };
  const writeLease = (): void => {
    hub.table.put(leaseKey(world, "0"), encode(leaseCodec, LEASE));
    hub.announce();
  };
  beat();
  writeLease();
  return { cluster, writeLease, ...(await cluster.node("a")) };
}

test("[K69] a lease that was lost with the table expires after 10 seconds unless its owner writes it again", async () => {
  const { cluster, node } = await besideGhost();
  await cluster.pass(30_000);
  expect(node.owns("0")).toBe(false);
  cluster.hub.table.lose();
  expect(await cluster.until(() => node.owns("0"))).toBeGreaterThan(9_000);
});

test("[K69] a lease that is written again in time goes on to count", async () => {
  const { cluster, node, writeLease } = await besideGhost();
  for (let loss = 0; loss < 4; loss++) {
    cluster.hub.table.lose();
    await cluster.pass(8_000);
    writeLease();
    await cluster.pass(2_000);
  }
  expect(node.owns("0")).toBe(false);
});
