import { box, flat, type Position, type TimeSource, type Vector, type VoxelBox } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { verifySave } from "@orthant/save";
import {
  CrashDisk,
  codeOf,
  codeOfRejection,
  explorePowerCuts,
  FakeTime,
  type Survivor,
} from "@orthant/testkit";
import { createWorld, openWorld, type Simulation, type Step, type System, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";
import { pouring, WATER, water } from "./water.ts";

const SAND = 5;
const DURABILITIES = ["snapshot", "journal"] as const;
type Durability = (typeof DURABILITIES)[number];

function optionsOf(durability: Durability = "snapshot", time = new FakeTime()) {
  return { time, autosave: false, durability } as const;
}

async function newWorld(disk: Disk = new MemoryDisk(), options = optionsOf()): Promise<World<3>> {
  return createWorld(disk, { dimensions: 3, generator: flat({}) }, options);
}

const ACTIVE = box([-8, -8, -8], [8, 48, 8]);
const below = ([x, y, z]: Position<3>): Position<3> => [x, y - 1, z];

/** Sand that falls one voxel in each step. */
const fallingSand: System<3> = ({ world, edits, schedule }) => {
  for (const { position } of schedule.due("fall")) {
    if (world.voxelAt(position) !== SAND || world.voxelAt(below(position)) !== 0) continue;
    edits.move(position, below(position));
    schedule.add(below(position), "fall", 1);
  }
};

/** Drops sand in the first step of a world. */
function dropping(...places: readonly Position<3>[]): System<3> {
  return ({ number, edits, schedule }) => {
    if (number !== 1) return;
    for (const place of places) {
      edits.set(place, SAND, { data: { of: "desert" } });
      schedule.add(place, "fall", 1);
    }
  };
}

async function started(
  world: World<3>,
  systems: Readonly<Record<string, System<3>>>,
  active: VoxelBox<3> = ACTIVE,
): Promise<Simulation<3>> {
  const simulation = world.simulate({ systems, isPaused: true });
  simulation.keepActive(active);
  await simulation.whenActive();
  return simulation;
}

/** Makes one step with a system that is used once, and returns what it returns. */
async function inOneStep<Result>(world: World<3>, use: (step: Step<3>) => Result): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  const simulation = await started(world, {
    once: (step) => {
      result = { value: use(step) };
    },
  });
  await simulation.advance();
  await simulation.stop();
  return (result as { readonly value: Result }).value;
}

