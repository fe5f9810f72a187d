import { runProgram } from "@orthant/testkit/process";
import { expect, test } from "vitest";

// The in-memory backbone has no socket to keep the process alive, so only timers with waiting promises do.

const PREPARE = `
  import { ClusterGateway, ClusterNode, clusterNodes, createClusterWorld, DiskFolders, ShardFolders }
    from "@orthant/cluster";
  import { DEFAULT_GENERATORS } from "@orthant/core/generate";
  import { systemTime } from "@orthant/core";
import { boxBetween, systemRandomBits } from "@orthant/core/lattice";
  import { MemoryDisk } from "@orthant/disk";
  import { MemoryHub } from "@orthant/testkit/cluster";
  import { createWorldEngine } from "@orthant/world/engine";
  const hub = new MemoryHub({ time: systemTime, random: Math.random });
  const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), "town");
  const source = new MemoryDisk();
  await (await createWorldEngine(source, { name: "Town" })).close();
  await createClusterWorld({ backbone: hub.connect(), folders, world: "town", source, random: systemRandomBits });
  const nodeOf = (node, backbone = hub.connect()) => new ClusterNode({
    backbone, folders, world: "town", node,
    time: systemTime, random: systemRandomBits, generators: DEFAULT_GENERATORS,
  });
  const openGateway = () => ClusterGateway.open({
    backbone: hub.connect(), world: "town", time: systemTime, generators: DEFAULT_GENERATORS,
  });
  const edit = { kind: "voxels", placements: [{ voxel: [1, 2, 3, 0], block: 1 }] };
`;

test.each([
  [
    "edits, splits and stops",
    `
      const node = nodeOf("a");
      await node.start();
      const gateway = await openGateway();
      console.log((await gateway.world.edit(edit, { clientId: 5n, editId: 1 })).status);
      await node.split("0", boxBetween([1, 0, 0, 0], [2, 1, 1, 1]), "east");
      gateway.close();
      await node.stop();
    `,
    "applied\n",
  ],
  [
    "edits before any node owns the shard",
    `
      const gateway = await openGateway();
      const editing = gateway.world.edit(edit, { clientId: 5n, editId: 1 });
      const node = nodeOf("a");
      setTimeout(() => node.start(), 500);
      console.log((await editing).status);
      gateway.close();
      await node.stop();
    `,
    "applied\n",
  ],
  [
    "lists nodes that are long gone",
    `
      const node = nodeOf("a");
      await node.start();
      node.kill(new Error("gone"));
      const nodes = await clusterNodes(hub.connect(), "town", systemTime);
      console.log(nodes.map(({ node, isAlive }) => node + " " + isAlive).join());
    `,
    "a false\n",
  ],
  [
    "starts a node while the backbone does not answer",
    `
      const backbone = hub.connect();
      backbone.partition = "both";
      const node = nodeOf("a", backbone);
      const starting = node.start();
      setTimeout(() => { backbone.partition = "none"; }, 1_500).unref();
      await starting;
      console.log("started");
      await node.stop();
    `,
    "started\n",
  ],
])("a program that %s keeps its process alive until it is done", async (_what, program, output) => {
  expect(await runProgram(PREPARE + program)).toEqual({ exitCode: 0, output, errors: "" });
});
