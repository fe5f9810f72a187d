import { box, flat, type Position, type Vector } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { CrashDisk, codeOf, explorePowerCuts, FakeTime, type Survivor } from "@orthant/testkit";
import { createWorld, openWorld, type Simulation, type Step, type System, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const MOB = 7;
const MARK = 40;
const ACTIVE = box([-8, -8, -8], [40, 24, 8]);
type Durability = "snapshot" | "journal";

function optionsOf(durability: Durability) {
  return { time: new FakeTime(), autosave: false, durability } as const;
}

async function newWorld(
  disk: Disk = new MemoryDisk(),
  durability: Durability = "snapshot",
): Promise<World<3>> {
  return createWorld(disk, { dimensions: 3, generator: flat({}) }, optionsOf(durability));
}

async function started(world: World<3>, system: System<3>): Promise<Simulation<3>> {
  const simulation = world.simulate({ systems: { system }, isPaused: true });
  simulation.keepActive(ACTIVE);
  await simulation.whenActive();
  return simulation;
}

/** Makes one step with a system that is used once, and returns what it returns. */
async function inOneStep<Result>(world: World<3>, use: (step: Step<3>) => Result): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  const simulation = await started(world, (step) => {
    result = { value: use(step) };
  });
  await simulation.advance();
  await simulation.stop();
  return (result as { readonly value: Result }).value;
}

describe("the entities of a step", () => {
  test("are those of the world, with what the step has changed so far", async () => {
    const world = await newWorld();
    const cow = world.spawnEntity({ kind: MOB, position: [1.5, 1, 1], name: "cow" });
    const pig = world.spawnEntity({ kind: MOB, position: [9, 1, 1], name: "pig" });
    await inOneStep(world, ({ entities }) => {
      const names = (found: readonly { readonly name: string }[]): readonly string[] =>
        found.map(({ name }) => name);
      expect(entities.find(cow.id)).toEqual(cow);
      const hen = entities.add({ kind: MOB, position: [3, 1, 1], name: "hen" });
      expect(names(entities.in(box([0, 0, 0], [4, 4, 4])))).toEqual(["cow", "hen"]);
      expect(entities.change(pig.id, { position: [2.5, 1, 1] })).toBe(true);
      expect(names(entities.near([3, 1, 1], 1))).toEqual(["hen", "pig"]);
      expect(names(entities.near([3, 1, 1], 60_000))).toEqual(["hen", "pig", "cow"]);
      expect(entities.remove(hen.id)).toBe(true);
      expect([entities.find(hen.id), entities.remove(hen.id)]).toEqual([undefined, false]);
      expect(names(entities.in(box([-1_000_000, -100, -100], [1_000_000, 100, 100])))).toEqual([
        "cow",
        "pig",
      ]);
    });
    expect(world.entity(pig.id)?.position).toEqual([2.5, 1, 1]);
    await world.close();
  });

  test("change all at once when the step ends, after its edits", async () => {
    const world = await newWorld();
    const cow = world.spawnEntity({ kind: MOB, position: [1, 1, 1] });
    const events: unknown[] = [];
    world.onEdit(() => events.push("edit"));
    world.onEntity((event) => events.push(event.kind === "present" ? event.entity.position : event.id));
    await inOneStep(world, ({ entities, edits }) => {
      entities.change(cow.id, { position: [2, 1, 1] });
      entities.change(cow.id, { position: [3, 1, 1] });
      edits.set([1, 1, 1], MARK);
      const gone = entities.add({ kind: MOB, position: [0, 1, 0] });
      entities.remove(gone.id);
      expect(events).toEqual([]);
    });
    expect(events).toEqual(["edit", [3, 1, 1]]);
    await inOneStep(world, ({ entities }) => entities.remove(cow.id));
    expect(events.slice(2)).toEqual([cow.id]);
    await world.close();
  });

  test("stay as they were when the step throws", async () => {
    const world = await newWorld();
    const cow = world.spawnEntity({ kind: MOB, position: [1, 1, 1] });
    const simulation = await started(world, ({ entities }) => {
      entities.change(cow.id, { position: [2, 1, 1] });
      entities.add({ kind: MOB, position: [5, 1, 1] });
      throw new RangeError("a bug");
    });
    await expect(simulation.advance()).rejects.toThrow("a bug");
    expect(await world.entitiesIn(box([0, 0, 0], [8, 8, 8]))).toEqual([cow]);
    // Its id was not used.
    expect(world.spawnEntity({ kind: MOB, position: [5, 1, 1] }).id).toBe(cow.id + 1n);
    await world.close();
  });

  test("are only those of active regions", async () => {
    const world = await newWorld();
    const far = world.spawnEntity({ kind: MOB, position: [500, 1, 1] });
    const found = await inOneStep(world, ({ entities }) => [
      entities.find(far.id),
      entities.change(far.id, { position: [0, 1, 0] }),
      entities.remove(far.id),
      ...entities.near([500, 1, 1], 9),
    ]);
    expect(found).toEqual([undefined, false, false]);
    expect(world.entity(far.id)).toEqual(far);
    await world.close();
  });

  test("are refused with wrong arguments, and after the step", async () => {
    const world = await newWorld();
    const { entities, codes } = await inOneStep(world, (step) => ({
      entities: step.entities,
      codes: [
        () => step.entities.find(1 as unknown as bigint),
        () => step.entities.near([0, 0, 0], -1),
        () => step.entities.add({ kind: MOB, position: [Number.NaN, 0, 0] }),
        () => step.entities.change(1n, { colour: 1 } as object),
      ].map(codeOf),
    }));
    expect(codes).toEqual(codes.map(() => "ORT_ARGUMENT"));
    expect(codeOf(() => entities.add({ kind: MOB, position: [0, 1, 0] }))).toBe("ORT_ARGUMENT");
    await world.close();
  });
});

