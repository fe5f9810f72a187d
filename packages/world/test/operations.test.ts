import { box, defineGenerator, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createWorld, openWorld, type World } from "@orthant/world";
import { describe, expect, test } from "vitest";

const SITE = box([0, 0, 0], [4, 4, 4]);

async function emptyWorld(disk = new MemoryDisk()): Promise<World<3>> {
  return createWorld(disk, { dimensions: 3 }, { autosave: false });
}

describe("world.apply", () => {
  test("counts the chunks that a line touches, and those alone are read", async () => {
    const world = await emptyWorld();
    const drawn = await world.apply("line 0,0,0 999,999,999 stone");
    expect(drawn.count).toBe(1_000);
    expect(await world.get([999, 999, 999])).toBe(world.blocks.id("stone"));
    const undone = await drawn.undo();
    expect([undone.count, (await undone.undo()).count]).toEqual([1_000, 1_000]);
    await expect(world.apply("curve 0,0,0 9999,9999,9999 0,9999,0 stone 20")).rejects.toThrow(
      "voxels under a pen",
    );
    await expect(world.apply("line 0,0,0 1300000,1300000,1300000 stone")).rejects.toThrow(
      "chunks of an operation",
    );
  });

  test("takes values and texts, and its undo and redo count what they change", async () => {
    const world = await emptyWorld();
    expect(await world.apply({ set: "stone", in: SITE })).toMatchObject({
      status: "applied",
      count: 64,
      box: SITE,
    });
    expect(await world.apply("set stone", { in: SITE })).toMatchObject({ status: "unchanged", count: 0 });
    const { undo } = await world.apply("hollow", { in: SITE });
    expect([...(await world.countBlocks(SITE))]).toEqual([
      [0, 8],
      [1, 56],
    ]);
    await world.set([1, 1, 1], world.blocks.id("lamp"));
    const undone = await undo();
    expect(undone.count).toBe(7);
    expect(await world.get([1, 1, 1])).toBe(world.blocks.id("lamp"));
    expect((await undone.undo()).count).toBe(7);
    await world.close();
  });

  test("tells what a dry run would change, and changes nothing", async () => {
    const world = await emptyWorld();
    const planned = await world.apply("set stone", { in: SITE, dryRun: true });
    expect(planned).toMatchObject({ status: "planned", count: 64, box: SITE });
    expect((await planned.undo()).status).toBe("unchanged");
    expect(await world.get([0, 0, 0])).toBe(0);
    await world.close();
  });

  test("changes nothing when it is cancelled", async () => {
    const world = await emptyWorld();
    const cancel = new AbortController();
    const doing = world.apply("set stone", {
      in: box([0, 0, 0], [256, 64, 256]),
      signal: cancel.signal,
      onProgress: () => cancel.abort(new Error("no more")),
    });
    await expect(doing).rejects.toThrow("no more");
    expect((await world.countBlocks(SITE, "stone")).size).toBe(0);
    await world.close();
  });

  test("is seen by listeners as one edit, and is there after a crash with a journal", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, { durability: "journal", autosave: false });
    const seen: number[] = [];
    world.onEdit(({ count }) => seen.push(count));
    await world.apply("set 50%stone,50%sand", { in: box([0, 0, 0], [40, 40, 40]) });
    expect(seen).toEqual([64_000]);
    const survivor = await openWorld(new MemoryDisk(disk.image()), { dimensions: 3 });
    const counts = [...(await survivor.countBlocks(box([0, 0, 0], [40, 40, 40]))).values()];
    expect(counts.reduce((sum, count) => sum + count)).toBe(64_000);
    expect(Math.abs((counts[0] as number) - 32_000)).toBeLessThan(1_000);
    await survivor.close();
    await world.close();
  });

  test("moves data with its voxel, and a clipboard turns properties", async () => {
    const world = await emptyWorld();
    const { chest } = await world.defineBlocks({
      chest: { colour: 0x8b5a2b, properties: { facing: ["north", "east", "south", "west"] } },
    });
    await world.set([0, 0, 0], chest.id({ facing: "east" }), { data: { apples: 3 } });
    await world.apply("move 0,2,0", { in: SITE });
    expect([await world.get([0, 0, 0]), await world.data([0, 2, 0])]).toEqual([0, { apples: 3 }]);
    const copied = await world.clipboard(box([0, 2, 0], [2, 3, 1]));
    await world.apply({ paste: copied.rotate("xz", 1), at: [10, 0, 0] });
    expect(await world.get([10, 0, 0])).toBe(chest.id({ facing: "south" }));
    expect(await world.data([10, 0, 0])).toEqual({ apples: 3 });
    await world.apply({ paste: copied.mirror("x"), at: [20, 0, 0] });
    expect(await world.get([21, 0, 0])).toBe(chest.id({ facing: "west" }));
    const fourTimes = copied.rotate("xz", 1).rotate("xz", 1).rotate("xz", 2);
    expect(fourTimes.content).toEqual(copied.content);
    await world.close();
  });

  test("has a function of the game choose blocks, and a generator make them again", async () => {
    const ground = defineGenerator({
      id: "test:ground",
      version: 1,
      dimensions: 3,
      open: () => (_x: number, y: number) => (y < 2 ? 1 : 0),
    });
    const options = { autosave: false, generators: [ground] };
    const world = await createWorld(
      new MemoryDisk(),
      { dimensions: 3, generator: ground({ seed: 1n }) },
      options,
    );
    const stripes = ([x]: Position<3>, block: number): number => (x % 2 === 0 ? 3 : block);
    expect(await world.apply({ set: stripes, in: SITE })).toMatchObject({ count: 32 });
    expect(await world.apply("regenerate", { in: SITE })).toMatchObject({ count: 32 });
    expect([...(await world.countBlocks(SITE)).values()]).toEqual([32, 32]);
    await world.close();
  });

  test("smooths a step into a slope, and what lies on the ground stays on it", async () => {
    const world = await emptyWorld();
    await world.apply("set stone in box(-8,0,-8,8,4,8)");
    await world.apply("set stone in box(0,4,-8,8,10,8)");
    await world.apply("overlay snow in box(-8,0,-8,8,16,8)");
    await world.apply("smooth 8 in box(-8,0,-8,8,16,8)");
    const heights: number[] = [];
    for (let x = -8; x < 8; x++) {
      let y = 15;
      while ((await world.get([x, y, 0])) === 0) y--;
      heights.push(y);
      expect(await world.get([x, y, 0])).toBe(world.blocks.id("snow"));
    }
    expect(heights).toEqual([...heights].sort((a, b) => a - b));
    expect(Math.max(...heights.slice(1).map((height, at) => height - (heights[at] as number)))).toBeLessThan(
      3,
    );
    await world.close();
  });

  test.each<[what: string, call: (world: World<3>) => Promise<unknown>, message: RegExp]>([
    [
      "without a selection",
      (world) => world.apply("set stone"),
      /operation\.in is undefined; it says which voxels/,
    ],
    [
      "with two selections",
      (world) => world.apply({ set: "stone", in: SITE }, { in: SITE }),
      /options\.in is .*; the operation itself says where/,
    ],
    [
      "whose function returns no block",
      (world) => world.apply({ set: () => 70_000 }, { in: SITE }),
      /what the function of the operation returns is 70000/,
    ],
    [
      "with a pen of too many voxels",
      (world) => world.apply("line 0,0,0 1,0,0 stone 65535"),
      /ORT_LIMIT: \d+ voxels under a pen exceed the limit of 16777216/,
    ],
    [
      "with an unknown block",
      (world) => world.apply("set stome", { in: SITE }),
      /"stome".*the nearest is "stone"/,
    ],
    [
      "with an unknown tag",
      (world) => world.apply("drain #wet", { in: SITE }),
      /a tag in the mask of the operation is "wet"/,
    ],
    [
      "over too many chunks",
      (world) => world.apply("set stone in box(0,0,0,9999,9999,9999)"),
      /ORT_LIMIT: \d+ chunks of an operation exceed the limit of 65536/,
    ],
    [
      "over too many connected voxels",
      (world) => world.apply("set stone in connected(0,0,0,air,1000)"),
      /ORT_LIMIT: 1001 connected voxels exceed the limit of 1000/,
    ],
    [
      "in a plane that is not there",
      (world) => world.apply("rotate xw" as never, { in: SITE }),
      /ORT_ARGUMENT/,
    ],
  ])("refuses an operation %s", async (_what, call, message) => {
    const world = await emptyWorld();
    await expect(call(world)).rejects.toThrow(message);
    await world.close();
  });
});
