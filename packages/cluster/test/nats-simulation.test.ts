import {
  type Backbone,
  ClusterNode,
  type ClusterSimulation,
  createClusterWorld,
  DiskFolders,
  ShardFolders,
} from "@orthant/cluster";
import { box, chunkShape, systemTime } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween, systemRandomBits } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { NatsCluster } from "@orthant/testkit/nats";
import type { Step } from "@orthant/world";
import { createWorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";

const TEST_MS = 120_000;
const PATIENCE_MS = 30_000;
/** Everything from the border at x = 0 on to the east. */
const EAST = boxBetween([0, -9, -9, -9], [9, 9, 9, 9]);
const SENT_MAX = 20;
const TICK = "test:tick";

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: PATIENCE_MS }).toBe(true);
}

test(
  "[K66] edits and ticks of steps cross a border between owners on a NATS server, each once",
  async () => {
    const nats = await NatsCluster.start(1);
    const backbones: Backbone[] = [];
    const nodes: ClusterNode[] = [];
    try {
      const folders = new ShardFolders(new DiskFolders(new MemoryDisk()), "town");
      const source = new MemoryDisk();
      await (await createWorldEngine(source, { name: "Town", shape: chunkShape([4, 4, 4, 1]) })).close();
      const visits = new Map<string, number>();
      let counted = 0;
      let isReady = false;
      const systems = {
        /** Sends a block with a tick to another voxel of the east in each step. A voxel in the west counts them. */
        send({ world, edits, schedule }: Step<3>): void {
          const count = world.voxelAt([-1, 1, 1]);
          if (!isReady || count === undefined || count >= SENT_MAX) return;
          edits.set([1, count & 3, count >> 2], 7, { data: { count } });
          schedule.add([1, count & 3, count >> 2], TICK, 1);
          edits.set([-1, 1, 1], count + 1);
          counted = count + 1;
        },
        /** Sees block, data and tick in the same step. */
        receive({ world, schedule }: Step<3>): void {
          for (const { position } of schedule.due(TICK)) {
            const key = JSON.stringify([position, world.voxelAt(position), world.dataAt(position)]);
            visits.set(key, (visits.get(key) ?? 0) + 1);
          }
        },
      };
      const simulations: ClusterSimulation<3>[] = [];
      for (const name of ["a", "b"]) {
        const backbone = await nats.connect();
        backbones.push(backbone);
        if (name === "a")
          await createClusterWorld({ backbone, folders, world: "town", source, random: systemRandomBits });
        const node = new ClusterNode({
          ...{ backbone, folders, time: systemTime, random: systemRandomBits },
          ...{ generators: DEFAULT_GENERATORS, world: "town", node: name },
        });
        await node.start();
        nodes.push(node);
        const simulation = node.simulate<3>({ systems, stepMs: 50 });
        simulation.keepActive(box([-16, 0, 0], [16, 8, 8]));
        simulations.push(simulation);
        if (name === "a") await until(() => node.owns("0"));
      }
      const [west, east] = nodes as [ClusterNode, ClusterNode];
      await west.split("0", EAST, "east");
      await west.move("east", "b");
      await until(() => east.owns("east"));
      isReady = true;
      await until(() => counted === SENT_MAX && visits.size === SENT_MAX);
      await until(() => west.shards.get("0")?.leavingEdits === 0);
      const expected = Array.from({ length: SENT_MAX }, (_, count) => [
        JSON.stringify([[1, count & 3, count >> 2], 7, { count }]),
        1,
      ]);
      expect([...visits].sort()).toEqual(expected.sort());
      const steps = simulations.map(({ shards }) => [...shards.values()][0]?.step ?? 0);
      expect(Math.abs((steps[0] ?? 0) - (steps[1] ?? 0))).toBeLessThanOrEqual(100);
      for (const simulation of simulations) await simulation.stop();
    } finally {
      for (const node of nodes) await node.stop();
      for (const backbone of backbones) await backbone.close();
      await nats.dispose();
    }
  },
  TEST_MS,
);