describe("a step", () => {
  test("sees its own edits, and applies them all at once", async () => {
    const world = await newWorld();
    const edits: number[] = [];
    world.onEdit(({ count }) => edits.push(count));
    const seen = await inOneStep(world, ({ world: reader, edits: made }) => {
      made.set([1, 5, 1], SAND, { data: [1, 2] });
      made.move([1, 5, 1], [1, 6, 1]);
      made.setData([2, -1, 2], "sign");
      return [
        reader.voxelAt([1, 5, 1]),
        reader.voxelAt([1, 6, 1]),
        reader.dataAt([1, 6, 1]),
        reader.dataAt([2, -1, 2]),
      ];
    });
    expect(seen).toEqual([0, SAND, [1, 2], "sign"]);
    expect(edits).toEqual([2]);
    expect([await world.get([1, 6, 1]), await world.data([1, 6, 1])]).toEqual([SAND, [1, 2]]);
    await world.close();
  });

  test("reads and edits nothing far from what is active", async () => {
    const world = await newWorld();
    const results = await inOneStep(world, ({ world: reader, edits }) => [
      reader.voxelAt([5_000, 0, 0]),
      edits.set([5_000, 0, 0], SAND),
      edits.setData([5_000, 0, 0], 1),
      edits.move([0, -1, 0], [5_000, 0, 0]),
    ]);
    expect(results).toEqual([undefined, false, false, false]);
    expect(await world.get([5_000, 0, 0])).toBe(0);
    expect(await world.get([0, -1, 0])).not.toBe(0);
    await world.close();
  });

  test("schedules nothing far from what is active, so that saved chunks stay as they are", async () => {
    const disk = new MemoryDisk();
    const first = await newWorld(disk);
    await first.set([5_000, 0, 0], SAND);
    await first.close();
    const world = await openWorld(disk, { dimensions: 3, ...optionsOf() });
    expect(await inOneStep(world, ({ schedule }) => schedule.add([5_001, 0, 0], "fall", 1))).toBe(false);
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, ...optionsOf() });
    expect(await again.get([5_000, 0, 0])).toBe(SAND);
    await again.close();
  });

  test("keeps a block that moves to where it is", async () => {
    const world = await newWorld();
    await inOneStep(world, ({ edits }) => {
      edits.set([1, 5, 1], SAND, { data: 7 });
      edits.move([1, 5, 1], [1, 5, 1]);
    });
    expect([await world.get([1, 5, 1]), await world.data([1, 5, 1])]).toEqual([SAND, 7]);
    await world.close();
  });

  test("is of no use after its systems have returned", async () => {
    const world = await newWorld();
    const kept = await inOneStep(world, (step) => step);
    expect(codeOf(() => kept.world.voxelAt([0, 0, 0]))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => kept.edits.set([0, 0, 0], SAND))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => kept.schedule.add([0, 0, 0], "fall", 1))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => kept.schedule.due("fall"))).toBe("ORT_ARGUMENT");
    const waiting = await started(world, {
      late: (async ({ edits }: Step<3>) => {
        edits.set([1, 5, 1], SAND);
      }) as System<3>,
    });
    await expect(waiting.advance()).rejects.toThrow("system late returned a promise");
    expect(await world.get([1, 5, 1])).toBe(0);
    await waiting.stop();
    // Not only a Promise can be awaited.
    for (const awaitable of [{}, () => undefined]) {
      // biome-ignore lint/suspicious/noThenProperty: that such an object is refused is what is tested.
      Object.defineProperty(awaitable, "then", { value: () => undefined });
      const thenable = await started(world, { lazy: (() => awaitable) as unknown as System<3> });
      await expect(thenable.advance()).rejects.toThrow("system lazy returned a promise");
      await thenable.stop();
    }
    await world.close();
  });

  test("a step that throws has no effect, pauses the simulation and can be made again", async () => {
    const world = await newWorld();
    let throws = true;
    const simulation = await started(world, {
      drop: dropping([1, 20, 1]),
      sand: fallingSand,
      bug: ({ number }) => {
        if (number === 3 && throws) throw new RangeError("a bug");
      },
    });
    await expect(simulation.advance(5)).rejects.toThrow("a bug");
    expect(simulation.step).toBe(2);
    expect(await world.get([1, 19, 1])).toBe(SAND);
    throws = false;
    await simulation.advance(3);
    expect(await world.get([1, 16, 1])).toBe(SAND);
    await world.close();
  });

  test("has at most one tick of a kind for a voxel, and the earlier one stays", async () => {
    const world = await newWorld();
    const due: [number, string, Position<3>][] = [];
    const simulation = await started(world, {
      plan: ({ number, schedule }) => {
        if (number !== 1) return;
        schedule.add([1, 1, 1], "a", 3);
        schedule.add([1, 1, 1], "a", 2);
        schedule.add([1, 1, 1], "a", 9);
        schedule.add([1, 1, 1], "b", 2);
        schedule.add([2, 1, 1], "b", 2);
        schedule.add([-3, 1, 1], "b", 2);
        schedule.add([4, 1, 1], "c", 2);
        schedule.cancel([4, 1, 1], "c");
        expect(schedule.find([1, 1, 1], "a")).toBe(2);
        expect(schedule.find([4, 1, 1], "c")).toBe(undefined);
      },
      collect: ({ number, schedule }) => {
        for (const kind of ["a", "b", "c"])
          for (const { position } of schedule.due(kind)) due.push([number, kind, position]);
        expect(schedule.due("a")).toEqual([]);
      },
    });
    await simulation.advance(12);
    expect(due).toEqual([
      [3, "a", [1, 1, 1]],
      [3, "b", [-3, 1, 1]],
      [3, "b", [1, 1, 1]],
      [3, "b", [2, 1, 1]],
    ]);
    await world.close();
  });

  test("leaves ticks due until a system takes them", async () => {
    const world = await newWorld();
    const taken: number[] = [];
    const simulation = await started(world, {
      plan: ({ number, schedule }) => {
        if (number === 1) schedule.add([1, 1, 1], "a", 1);
      },
      rarely: ({ number, schedule }) => {
        if (number % 5 === 0) for (const _tick of schedule.due("a")) taken.push(number);
      },
    });
    await simulation.advance(11);
    expect(taken).toEqual([5]);
    await world.close();
  });

  test("draws the same voxels in every run, in all active chunks and only there", async () => {
    const drawn: (readonly Position<3>[])[] = [];
    for (let run = 0; run < 2; run++) {
      const world = await newWorld();
      drawn.push(await inOneStep(world, (step) => step.drawVoxels(2)));
      await world.close();
    }
    const [once, again] = drawn;
    expect(once).toEqual(again);
    // The active box reaches into 8 regions of 64 chunks.
    expect(once).toHaveLength(8 * 64 * 2);
    expect(new Set(once?.map(String)).size).toBeGreaterThan(1_000);
    for (const [x, y, z] of once ?? [])
      for (const coordinate of [x, y, z]) expect(Math.abs(coordinate + 0.5)).toBeLessThan(64);
  });

  test("refuses wrong arguments, and more ticks than a chunk may have", async () => {
    const world = await newWorld();
    const codes = await inOneStep(world, ({ world: reader, edits, schedule, drawVoxels }) => {
      const wrong: readonly (() => unknown)[] = [
        () => reader.voxelAt([1.5, 0, 0]),
        () => edits.set([0, 0, 0], -1),
        () => edits.setData([0, 0, 0], undefined),
        () => schedule.add([0, 0, 0], "no spaces", 1),
        () => schedule.add([0, 0, 0], "a", 0),
        () => drawVoxels(-1),
      ];
      return wrong.map(codeOf);
    });
    expect(codes).toEqual(codes.map(() => "ORT_ARGUMENT"));
    const added = await inOneStep(world, ({ schedule }) => [
      ...Array.from({ length: 65 }, (_, kind) => schedule.add([0, 0, 0], `kind-${kind}`, 1)),
      schedule.add([0, 0, 0], "kind-0", 1),
      schedule.add([1, 0, 0], "kind-0", 1),
    ]);
    expect(added).toEqual([...Array<boolean>(64).fill(true), false, true, true]);
    const manyAdded = await inOneStep(world, ({ schedule }) => {
      let count = 0;
      for (let index = 0; index < 16 ** 3; index++)
        for (const kind of ["kind-0", "kind-1", "kind-2"])
          if (schedule.add([16 + (index & 15), (index >> 4) & 15, index >> 8], kind, 1)) count++;
      return count;
    });
    expect(manyAdded).toBe(8_192);
    await world.close();
  });
});

