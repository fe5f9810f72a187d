import { box, flat, type Position, type Vector, type VoxelBox } from "@orthant/core";
import { CHUNK_DATA_BYTES_MAX } from "@orthant/core/chunk";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { codeOf, FakeTime } from "@orthant/testkit";
import {
  createWorld,
  openWorld,
  type Simulation,
  type SimulationOptions,
  type Step,
  type System,
  type World,
} from "@orthant/world";
import { describe, expect, test } from "vitest";

const SAND = 5;
const ACTIVE = box([0, 0, 0], [16, 16, 16]);
/** Two regions from the active one. */
const FAR: Position<3> = [150, 3, 3];
/** Beside the active region. */
const BESIDE: Position<3> = [100, 3, 3];

function newWorld(disk: Disk = new MemoryDisk()): Promise<World<3>> {
  const options = { time: new FakeTime(), autosave: false };
  return createWorld(disk, { dimensions: 3, generator: flat({}) }, options);
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

/** Makes one step, and returns what `use` returns in it. */
async function inOneStep<Result>(world: World<3>, use: (step: Step<3>) => Result): Promise<Result> {
  const results: Result[] = [];
  const simulation = await started(world, { once: (step) => void results.push(use(step)) });
  await simulation.advance();
  await simulation.stop();
  return results[0] as Result;
}

/** Everything that a step can do with a voxel and an entity. */
function tryAll({ world, edits, schedule, entities }: Step<3>, place: Position<3>): readonly unknown[] {
  const results = [
    world.voxelAt(place),
    world.dataAt(place),
    schedule.find(place, "saved"),
    edits.set(place, SAND),
    edits.setData(place, 7),
    edits.move([0, -1, 0], place),
    edits.move(place, [0, 9, 0]),
    schedule.add(place, "fall", 1),
    entities.in(box(place, [place[0] + 1, place[1] + 1, place[2] + 1])).length,
    entities.near(place, 2).length,
  ];
  schedule.cancel(place, "saved");
  return results;
}

describe("a step reaches only active regions and those around them", () => {
  /** A world on whose disk two places have a block with data, a tick and an entity. */
  async function prepared(): Promise<MemoryDisk> {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    for (const place of [FAR, BESIDE]) {
      const next = await started(
        world,
        {
          prepare: ({ edits, schedule }) => {
            edits.set(place, 9, { data: "chest" });
            schedule.add(place, "saved", 1_000);
          },
        },
        box(place, [place[0] + 1, place[1] + 1, place[2] + 1]),
      );
      await next.advance();
      await next.stop();
      world.spawnEntity({ kind: 1, position: place });
    }
    await world.close();
    return disk;
  }

  test.each([
    ["nothing was read before", async () => undefined],
    ["both places were read before", (world: World<3>) => Promise.all([world.get(FAR), world.get(BESIDE)])],
    ["entities were read before", (world: World<3>) => world.entitiesIn(box([-300, -9, -9], [300, 9, 9]))],
  ])(
    "a step reaches only active regions and those around them, whatever is in memory: %s",
    async (_, before) => {
      const world = await openWorld(await prepared(), {
        dimensions: 3,
        time: new FakeTime(),
        autosave: false,
      });
      await before(world);
      const { far, beside } = await inOneStep(world, (step) => ({
        far: tryAll(step, FAR),
        beside: tryAll(step, BESIDE),
      }));
      const nothing = [undefined, undefined, undefined, false, false, false, false, false, 0, 0];
      expect(far).toEqual(nothing);
      expect(beside.slice(0, 8)).toEqual([9, "chest", 999, true, true, true, true, true]);
      expect(beside.slice(8)).toEqual([0, 0]);
      expect([await world.get(FAR), await world.data(FAR)]).toEqual([9, "chest"]);
      // Its tick was not cancelled either.
      const there = await started(
        world,
        { look: ({ schedule }) => void found.push(schedule.find(FAR, "saved")) },
        {
          ...box(FAR, [151, 4, 4]),
        },
      );
      const found: unknown[] = [];
      await there.advance();
      expect(found).toEqual([expect.any(Number)]);
      await world.close();
    },
  );
});

describe("active regions", () => {
  test("stay in memory under memory pressure, so that their ticks go on", async () => {
    const disk = new MemoryDisk();
    await (await newWorld(disk)).close();
    const world = await openWorld(disk, {
      dimensions: 3,
      time: new FakeTime(),
      autosave: false,
      loadedBytesMax: 4_096,
    });
    const ticked: number[] = [];
    const simulation = await started(world, {
      clock: ({ number, world: reader, edits, schedule }) => {
        if (number === 1) schedule.add([1, 1, 1], "tick", 1);
        for (const { position } of schedule.due("tick")) {
          ticked.push(number);
          expect(reader.voxelAt(BESIDE)).toBe(0);
          edits.set(position, number);
          schedule.add(position, "tick", 1);
        }
      },
    });
    for (let round = 1; round <= 6; round++) {
      await simulation.advance();
      // Nothing is unsaved, so that only being kept holds a region in memory.
      await world.save();
      for (let far = 1; far <= 12; far++) await world.set([round * 20_000 + far * 500, 0, 0], SAND);
      await world.save();
    }
    expect(ticked).toEqual([2, 3, 4, 5, 6]);
    await world.close();
  });

  test("active regions of a game and around a player are limited before any is listed", async () => {
    const world = await newWorld();
    const simulate = (options: Partial<SimulationOptions<3>>) =>
      world.simulate({ systems: {}, isPaused: true, ...options });
    const startMs = performance.now();
    expect(() => simulate({ activeRadius: 4_096 })).toThrow(
      /^ORT_LIMIT: 2146689 active regions .*activeRadius is 4096.* exceed the limit of 16384: choose a smaller radius$/,
    );
    const simulation = simulate({ activeRadius: 512 });
    const huge = box([0, 0, 0], [4_000, 4_000, 4_000]);
    expect(() => simulation.keepActive(huge)).toThrow(
      /^ORT_LIMIT: 250047 regions in voxels .* exceed the limit/,
    );
    const most = box([-(2 ** 31), -(2 ** 31), -(2 ** 31)], [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1]);
    expect(codeOf(() => simulation.keepActive(most))).toBe("ORT_LIMIT");
    // Many boxes count together, and a released one no more.
    const half = box([0, 0, 0], [1_280, 1_280, 1_280]);
    const release = simulation.keepActive(half);
    simulation.keepActive(half);
    expect(codeOf(() => simulation.keepActive(half))).toBe("ORT_LIMIT");
    release();
    simulation.keepActive(half);
    expect(performance.now() - startMs).toBeLessThan(1_000);
    await world.close();
  });

  test("are added in slices, between which timers and other work get their turn", async () => {
    const world = await newWorld();
    const simulation = world.simulate({ systems: {}, isPaused: true });
    simulation.keepActive(box([0, 0, 0], [768, 768, 768]));
    let turns = 0;
    let isActive = false;
    const whenActive = simulation.whenActive().then(() => {
      isActive = true;
    });
    while (!isActive) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    await whenActive;
    // 1,728 regions of which 64 are added at once.
    expect(turns).toBeGreaterThanOrEqual(27);
    await simulation.advance();
    await simulation.stop();
    await world.close();
  });

  test("near players are chosen again when a choice of many regions is complete", async () => {
    const world = await newWorld();
    let position: Vector = [0, 0, 0, 0];
    world.engine.steps.addPlayers(() => [{ playerId: 1n, position }]);
    const seen: (number | undefined)[] = [];
    const simulation = world.simulate({
      systems: { look: ({ world: reader }) => void seen.push(reader.voxelAt([9_000, 1, 0])) },
      isPaused: true,
      activeRadius: 200,
    });
    const first = simulation.whenActive();
    position = [9_000, 0, 0, 0];
    const second = simulation.whenActive();
    await Promise.all([first, second]);
    await simulation.advance();
    expect(seen).toEqual([0]);
    await world.close();
  });
});

describe("data in a step", () => {
  const BIG = "x".repeat(30_000);
  const FITTING = Math.floor(CHUNK_DATA_BYTES_MAX / (BIG.length + 16));

  test("is refused if it does not fit into its chunk, and the step goes on", async () => {
    const world = await newWorld();
    const results = await inOneStep(world, ({ edits, world: reader }) => {
      const places = Array.from({ length: FITTING + 1 }, (_, x): Position<3> => [x, 1, 0]);
      const set = places.map((place) => edits.set(place, SAND, { data: BIG }));
      const last = places.at(-1) as Position<3>;
      return [
        ...set,
        edits.setData(last, BIG),
        reader.voxelAt(last),
        // Less fits, also in place of something else, and so does moving.
        edits.setData([0, 1, 0], "small"),
        edits.move([1, 1, 0], [1, 2, 0]),
        edits.set(last, SAND, { data: BIG }),
        edits.set([15, 1, 0], SAND, { data: BIG }),
        reader.voxelAt([15, 1, 0]),
      ];
    });
    const fitting = Array<boolean>(FITTING).fill(true);
    expect(results).toEqual([...fitting, false, false, 0, true, true, true, false, 0]);
    expect(await world.data([1, 2, 0])).toBe(BIG);
    expect(await world.data([FITTING, 1, 0])).toBe(BIG);
    await world.close();
  });

  test("data that cannot move into a full chunk stays where it is", async () => {
    const world = await newWorld();
    await inOneStep(world, ({ edits }) => {
      for (let x = 0; x < FITTING; x++) edits.set([x, 1, 0], SAND, { data: BIG });
      edits.set([16, 1, 0], SAND, { data: BIG });
    });
    expect(await inOneStep(world, ({ edits }) => edits.move([16, 1, 0], [9, 1, 0]))).toBe(false);
    expect([await world.get([16, 1, 0]), await world.data([16, 1, 0])]).toEqual([SAND, BIG]);
    expect([await world.get([9, 1, 0]), await world.data([9, 1, 0])]).toEqual([0, undefined]);
    await world.close();
  });

  test("can be changed many times in a chunk that is almost full", async () => {
    const world = await newWorld();
    const isDone = await inOneStep(world, ({ edits }) => {
      for (let x = 0; x < FITTING; x++) edits.set([x, 1, 0], SAND, { data: BIG });
      let isRight = true;
      for (let round = 0; round < 2_000; round++)
        isRight = edits.setData([round % FITTING, 1, 0], BIG) && isRight;
      return isRight;
    });
    expect(isDone).toBe(true);
    await world.close();
  });
});

test("a place beyond all voxels has no entities near it", async () => {
  const world = await newWorld();
  const places: readonly Vector<3>[] = [
    [-(2 ** 53), 11, 0],
    [2 ** 53, -(2 ** 60), 0],
    [1e300, 0, -1e300],
    [2 ** 35, 0, 0],
    [-(2 ** 35), 0, 0],
  ];
  const found = await inOneStep(world, ({ entities }) => places.flatMap((place) => entities.near(place, 9)));
  expect(found).toEqual([]);
  await world.close();
});
