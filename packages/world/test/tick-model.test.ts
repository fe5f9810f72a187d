import { box, flat, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { Prng } from "@orthant/testkit";
import { createWorld, type Step, type System } from "@orthant/world";
import { expect, test } from "vitest";

const STEPS = 400;
const KINDS = ["fall", "grow"];
/** Few voxels, so that the same ones come often, in two chunks. */
const LAYERS = [0, 1, 16];

/** The step in which each tick is due, by kind and voxel. */
type Ticks = Map<string, number>;

function keyOf(kind: string, position: Position<3>): string {
  return `${kind} ${position.join()}`;
}

/** Schedules, finds, cancels and takes ticks, in a step and in a plain map. Throws in some steps, which have no effect. */
function randomSystem(prng: Prng, model: { ticks: Ticks }): System<3> {
  return (step: Step<3>) => {
    const ticks = new Map(model.ticks);
    for (let work = prng.below(12); work > 0; work--) {
      const kind = prng.pick(KINDS);
      const position: Position<3> = [prng.below(2), 0, prng.pick(LAYERS)];
      const key = keyOf(kind, position);
      const due = ticks.get(key);
      switch (prng.below(4)) {
        case 0: {
          const taken = step.schedule.due(kind).map(({ position: at }) => keyOf(kind, at));
          const expected = [...ticks].filter(([at, when]) => at.startsWith(kind) && when <= step.number);
          expect([...taken].sort()).toEqual(expected.map(([at]) => at).sort());
          for (const at of taken) ticks.delete(at);
          break;
        }
        case 1:
          step.schedule.cancel(position, kind);
          ticks.delete(key);
          break;
        default: {
          const inSteps = 1 + prng.below(prng.pick([1, 3, 20]));
          expect(step.schedule.find(position, kind)).toBe(due && due - step.number);
          expect(step.schedule.add(position, kind, inSteps)).toBe(true);
          ticks.set(key, Math.min(due ?? Infinity, step.number + inSteps));
        }
      }
    }
    if (prng.chance(0.2)) throw new Error("no effect");
    model.ticks = ticks;
  };
}

test("ticks are those of a plain map, whatever is scheduled, cancelled, taken and undone", async () => {
  const prng = new Prng(11);
  const world = await createWorld(
    new MemoryDisk(),
    { dimensions: 3, generator: flat({}) },
    { autosave: false },
  );
  const model = { ticks: new Map<string, number>() };
  const system = randomSystem(prng, model);
  const simulation = world.simulate({ systems: { system }, isPaused: true });
  simulation.keepActive(box([0, 0, 0], [2, 1, 17]));
  await simulation.whenActive();
  let thrown = 0;
  for (let step = 0; step < STEPS; step++) {
    await simulation.advance().catch((error: Error) => {
      if (error.message !== "no effect") throw error;
      thrown++;
    });
  }
  expect(thrown).toBeGreaterThan(STEPS / 10);
  expect(model.ticks.size).toBeGreaterThan(0);
  await world.close();
});