const STEPS = 10;

/** A mob that goes one voxel in each step and marks where it is. Every third step another one goes on. */
const walking: System<3> = ({ entities, edits }) => {
  const [mob] = entities.in(ACTIVE);
  const step = (mob?.position[0] ?? 0) + 1;
  const position: Vector<3> = [step, 1, 1];
  edits.set([step, 1, 1], MARK, { data: { step } });
  if (mob !== undefined && step % 3 !== 0) entities.change(mob.id, { position });
  else {
    if (mob !== undefined) entities.remove(mob.id);
    entities.add({ kind: MOB, position });
  }
};

async function expectWhole(world: World<3>, step: number): Promise<void> {
  const mobs = await world.entitiesIn(ACTIVE);
  expect(mobs.map(({ position }) => position)).toEqual(step === 0 ? [] : [[step, 1, 1]]);
  const marks: readonly Position<3>[] = [
    [step, 1, 1],
    [step + 1, 1, 1],
  ];
  expect(await Promise.all(marks.map((place) => world.get(place)))).toEqual([step === 0 ? 0 : MARK, 0]);
}

test("[J38] an autosave has the entities of its last step, also those that moved only a little", async () => {
  const disk = new MemoryDisk();
  const time = new FakeTime();
  const world = await createWorld(disk, { dimensions: 3, generator: flat({}) }, { time });
  const cow = world.spawnEntity({ kind: MOB, position: [1, 1, 1] });
  await world.save();
  await inOneStep(world, ({ entities, edits }) => {
    entities.change(cow.id, { position: [2, 1, 1] });
    edits.set([2, 0, 1], MARK);
  });
  const { generation } = world;
  // Edits are saved after 5 seconds, entities that moved a little after 10.
  time.advance(6_000);
  while (world.generation === generation) await new Promise((resolve) => setImmediate(resolve));
  const copy = await openWorld(new MemoryDisk(disk.image()), { dimensions: 3, readOnly: true });
  expect(await copy.get([2, 0, 1])).toBe(MARK);
  expect(await copy.entitiesIn(ACTIVE)).toMatchObject([{ position: [2, 1, 1] }]);
  await copy.close();
  await world.close();
});

test.each<Durability>(["snapshot", "journal"])(
  "[J38] with durability %s, a power cut leaves an entity and the block that it changed in the same step",
  async (durability) => {
    const disk = new MemoryDisk();
    await (await newWorld(disk, durability)).close();
    const recorder = new CrashDisk(disk.image());
    const world = await openWorld(recorder, { dimensions: 3, ...optionsOf(durability) });
    const simulation = await started(world, walking);
    const durableAt: { readonly at: number; readonly step: number }[] = [];
    for (let step = 1; step <= STEPS; step++) {
      await simulation.advance();
      const saving = step % 4 === 0 ? world.save() : undefined;
      await saving;
      if (durability === "journal") await world.whenDurable();
      else if (saving === undefined) continue;
      durableAt.push({ at: recorder.log.length, step });
    }
    await world.close();
    const promisedAt = (cutAt: number): number => durableAt.filter(({ at }) => at <= cutAt).at(-1)?.step ?? 0;
    const seen = new Set<number>();
    const check = async ({ disk: left, cutAt }: Survivor): Promise<void> => {
      const survivor = await openWorld(left, { dimensions: 3, ...optionsOf(durability) });
      const next = await started(survivor, walking);
      const count = survivor.engine.steps.last;
      expect(count).toBeGreaterThanOrEqual(promisedAt(cutAt));
      seen.add(count);
      await expectWhole(survivor, count);
      await next.advance(STEPS + 1 - count);
      await expectWhole(survivor, STEPS + 1);
      await survivor.close();
    };
    await explorePowerCuts(recorder, { disksPerCut: 2, seed: 4 }, check, (cutAt) => `${promisedAt(cutAt)}`);
    expect(seen.size).toBe(durability === "journal" ? STEPS + 1 : 4);
  },
  120_000,
);
