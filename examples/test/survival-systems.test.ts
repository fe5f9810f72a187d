import { MemoryDisk } from "@orthant/disk";
import {
  AIR,
  type BlockCatalog,
  box,
  createWorld,
  openWorld,
  type Position,
  type SeededGenerator,
  type System,
  type VoxelBox,
  type World,
} from "orthant";
import { describe, expect, test } from "vitest";

type Blocks = Readonly<Record<"SAND" | "WATER" | "TURF" | "DIRT" | "PLANK" | "FURNACE" | "LEVELS", number>>;
interface Land extends Blocks {
  readonly BLOCKS: BlockCatalog;
  hills(parameters: { readonly seed: bigint }): SeededGenerator;
  isWater(block: number): boolean;
}

const SURVIVAL = new URL("../survival/", import.meta.url);

async function load<Module>(name: string): Promise<Module> {
  return (await import(new URL(name, SURVIVAL).href)) as Module;
}

const { BLOCKS, hills, isWater, ...blocks } = await load<Land>("land.mjs");
const { sand } = await load<{ sand: System<3> }>("sand.mjs");
const { water } = await load<{ water: System<3> }>("water.mjs");
const { grass } = await load<{ grass: System<3> }>("grass.mjs");
const { furnace, SMELT_STEPS } = await load<{ furnace: System<3>; SMELT_STEPS: number }>("furnace.mjs");

const ACTIVE = box([-16, -8, -16], [16, 40, 16]);
const options = { autosave: false } as const;

async function newWorld(disk = new MemoryDisk()): Promise<World<3>> {
  const generator = hills({ seed: 7n });
  return createWorld(disk, { dimensions: 3, generator, blocks: BLOCKS }, options);
}

/** Simulates a world for some steps. `begin` is called in the first step of the world. */
async function simulate(
  world: World<3>,
  system: System<3>,
  begin: System<3>,
  steps: number,
  active = ACTIVE,
): Promise<void> {
  const first: System<3> = (step) => {
    if (step.number === 1) begin(step);
  };
  const simulation = world.simulate({ systems: { first, system }, isPaused: true });
  simulation.keepActive(active);
  await simulation.whenActive();
  await simulation.advance(steps);
  await simulation.stop();
}

/** Returns the height of the first voxel of air above the ground. */
async function groundAt(world: World<3>, x: number, z: number): Promise<number> {
  let y = 40;
  while ((await world.get([x, y - 1, z])) === AIR) y--;
  return y;
}

describe("the systems of the survival example", () => {
  test("let a column of sand fall to the ground", async () => {
    const world = await newWorld();
    const ground = await groundAt(world, 3, 3);
    await simulate(
      world,
      sand,
      ({ edits, schedule }) => {
        for (const y of [30, 31, 33]) {
          edits.set([3, y, 3], blocks.SAND);
          schedule.add([3, y, 3], "fall", 1);
        }
      },
      60,
    );
    const column = await Promise.all([0, 1, 2, 3].map((above) => world.get([3, ground + above, 3])));
    expect(column).toEqual([blocks.SAND, blocks.SAND, blocks.SAND, AIR]);
    await world.close();
  });

  test("let water flow down until it rests", async () => {
    const world = await newWorld();
    const spring: Position<3> = [0, (await groundAt(world, 0, 0)) + 2, 0];
    const pour: System<3> = ({ edits, schedule }) => {
      edits.set(spring, blocks.WATER);
      schedule.add(spring, "flow", 1);
    };
    await simulate(world, water, pour, 200);
    const wet: Position<3>[] = [];
    for (let x = -16; x < 16; x++)
      for (let y = -8; y < 40; y++)
        for (let z = -16; z < 16; z++) if (isWater(await world.get([x, y, z]))) wet.push([x, y, z]);
    expect(wet.length).toBeGreaterThan(20);
    // Water that rests has something below it.
    for (const [x, y, z] of wet) expect(await world.get([x, y - 1, z])).not.toBe(AIR);
    // It has come to rest: nothing changes any more.
    world.onEdit(() => expect.unreachable("water flows after 200 steps"));
    await simulate(world, water, () => undefined, 50);
    await world.close();
  });

  test("let lambs appear on lit grass until the flock is complete, and none in the dark", async () => {
    const { lambs, FLOCK, MEADOW } = await load<{
      lambs: System<3>;
      FLOCK: number;
      MEADOW: VoxelBox<3>;
    }>("animals.mjs");
    const count = async (build: System<3>): Promise<number> => {
      const world = await newWorld();
      // The first step builds; the light is that of the next one.
      await simulate(world, lambs, build, 20 * (FLOCK + 2), MEADOW);
      const { length } = await world.entitiesIn(MEADOW);
      await world.close();
      return length;
    };
    expect(await count(() => undefined)).toBe(FLOCK);
    const roof: System<3> = ({ edits }) => {
      for (let x = -90; x < 90; x++) for (let z = -90; z < 90; z++) edits.set([x, 30, z], blocks.PLANK);
    };
    expect(await count(roof)).toBe(0);
  });

  test("let grass spread in the light, and die in the dark", async () => {
    const world = await newWorld();
    const heights = new Map<string, number>();
    for (let x = 8; x < 16; x++)
      for (let z = 8; z < 16; z++) heights.set(`${x},${z}`, (await groundAt(world, x, z)) - 1);
    const places = [...heights].map(([key, y]): Position<3> => {
      const [x = 0, z = 0] = key.split(",").map(Number);
      return [x, y, z];
    });
    const roofed = places.filter(([x]) => x < 12);
    const open = places.filter(([x]) => x >= 12);
    const plant: System<3> = ({ edits }) => {
      for (const place of open) edits.set(place, blocks.DIRT);
      for (const [x, y, z] of roofed) edits.set([x, y + 1, z], blocks.PLANK);
    };
    // Forty times as many voxels are drawn as in the game.
    const soon: System<3> = (step) => grass({ ...step, drawVoxels: (count) => step.drawVoxels(40 * count) });
    const least = Math.min(...heights.values());
    await simulate(world, soon, plant, 150, box([8, least, 8], [16, least + 1, 16]));
    const count = async (of: readonly Position<3>[], block: number): Promise<number> =>
      (await Promise.all(of.map((place) => world.get(place)))).filter((found) => found === block).length;
    expect(await count(open, blocks.TURF)).toBeGreaterThan(3);
    expect(await count(roofed, blocks.DIRT)).toBeGreaterThan(3);
    await world.close();
  });

  test("let a furnace go on where it was when its world is opened again", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    const place: Position<3> = [2, 30, 2];
    const light: System<3> = ({ edits, schedule }) => {
      edits.set(place, blocks.FURNACE, { data: { sand: 2, plank: 5 } });
      schedule.add(place, "smelt", SMELT_STEPS);
    };
    await simulate(world, furnace, light, SMELT_STEPS + 10);
    expect(await world.data(place)).toEqual({ sand: 1, glass: 1, plank: 5 });
    await world.close();
    const again = await openWorld(disk, { dimensions: 3, generators: [hills as never], ...options });
    await simulate(again, furnace, light, SMELT_STEPS - 10);
    expect(await again.data(place)).toEqual({ sand: 1, glass: 1, plank: 5 });
    await simulate(again, furnace, light, 1);
    expect(await again.data(place)).toEqual({ sand: 0, glass: 2, plank: 5 });
    await simulate(again, furnace, light, SMELT_STEPS * 2);
    expect(await again.data(place)).toEqual({ sand: 0, glass: 2, plank: 5 });
    await again.close();
  });
});