describe("a simulation", () => {
  test("lets a column of sand fall until it lies on the ground", async () => {
    const world = await newWorld();
    const places = [30, 31, 32].map((y): Position<3> => [1, y, 1]);
    const simulation = await started(world, { drop: dropping(...places), sand: fallingSand });
    await simulation.advance(60);
    expect(await world.get([1, -1, 1])).not.toBe(0);
    expect(await Promise.all([0, 1, 2, 3].map((y) => world.get([1, y, 1])))).toEqual([SAND, SAND, SAND, 0]);
    expect(await world.data([1, 2, 1])).toEqual({ of: "desert" });
    expect(simulation.statistics).toMatchObject({ steps: 60, skipped: 0 });
    await world.close();
  });

  test("leaves ticks waiting where nothing is active, and goes on when something is", async () => {
    const world = await newWorld();
    const simulation = world.simulate({
      systems: { drop: dropping([1, 30, 1]), sand: fallingSand },
      isPaused: true,
    });
    const release = simulation.keepActive(ACTIVE);
    await simulation.whenActive();
    await simulation.advance(6);
    release();
    await simulation.advance(20);
    expect(await world.get([1, 25, 1])).toBe(SAND);
    simulation.keepActive(ACTIVE);
    await simulation.whenActive();
    await simulation.advance(5);
    expect(await world.get([1, 20, 1])).toBe(SAND);
    await world.close();
  });

  test("keeps its pace, and skips what it is late for", async () => {
    const time = new FakeTime();
    const world = await newWorld(new MemoryDisk(), optionsOf("snapshot", time));
    const simulation = world.simulate({ systems: {}, stepMs: 100 });
    for (let passed = 0; passed < 1_000; passed += 50) await pass(time, 50);
    expect(simulation.step).toBe(10);
    await pass(time, 1_000);
    expect(simulation.step).toBe(11);
    for (let passed = 0; passed < 500; passed += 50) await pass(time, 50);
    expect(simulation.step).toBe(16);
    expect(simulation.statistics).toMatchObject({ steps: 16, skipped: 9 });
    await simulation.pause();
    await pass(time, 500);
    expect(simulation.step).toBe(16);
    simulation.resume();
    await pass(time, 100);
    expect(simulation.step).toBe(17);
    await simulation.stop();
    await world.close();
  });

  test("is active near players, but not where a player can be and no voxel", async () => {
    const world = await newWorld();
    let position: Vector = [40, 2, 40, 0];
    world.engine.steps.addPlayers(() => [{ playerId: 1n, position }]);
    const seen: unknown[] = [];
    const simulation = world.simulate({
      systems: {
        look: ({ world: reader, players }) => seen.push(reader.voxelAt([40, 2, 40]), players[0]?.position),
      },
      isPaused: true,
      activeRadius: 8,
    });
    await simulation.whenActive();
    await simulation.advance();
    expect(seen).toEqual([0, [40, 2, 40]]);
    for (const far of [2 ** 34, 2 ** 35 - 1, -(2 ** 40), 2 ** 47, 1e300]) {
      position = [far, 0, -far, 0];
      await simulation.whenActive();
      await simulation.advance();
    }
    expect(simulation.step).toBe(6);
    expect(seen.at(-1)).toBe(undefined);
    await world.close();
  });

  test("is the only one of its world, and ends with it", async () => {
    const world = await newWorld();
    const simulation = world.simulate({ systems: {}, isPaused: true });
    expect(codeOf(() => world.simulate({ systems: {} }))).toBe("ORT_ARGUMENT");
    await simulation.stop();
    const second = world.simulate({ systems: {}, isPaused: true });
    await world.close();
    expect(await codeOfRejection(second.advance())).toBe("ORT_CLOSED");
    expect(codeOf(() => world.simulate({ systems: {} }))).toBe("ORT_CLOSED");
  });

  test("reports what a system throws", async () => {
    const time = new FakeTime();
    const world = await newWorld(new MemoryDisk(), optionsOf("snapshot", time));
    const reports: unknown[] = [];
    const simulation = world.simulate({
      systems: {
        bug: () => {
          throw new RangeError("a bug");
        },
      },
      onError: (error, system) => reports.push(String(error), system),
    });
    await pass(time, 50);
    await pass(time, 50);
    expect(reports).toEqual(["RangeError: a bug", "bug"]);
    expect(simulation.isPaused).toBe(true);
    await world.close();
  });
});

