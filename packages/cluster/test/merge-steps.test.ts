import { checkpointShards, mergeShards } from "@orthant/cluster";
import { box } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { Axes, boxBetween } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import { MemoryDisk } from "@orthant/disk";
import { verifySave } from "@orthant/save";
import type { Step } from "@orthant/world";
import { openWorldEngine, simulate } from "@orthant/world/engine";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const EAST = boxBetween([0, -9, -9, -9], [9, 9, 9, 9]);
const STEP_MS = 100;
const TICK = "test:tick";
const AROUND = box([-16, 0, 0], [16, 8, 8]);

test("[K70] ticks of all shards, and edits on their way, have the steps left that they had", async () => {
  const small = new SmallCluster();
  await small.create();
  const due = new Map<number, number>();
  let sentAt = 0;
  const systems = {
    plan({ world, schedule, edits, number }: Step<3>): void {
      const isWest = world.voxelAt([-5, 1, 1]) !== undefined;
      for (const [x, steps] of [
        [-5, 400],
        [5, 500],
      ] as const) {
        if (due.has(x) || world.voxelAt([x, 1, 1]) === undefined) continue;
        due.set(x, number + steps);
        schedule.add([x, 1, 1], TICK, steps);
      }
      if (!isWest || sentAt !== -1) return;
      sentAt = number;
      edits.set([7, 1, 1], 3, { data: "sent" });
      schedule.add([7, 1, 1], TICK, 9);
    },
  };
  const [a, b] = [await small.node("a"), await small.node("b")];
  const simulations = [a, b].map(({ node }) => {
    const simulation = node.simulate<3>({ systems, stepMs: STEP_MS });
    simulation.keepActive(AROUND);
    return simulation;
  });
  await small.until(() => a.node.owns("0") || b.node.owns("0"));
  const [west, east] = a.node.owns("0") ? [a, b] : [b, a];
  const [westSteps, eastSteps] = a.node.owns("0") ? simulations : [...simulations].reverse();
  await small.settled(west.node.split("0", EAST, "east"));
  await small.settled(west.node.move("east"));
  await small.until(() => east.node.owns("east") && due.size === 2);
  await small.pass(10 * STEP_MS);
  const eastStep = (): number => eastSteps?.shards.get("east")?.step ?? 0;
  const atEast = eastStep();
  await small.settled(east.node.checkpoint());
  east.node.kill(new Error("killed"));
  east.backbone.kill();
  sentAt = -1;
  await small.pass(12 * STEP_MS);
  const atWest = westSteps?.shards.get("0")?.step ?? 0;
  await small.settled(westSteps?.stop() ?? Promise.resolve());
  expect(sentAt).toBeGreaterThan(0);
  expect(atWest).toBeGreaterThan(atEast + 5);
  await small.settled(west.node.stop());
  await small.pass(10_000);
  const { time, random, folders, world } = small;
  const generators = DEFAULT_GENERATORS;
  const saved = await small.settled(
    checkpointShards({ backbone: small.hub.connect(), folders, world, time, random, generators }),
  );
  const target = new MemoryDisk();
  await mergeShards(saved, target, { nowMs: time.nowMs() });
  await small.settled(saved.release());
  expect(await verifySave(target)).toEqual([]);
  const merged = await openWorldEngine(target, { time });
  const found = new Map<number, number>();
  const start = merged.steps.last;
  const simulation = simulate<3>(merged, new Axes<3>(merged.shape), PLAIN_DATA, {
    systems: {
      note({ schedule, number }) {
        for (const { position } of schedule.due(TICK)) found.set(position[0], number - start);
      },
    },
    isPaused: true,
  });
  simulation.keepActive(AROUND);
  await simulation.whenActive();
  await simulation.advance(520);
  expect(found.get(7)).toBe(9);
  // A step may have been made between the look at its number and the save.
  expect(Math.abs((found.get(-5) ?? 0) - ((due.get(-5) ?? 0) - atWest))).toBeLessThanOrEqual(1);
  expect(Math.abs((found.get(5) ?? 0) - ((due.get(5) ?? 0) - atEast))).toBeLessThanOrEqual(1);
  expect(await merged.get([7, 1, 1, 0])).toBe(3);
  await merged.close();
});
