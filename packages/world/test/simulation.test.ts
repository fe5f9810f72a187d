import { box, flat, type Position } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorld, openWorld, type Simulation, type System, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const SAND = 5;
const DURABILITIES = ["snapshot", "journal"] as const;
type Durability = (typeof DURABILITIES)[number];

function optionsOf(durability: Durability = "snapshot") {
  return { time: new FakeTime(), autosave: false, durability } as const;
}

async function newWorld(
  disk: Disk = new MemoryDisk(),
  durability: Durability = "snapshot",
): Promise<World<3>> {
  return createWorld(disk, { dimensions: 3, generator: flat({}) }, optionsOf(durability));
}

const below = ([x, y, z]: Position<3>): Position<3> => [x, y - 1, z];

/** Sand that falls one voxel in each step. */
const fallingSand: System<3> = ({ world, edits, schedule }) => {
  for (const { position } of schedule.due("fall")) {
    if (world.voxelAt(position) !== SAND || world.voxelAt(below(position)) !== 0) continue;
    edits.move(position, below(position));
    schedule.add(below(position), "fall", 1);
  }
};

/** Drops sand at a place in the first step of a simulation. */
function dropping(...places: readonly Position<3>[]): System<3> {
  let isDropped = false;
  return ({ edits, schedule }) => {
    if (isDropped) return;
    isDropped = true;
    for (const place of places) {
      edits.set(place, SAND);
      schedule.add(place, "fall", 1);
    }
  };
}

async function started(
  world: World<3>,
  systems: Readonly<Record<string, System<3>>>,
): Promise<Simulation<3>> {
  const simulation = world.simulate({ systems, isPaused: true });
  simulation.keepActive(box([-8, -8, -8], [8, 48, 8]));
  await simulation.whenActive();
  return simulation;
}

describe("a simulation", () => {
  test("lets sand fall, also in a column, until it lies on the ground", async () => {
    const world = await newWorld();
    const simulation = await started(world, {
      drop: dropping([1, 30, 1], [1, 31, 1], [1, 32, 1]),
      sand: fallingSand,
    });
    await simulation.advance(60);
    const ground = await world.get([1, -1, 1]);
    expect(ground).not.toBe(0);
    expect(await Promise.all([0, 1, 2, 3].map((y) => world.get([1, y, 1])))).toEqual([SAND, SAND, SAND, 0]);
    expect(simulation.step).toBe(60);
    await world.close();
  });
});

describe.each(DURABILITIES)("a simulated world with durability %s", (durability) => {
  test("continues with the next step, and with its ticks, when it is opened again", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, durability);
    const simulation = await started(world, { drop: dropping([1, 30, 1]), sand: fallingSand });
    await simulation.advance(11);
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, ...optionsOf(durability) });
    expect(await again.get([1, 20, 1])).toBe(SAND);
    const next = await started(again, { sand: fallingSand });
    expect(next.step).toBe(11);
    await next.advance(3);
    expect(await again.get([1, 17, 1])).toBe(SAND);
    await again.close();
  });

  test("loses nothing that a journal has when the process dies", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, durability);
    const simulation = await started(world, { drop: dropping([1, 30, 1]), sand: fallingSand });
    await world.save();
    await simulation.advance(11);
    if (durability === "journal") await world.engine.whenDurable();
    const copy = new MemoryDisk(disk.image());
    const again = await openWorld(copy, { dimensions: 3, ...optionsOf(durability) });
    const next = await started(again, { sand: fallingSand });
    const steps = durability === "journal" ? 11 : 0;
    expect(next.step).toBe(steps);
    await next.advance(14 - steps);
    expect(await again.get([1, 17, 1])).toBe(durability === "journal" ? SAND : 0);
    await again.close();
    await world.close();
  });
});
