import { type Box, type Chunk, chunkFromVoxels, type Position, uniformChunk } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import {
  AXES,
  boxBetween,
  boxContains,
  boxContainsBox,
  boxEquals,
  positionFrom,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { FakeTime, Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";
import { createSmallLeaves } from "./small-leaves.ts";

const quiet = { time: new FakeTime(), autosave: false };
const SPAN = 300;

/** Returns a saved world whose index has many pages, and its chunks that are not air. */
async function pagedWorld(seed: number): Promise<{ disk: MemoryDisk; positions: readonly Position[] }> {
  const prng = new Prng(seed);
  const disk = new MemoryDisk();
  await createSmallLeaves(disk);
  const world = await openWorldEngine(disk, quiet);
  const positions: Position[] = [];
  // Many small leaves around a few towns, with much empty space between them.
  for (let town = 0; town < 12; town++) {
    const center = positionFrom(() => prng.between(-SPAN, SPAN));
    for (let count = 0; count < 60; count++)
      positions.push(positionFrom((axis) => center[axis] + prng.between(-6, 6)));
  }
  const chunks = positions.map((position) => [position, noise(prng)] as const);
  await world.setChunks(chunks);
  await world.close();
  return { disk, positions };
}

/** Returns a chunk so large that a leaf holds only a few of them. */
function noise(prng: Prng): Chunk {
  const voxels = new Uint16Array(4_096);
  for (let count = 0; count < 60; count++) voxels[prng.between(0, 4_095)] = prng.between(1, 9);
  return chunkFromVoxels(voxels);
}

function randomBox(prng: Prng): Box {
  const edge = prng.pick([1, 4, 30, 200, 600]);
  const min = positionFrom(() => prng.between(-SPAN - 10, SPAN));
  return boxBetween(
    min,
    positionFrom((axis) => min[axis] + 1 + prng.between(0, edge)),
  );
}

function exactBounds(positions: readonly Position[], box: Box): Box | undefined {
  const inside = positions.filter((position) => boxContains(box, position));
  if (inside.length === 0) return undefined;
  return boxBetween(
    positionFrom((axis) => Math.min(...inside.map((position) => position[axis]))),
    positionFrom((axis) => Math.max(...inside.map((position) => position[axis])) + 1),
  );
}

async function requireBounds(
  world: WorldEngine,
  positions: readonly Position[],
  box: Box,
): Promise<Box | undefined> {
  const bounds = await world.contentBounds(box);
  const exact = exactBounds(positions, box);
  if (bounds !== undefined) expect(boxContainsBox(box, bounds)).toBe(true);
  if (exact === undefined) return bounds;
  expect(bounds !== undefined && boxContainsBox(bounds, exact), `[${box.min}] to [${box.max}]`).toBe(true);
  return bounds;
}

describe("World.contentBounds", () => {
  test("covers all content of a reopened, paged world for any box, and reads few records", async () => {
    for (const seed of [1, 2]) {
      const { disk, positions } = await pagedWorld(seed);
      const slow = new SlowDisk(disk);
      const world = await openWorldEngine(slow, quiet);
      let recordReads = 0;
      slow.delay = (operation, path) => {
        if (operation === "readAt" && path.startsWith("data")) recordReads++;
        return undefined;
      };
      let exactCount = 0;
      const prng = new Prng(seed);
      let tightCount = 0;
      for (let round = 0; round < 200; round++) {
        const box = randomBox(prng);
        const bounds = await requireBounds(world, positions, box);
        if (bounds === undefined || !boxEquals(bounds, box)) tightCount++;
        const exact = exactBounds(positions, box);
        if (exact === undefined ? bounds === undefined : bounds !== undefined && boxEquals(bounds, exact))
          exactCount++;
        expect(recordReads).toBeLessThanOrEqual(64);
        recordReads = 0;
      }
      const whole = await requireBounds(world, positions, WHOLE_LATTICE);
      const exactWhole = exactBounds(positions, WHOLE_LATTICE);
      const surplus = AXES.flatMap((axis) => [
        (exactWhole?.min[axis] ?? 0) - (whole?.min[axis] ?? 0),
        (whole?.max[axis] ?? 0) - (exactWhole?.max[axis] ?? 0),
      ]);
      // A leaf has at most four chunks along an edge here.
      expect(Math.max(...surplus)).toBeLessThanOrEqual(4);
      expect(recordReads).toBeLessThanOrEqual(64);
      expect(tightCount).toBeGreaterThan(20);
      expect(exactCount).toBeGreaterThan(190);
      await world.close();
    }
  });

  test("is exact in a small world that was just opened, without loading it", async () => {
    const disk = new MemoryDisk();
    const first = await createWorldEngine(disk, {}, quiet);
    const chunk = uniformChunk(first.shape.volume, 3);
    await first.setChunks([
      [[2, 3, 5, 0], chunk],
      [[4, 3, 1, 0], chunk],
    ]);
    await first.close();
    const world = await openWorldEngine(disk, quiet);
    const made = boxBetween([2, 3, 1, 0], [5, 4, 6, 1]);
    expect(await world.contentBounds(WHOLE_LATTICE)).toEqual(made);
    expect(world.isLoaded(made)).toBe(false);
    expect(await world.contentBounds(boxBetween([3, 0, 0, 0], [9, 9, 9, 9]))).toEqual(
      boxBetween([4, 3, 1, 0], [5, 4, 2, 1]),
    );
    expect(await world.contentBounds(boxBetween([5, 0, 0, 0], [9, 9, 9, 9]))).toBeUndefined();
    await world.set([64, 0, 0, 0], 1);
    expect(await world.contentBounds(WHOLE_LATTICE)).toEqual(boxBetween([2, 0, 0, 0], [9, 4, 6, 1]));
    await world.close();
  });

  test("counts a damaged leaf with its whole cube", async () => {
    const disk = new MemoryDisk();
    const first = await createWorldEngine(disk, {}, quiet);
    await first.setChunks([[[2, 3, 5, 0], uniformChunk(first.shape.volume, 3)]]);
    await first.close();
    for (const { name } of await disk.list("data")) {
      const file = await disk.open(`data/${name}`, "write");
      await file.writeAt((await file.size()) - 3, Uint8Array.of(0xff, 0x00, 0xff));
      await file.close();
    }
    const world = await openWorldEngine(disk, quiet);
    const bounds = await world.contentBounds(WHOLE_LATTICE);
    expect(bounds && boxContains(bounds, [2, 3, 5, 0])).toBe(true);
    await expect(world.get([32, 48, 80, 0])).rejects.toThrow("ORT_");
    await world.close();
  });

  test("reads only the index pages that the box touches", async () => {
    const { disk } = await pagedWorld(3);
    const pages = await (async () => {
      const save = await openSave(disk);
      const files = await save.index.pageFiles();
      await save.close();
      return files.length;
    })();
    const slow = new SlowDisk(disk);
    const world = await openWorldEngine(slow, quiet);
    const read = new Set<string>();
    slow.delay = (operation, path) => {
      if (operation === "open") read.add(path);
      return undefined;
    };
    expect(pages).toBeGreaterThan(4);
    await world.contentBounds(boxBetween([9_000_000, 0, 0, 0], [9_000_001, 1, 1, 1]));
    expect(read.size).toBeLessThan(pages);
    await world.close();
  });

  test("is exact where everything is loaded, and follows unsaved edits", async () => {
    const { disk, positions } = await pagedWorld(4);
    const world = await openWorldEngine(disk, quiet);
    const [first = [0, 0, 0, 0]] = positions;
    const box = boxBetween(
      positionFrom((axis) => first[axis] - 12),
      positionFrom((axis) => first[axis] + 12),
    );
    await world.load(box);
    expect(await world.contentBounds(box)).toEqual(exactBounds(positions, box));
    const far: Position = [4_000, 4_000, 4_000, 4_000];
    expect(await world.contentBounds(boxBetween(far, [4_009, 4_009, 4_009, 4_009]))).toBeUndefined();
    await world.setChunks([[[4_003, 4_004, 4_005, 4_006], uniformChunk(4_096, 1)]]);
    expect(await world.contentBounds(boxBetween(far, [4_009, 4_009, 4_009, 4_009]))).toEqual(
      boxBetween([4_003, 4_004, 4_005, 4_006], [4_004, 4_005, 4_006, 4_007]),
    );
    await world.close();
  });

  test("covers both generated and edited content", async () => {
    const disk = new MemoryDisk();
    const generator = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
    const first = await createWorldEngine(disk, { generator }, quiet);
    await first.set([0, 800, 0, 0], 5);
    await first.close();
    const world = await openWorldEngine(disk, quiet);
    const box = boxBetween([-2, -200, -2, -2], [2, 200, 2, 2]);
    const generated = world.state.queryContentBounds(box);
    const bounds = await world.contentBounds(box);
    expect(generated).toBeDefined();
    expect(bounds && generated && boxContainsBox(bounds, generated)).toBe(true);
    expect(bounds && boxContains(bounds, [0, 100, 0, 0])).toBe(true);
    await world.close();
  });
});
