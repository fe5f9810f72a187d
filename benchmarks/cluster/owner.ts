import { ClusterNode, DiskFolders, FIRST_SHARD, ShardFolders } from "@orthant/cluster";
import { connectNats } from "@orthant/cluster/nats";
import { systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { systemRandomBits } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { endWithParent } from "../child.ts";
import type { OwnerReport, OwnerSettings } from "./nats-cluster-run.ts";

// The process of an owner: the only one, which owns the whole world.

const { servers, world, folder } = JSON.parse(process.argv[2] ?? "{}") as OwnerSettings;
const node = new ClusterNode({
  ...{ backbone: await connectNats({ servers, credentials: TEST_CREDENTIALS }), world, node: "owner" },
  ...{ time: systemTime, random: systemRandomBits, generators: DEFAULT_GENERATORS },
  folders: new ShardFolders(new DiskFolders(new NodeDisk(folder)), world),
});
await node.start();

endWithParent();
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ isOwner: node.owns(FIRST_SHARD), cpuUs: user + system } satisfies OwnerReport);
});
