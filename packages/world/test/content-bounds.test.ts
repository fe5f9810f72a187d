import {
  type Box,
  type Chunk,
  chunkFromVoxels,
  FLAT_DEFAULTS,
  flatGenerator,
  type Position,
  uniformChunk,
} from "@orthant/core";
import {
  boxBetween,
  boxContains,
  boxContainsBox,
  boxEquals,
  generatorRef,
  positionFrom,
  WHOLE_LATTICE,
} from "@orthant/core/engine";
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
  test("covers all content of a reopened, paged world for any box, and reads no records", async () => {
    for (const seed of [1, 2]) {
      const { disk, positions } = await pagedWorld(seed);
      const slow = new SlowDisk(disk);
      const world = await openWorldEngine(slow, quiet);
      let recordReads = 0;
      slow.delay = (operation, path) => {
        if (operation === "readAt" && path.startsWith("data")) recordReads++;
        return undefined;
      };
      const prng = new Prng(seed);
      let tightCount = 0;
      for (let round = 0; round < 200; round++) {
        const box = randomBox(prng);
        const bounds = await requireBounds(world, positions, box);
        if (bounds === undefined || !boxEquals(bounds, box)) tightCount++;
      }
      expect(await requireBounds(world, positions, WHOLE_LATTICE)).not.toEqual(WHOLE_LATTICE);
      expect(recordReads).toBe(0);
      expect(tightCount).toBeGreaterThan(20);
      await world.close();
    }
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
