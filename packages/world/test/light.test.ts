import {
  box,
  chunkBox,
  chunkShape,
  DEFAULT_BLOCKS,
  defineGenerator,
  flat,
  type Position,
  uniformChunk,
} from "@orthant/core";
import type { VoxelSource } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime, Prng } from "@orthant/testkit";
import { type PlainWorld, plainLight } from "@orthant/testkit/light";
import { createWorld, openWorld, type Step, type World, type WorldOptions } from "@orthant/world";
import { describe, expect, test } from "vitest";

const STONE = DEFAULT_BLOCKS.id("stone");
const LAMP = DEFAULT_BLOCKS.id("lamp");
const FLOOR = flat({ block: STONE, top: 0, thickness: 8 });
const OPTIONS: WorldOptions<3> = { time: new FakeTime(), autosave: false };

function newWorld(disk = new MemoryDisk(), options: WorldOptions<3> = {}): Promise<World<3>> {
  return createWorld(disk, { dimensions: 3, generator: FLOOR }, { ...OPTIONS, ...options });
}

/** Reopens the world on a disk, with nothing in memory. */
function reopened(disk: MemoryDisk, options: WorldOptions<3> = {}): Promise<World<3>> {
  return openWorld(disk, { ...OPTIONS, ...options });
}

describe("the light of a world", () => {
  test("is 15 of the sky above the ground, none in it, and falls by one with each step from a lamp", async () => {
    const world = await newWorld();
    expect(await world.light([0, 0, 0])).toEqual({ sky: 15, block: 0 });
    expect(await world.light([0, -1, 0])).toEqual({ sky: 0, block: 0 });
    await world.set([0, 5, 0], LAMP);
    expect(await world.light([3, 5, 2])).toEqual({ sky: 15, block: 10 });
    expect(world.lightAt([3, 4, 2])).toEqual({ sky: 15, block: 9 });
    await world.set([0, 5, 0], 0);
    expect(world.lightAt([3, 4, 2])).toEqual({ sky: 15, block: 0 });
    await world.close();
  });

  test("is a byte for each voxel of a chunk, 16 times that of the sky plus that of blocks", async () => {
    const world = await newWorld();
    await world.set([0, 5, 0], LAMP);
    const light = await world.chunkLight([0, 0, 0]);
    expect(light.length).toBe(4_096);
    expect(light[3 + 16 * 5]).toBe(16 * 15 + 12);
    light.fill(0);
    expect(world.chunkLightAt([0, 0, 0])?.[3 + 16 * 5]).toBe(16 * 15 + 12);
    await world.close();
  });

  test("[L5] [L8] counts what was built far above, after the world is opened again too", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.light([8, 0, 8]);
    await world.fill(box([-20, 5_000, -20], [40, 5_001, 40]), STONE);
    expect(world.lightAt([8, 0, 8])).toEqual({ sky: 0, block: 0 });
    await world.fill(box([8, 5_000, 8], [9, 5_001, 9]), 0);
    expect(world.lightAt([8, 0, 8])).toEqual({ sky: 15, block: 0 });
    expect(world.lightAt([9, 0, 8])).toEqual({ sky: 14, block: 0 });
    await world.close();
    const again = await reopened(disk);
    expect(again.lightAt([9, 0, 8]), "before anything is in memory").toBeUndefined();
    expect(again.chunkLightAt([0, 0, 0])).toBeUndefined();
    expect(await again.light([9, 0, 8])).toEqual({ sky: 14, block: 0 });
    expect(again.lightAt([8, 0, 9])).toEqual({ sky: 14, block: 0 });
    await again.close();
  });

  test("reads only what can change it", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    for (let x = -40; x <= 40; x++) await world.set([64 * x, 3, 0], LAMP);
    await world.close();
    const again = await reopened(disk);
    expect(await again.light([1, 3, 0])).toEqual({ sky: 15, block: 14 });
    expect(again.hasLoadedChunks(chunkBox([40, 0, 0], [44, 4, 4]))).toBe(false);
    const loaded = Array.from({ length: 81 }, (_, x) => again.voxelAt([64 * (x - 40), 3, 0]));
    expect(loaded.filter((block) => block !== undefined).length).toBeLessThan(5);
    await again.close();
  });

  test("follows the catalog and the generator", async () => {
    const world = await newWorld();
    await world.set([0, 5, 0], LAMP);
    expect((await world.light([0, 6, 0])).block).toBe(14);
    await world.changeBlock("lamp", { light: 5 });
    expect(world.lightAt([0, 6, 0])?.block).toBe(4);
    expect((await world.light([200, 2, 0])).sky).toBe(15);
    await world.changeGenerator(flat({ block: STONE, top: 10, thickness: 8 }));
    expect((await world.light([200, 2, 0])).sky).toBe(0);
    await world.close();
  });

  test("is that of its moment in a snapshot", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.set([0, 5, 0], LAMP);
    const snapshot = world.snapshot();
    await world.set([0, 5, 0], 0);
    await world.fill(box([-30, 900, -30], [30, 901, 30]), STONE);
    expect(await snapshot.light([0, 6, 0])).toEqual({ sky: 15, block: 14 });
    expect(snapshot.lightAt([1, 6, 0])).toEqual({ sky: 15, block: 13 });
    expect((await snapshot.chunkLight([0, 0, 0]))[16 * 6]).toBe(16 * 15 + 14);
    expect(snapshot.chunkLightAt([0, 0, 0])?.[16 * 6]).toBe(16 * 15 + 14);
    expect(await world.light([0, 6, 0])).toEqual({ sky: 0, block: 0 });
    await snapshot.close();
    await world.close();
    const again = await reopened(disk);
    const second = again.snapshot();
    expect(second.lightAt([0, 6, 0])).toBeUndefined();
    await again.fill(box([-30, 900, -30], [30, 901, 30]), 0);
    expect(await second.light([0, 6, 0])).toEqual({ sky: 0, block: 0 });
    expect(await again.light([0, 6, 0])).toEqual({ sky: 15, block: 0 });
    await second.close();
    await again.close();
  });

  test("waits for an asynchronous generator, also above", async () => {
    const slow = defineGenerator({ id: "light:slow", version: 1, dimensions: 3, open: () => () => 0 });
    const { ref } = slow({ seed: 1n });
    /** Stone below 0, and a roof far above the western half. */
    const generator = {
      ...slow.generator,
      open: (_parameters: unknown, _seed: bigint, { volume }: { readonly volume: number }): VoxelSource => ({
        isAsynchronous: true,
        skyAbove: 320,
        repeatedIn: () => undefined,
        realize: async (x, y) => uniformChunk(volume, y < 0 || (y === 18 && x < 0) ? STONE : 0),
        contentBounds: (chunks) => chunks,
      }),
    };
    const world = await createWorld(
      new MemoryDisk(),
      { dimensions: 3, generator: { ref, generator } },
      OPTIONS,
    );
    expect(world.lightAt([0, 0, 0])).toBeUndefined();
    expect(await world.light([0, 0, 0])).toEqual({ sky: 15, block: 0 });
    expect(await world.light([-4, 0, 0])).toEqual({ sky: 11, block: 0 });
    await world.close();
  });

  test("is refused for wrong positions and by a closed world", async () => {
    const world = await newWorld();
    for (const wrong of [[0, 0], [0, 0.5, 0], "here", undefined]) {
      await expect(world.light(wrong as never)).rejects.toThrow(/position/);
      expect(() => world.lightAt(wrong as never)).toThrow(/position/);
      await expect(world.chunkLight(wrong as never)).rejects.toThrow(/chunkPosition/);
      expect(() => world.chunkLightAt(wrong as never)).toThrow(/chunkPosition/);
    }
    await world.close();
    await expect(world.light([0, 0, 0])).rejects.toThrow(/ORT_CLOSED/);
  });

  test("equals that of a plain model after random edits in little memory, after each opening", async () => {
    const prng = new Prng(11);
    const disk = new MemoryDisk();
    const shape = chunkShape([8, 8, 8]);
    const blocks = new Map<string, number>();
    const blockAt: PlainWorld["blockAt"] = (x, y, z) =>
      blocks.get(`${x},${y},${z}`) ?? (y < 0 && y >= -8 ? STONE : 0);
    const little: WorldOptions<3> = { ...OPTIONS, loadedBytesMax: 20_000 };
    let world = await createWorld(disk, { dimensions: 3, generator: FLOOR, chunkShape: shape }, little);
    for (let round = 0; round < 12; round++) {
      for (let edit = 0; edit < 20; edit++) {
        const position: Position<3> = [prng.between(-40, 40), prng.between(-10, 90), prng.between(-40, 40)];
        const block = prng.pick([0, STONE, STONE, LAMP]);
        const end: Position<3> = [
          position[0] + prng.below(12),
          position[1] + 1,
          position[2] + prng.below(12),
        ];
        for (let x = position[0]; x < end[0]; x++)
          for (let z = position[2]; z < end[2]; z++) blocks.set(`${x},${position[1]},${z}`, block);
        if (end[0] > position[0] && end[2] > position[2]) await world.fill(box(position, end), block);
        if (prng.below(4) === 0) await world.light([prng.between(-40, 40), prng.between(-10, 90), 0]);
      }
      if (prng.below(2) === 0) await world.save();
      if (prng.below(6) === 0) {
        await world.close();
        world = await reopened(disk, little);
      }
      const chunk: Position<3> = [prng.between(-4, 4), prng.between(-2, 4), prng.between(-4, 4)];
      const [x, y, z] = chunk.map((coordinate) => 8 * coordinate) as [number, number, number];
      const plain = { shape, catalog: DEFAULT_BLOCKS, skyAbove: 0, ceiling: 100, blockAt };
      const wanted = plainLight(plain, { min: [x, y, z, 0], max: [x + 8, y + 8, z + 8, 1] });
      const at = world.chunkLightAt(chunk);
      if (at !== undefined) expect(at, `round ${round}, at once`).toEqual(wanted);
      expect(await world.chunkLight(chunk), `round ${round}`).toEqual(wanted);
    }
    await world.close();
  });
});