async function pass(time: FakeTime, ms: number): Promise<void> {
  time.advance(ms);
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(DURABILITIES)("a simulated world with durability %s", (durability) => {
  const options = optionsOf(durability);

  test("[S145] continues with the next step, and with its ticks, when it is opened again", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, options);
    const simulation = await started(world, { drop: dropping([1, 30, 1]), sand: fallingSand });
    await simulation.advance(11);
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, ...options });
    expect(await again.get([1, 20, 1])).toBe(SAND);
    // An edit beside a tick leaves the tick alone, also when it is saved.
    await again.set([2, 20, 1], 3);
    await again.close();
    const third = await openWorld(disk, { dimensions: 3, ...options });
    const next = await started(third, { sand: fallingSand });
    expect(next.step).toBe(11);
    await next.advance(3);
    expect(await third.get([1, 17, 1])).toBe(SAND);
    await third.close();
    expect((await verifySave(disk)).filter(({ severity }) => severity !== "notice")).toEqual([]);
  });

  test("keeps the ticks of chunks that were never edited", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, options);
    await inOneStep(world, ({ schedule }) => schedule.add([1, 40, 1], "later", 5));
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, ...options });
    const found = await inOneStep(again, ({ schedule }) => schedule.find([1, 40, 1], "later"));
    expect(found).toBe(4);
    await again.close();
  });

  test("[J38] settles to the same water after a power cut at any operation", async () => {
    const steps = 24;
    const systems = { pour: pouring([0, 6, 0], [5, 3, 5]), water };
    const calm = await newWorld();
    const undisturbed = await started(calm, systems);
    // After each step, from 0 on.
    const expected = [waterOf(calm)];
    for (let step = 1; step <= steps; step++) {
      await undisturbed.advance();
      expected.push(waterOf(calm));
    }
    expect(expected.at(-1)?.length).toBeGreaterThan(60);
    await calm.close();

    const disk = new MemoryDisk();
    await (await newWorld(disk, options)).close();
    const recorder = new CrashDisk(disk.image());
    const world = await openWorld(recorder, { dimensions: 3, ...options });
    const simulation = await started(world, systems);
    const durableAt: { readonly at: number; readonly step: number }[] = [];
    for (let step = 1; step <= 12; step++) {
      await simulation.advance();
      if (durability === "journal") await world.whenDurable();
      else if (step % 4 === 0) await world.save();
      else continue;
      durableAt.push({ at: recorder.log.length, step });
    }
    await world.close();
    const seen = new Set<number>();
    const promisedAt = (cutAt: number): number => durableAt.filter(({ at }) => at <= cutAt).at(-1)?.step ?? 0;
    const check = async ({ disk: left, cutAt }: Survivor): Promise<void> => {
      const survivor = await openWorld(left, { dimensions: 3, ...options });
      const next = await started(survivor, systems);
      const count = survivor.engine.steps.last;
      // Steps that changed nothing are not stored.
      expect(waterOf(survivor)).toEqual(expected[count]);
      if (count < promisedAt(cutAt)) expect(expected[count]).toEqual(expected[promisedAt(cutAt)]);
      seen.add(count);
      await next.advance(steps - count);
      expect(waterOf(survivor)).toEqual(expected.at(-1));
      await survivor.close();
    };
    await explorePowerCuts(recorder, { disksPerCut: 2, seed: 3 }, check, (cutAt) => `${promisedAt(cutAt)}`);
    expect(seen.size).toBe(durability === "journal" ? 8 : 4);
  }, 240_000);
});