describe("the light that a step sees", () => {
  /** Returns what `ask` returns in each of some steps. */
  async function inSteps<Result>(
    world: World<3>,
    steps: number,
    ask: (step: Step<3>) => Result,
    active = box([0, 0, 0], [16, 16, 16]),
  ): Promise<readonly Result[]> {
    const results: Result[] = [];
    const simulation = world.simulate({
      systems: { ask: (step) => void results.push(ask(step)) },
      isPaused: true,
    });
    simulation.keepActive(active);
    await simulation.whenActive();
    await simulation.advance(steps);
    await simulation.stop();
    return results;
  }

  test("is that before the step", async () => {
    const world = await newWorld();
    const seen = await inSteps(world, 2, ({ world: { lightAt }, edits }) => {
      edits.set([3, 5, 3], LAMP);
      return lightAt([4, 5, 3])?.block;
    });
    expect(seen).toEqual([0, 14]);
    await world.close();
  });

  test("[L10] is known where all that is in reach of the light is in reach of the step", async () => {
    const world = await newWorld();
    // The region of the active box, and those around it, are in reach: from -64 to 127.
    const [seen] = await inSteps(world, 1, ({ world: { lightAt } }) =>
      [-49, -48, 111, 112].map((x) => lightAt([x, 1, 1])?.sky),
    );
    expect(seen).toEqual([undefined, 15, 15, undefined]);
    await world.close();
  });

  test("[L10] does not depend on what else is in memory", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.fill(box([-30, 1_000, -30], [60, 1_001, 60]), STONE);
    await world.fill(box([-30, 60, -30], [4, 61, 60]), STONE);
    const ask = ({ world: { lightAt } }: Step<3>): readonly unknown[] =>
      [1, 4, 9].map((x) => lightAt([x, 20, 8])?.sky);
    expect((await world.light([9, 20, 8])).sky).toBe(0);
    const [inMemory] = await inSteps(world, 1, ask);
    expect(inMemory).toEqual([12, 15, 15]);
    await world.close();
    const again = await reopened(disk);
    expect((await inSteps(again, 1, ask))[0]).toEqual(inMemory);
    await again.close();
  });

  test("[L10] follows what comes into reach and goes", async () => {
    const world = await newWorld();
    await world.fill(box([-30, 150, -30], [60, 151, 60]), STONE);
    const results: unknown[] = [];
    const ask = ({ world: { lightAt } }: Step<3>): void => void results.push(lightAt([8, 20, 8])?.sky);
    const simulation = world.simulate({ systems: { ask }, isPaused: true });
    simulation.keepActive(box([0, 0, 0], [16, 16, 16]));
    await simulation.whenActive();
    await simulation.advance();
    const release = simulation.keepActive(box([0, 128, 0], [16, 144, 16]));
    await simulation.whenActive();
    await simulation.advance();
    release();
    await simulation.whenActive();
    await simulation.advance();
    await simulation.stop();
    expect(results).toEqual([15, 0, 15]);
    await world.close();
  });

  test("is over with the step", async () => {
    const world = await newWorld();
    const [step] = await inSteps(world, 1, (kept) => kept);
    expect(() => step?.world.lightAt([0, 1, 0])).toThrow(/is over/);
    await world.close();
  });
});