/** Returns all water, as text. */
function waterOf({ engine: { state } }: World<3>): readonly string[] {
  const found: string[] = [];
  for (let x = -8; x < 16; x++)
    for (let y = -1; y < 10; y++)
      for (let z = -8; z < 16; z++) {
        const block = state.voxelAt(x, y, z, 0);
        if (block >= WATER) found.push(`${x},${y},${z}: ${block}`);
      }
  return found;
}

test("a simulation goes on at its pace when the clock is set back", async () => {
  const time = new FakeTime(10_000_000);
  let offsetMs = 0;
  const clock: TimeSource = {
    nowMs: () => time.nowMs() + offsetMs,
    after: (ms, call) => time.after(ms, call),
    wait: (ms, call) => time.wait(ms, call),
  };
  const world = await createWorld(
    new MemoryDisk(),
    { dimensions: 3, generator: flat({}) },
    { time: clock, autosave: false },
  );
  const simulation = world.simulate({ systems: {}, stepMs: 50 });
  for (let turn = 0; turn < 20; turn++) await pass(time, 50);
  const before = simulation.step;
  expect(before).toBeGreaterThan(15);
  offsetMs = -3_600_000;
  for (let turn = 0; turn < 20; turn++) await pass(time, 50);
  expect(simulation.step - before).toBeGreaterThan(15);
  expect(simulation.step - before).toBeLessThan(22);
  await simulation.stop();
  await world.close();
});

describe("touch", () => {
  const origin = { clientId: 7n, editId: 1, playerId: 5n };
  const UNDER: Position<3> = [0, 20, 0];

  async function withSand(touch: Readonly<Record<string, number>>, systems = { fallingSand }) {
    const world = await newWorld();
    await world.set(UNDER, 9);
    await world.set([0, 21, 0], SAND);
    const simulation = world.simulate({ systems, touch, isPaused: true });
    simulation.keepActive(ACTIVE);
    await simulation.whenActive();
    return { world, simulation };
  }

  const dig = (world: World<3>): Promise<unknown> =>
    world.engine.edit([{ voxel: [...UNDER, 0], block: 0 }], { origin });

  test("schedules ticks beside what a player edits, and not beside what the program edits", async () => {
    const { world, simulation } = await withSand({ fall: 2 });
    await world.set([0, 19, 1], 9);
    await simulation.advance(4);
    expect(world.voxelAt([0, 21, 0])).toBe(SAND);
    await dig(world);
    await simulation.advance(2);
    expect([world.voxelAt([0, 21, 0]), world.voxelAt(UNDER)]).toEqual([SAND, 0]);
    await simulation.advance();
    expect([world.voxelAt([0, 21, 0]), world.voxelAt(UNDER)]).toEqual([0, SAND]);
    await simulation.stop();
    await world.close();
  });

  test("does so in the next step that is made", async () => {
    let isBroken = true;
    const broken: System<3> = (step) => {
      if (isBroken) throw new Error("a bug in the game");
      fallingSand(step);
    };
    const { world, simulation } = await withSand({ fall: 1 }, { fallingSand: broken });
    await dig(world);
    await expect(simulation.advance()).rejects.toThrow("a bug in the game");
    isBroken = false;
    await simulation.advance(2);
    expect([world.voxelAt([0, 21, 0]), world.voxelAt(UNDER)]).toEqual([0, SAND]);
    await simulation.stop();
    await dig(world);
    await world.close();
  });

  test.each([
    [{ fall: 0 }, "touch.fall is 0"],
    [{ "": 1 }, "kind is"],
    [7, "touch is 7"],
  ])("is refused if it is %j", async (touch, message) => {
    const world = await newWorld();
    expect(() => world.simulate({ systems: {}, touch: touch as never })).toThrow(message);
    await world.close();
  });
});
