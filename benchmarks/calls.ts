import { chunkBox, terrain } from "@orthant/core";
import { boxAt, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { Prng } from "@orthant/testkit";
import { createWorld, type World } from "@orthant/world";
import { atLeast, type Figure, median, timeAsync, told } from "./figure.ts";
import { sized } from "./size.ts";

const READS = sized(20_000, 500);
const ASYNC_READS = 5_000;
const SETS = 500;
const REACH = 64;
const WARM_UP_ROUNDS = sized(10, 1);
const ROUNDS = sized(40, 2);
/** Checks and the conversion to four axes take at most 15 % of a call. */
const SHARE_MIN = 0.85;

type Point = readonly [x: number, y: number, z: number];

/**
 * Question: what do the checks of arguments cost in the calls that games make most?
 * Each figure is the speed of a call of World<3> as a share of the same work with four coordinates: of the code below
 * the checks for voxelAt, and of the call of the WorldEngine for get and set.
 * Budget: 0.85, so that checks and the conversion to four axes take at most 15 % of a call.
 */
export async function* callsSuite(): AsyncGenerator<Figure> {
  const world = await createWorld(
    new MemoryDisk(),
    { dimensions: 3, generator: terrain({ seed: 7n }) },
    { autosave: false },
  );
  try {
    await world.loadChunks(chunkBox([-4, -4, -4], [4, 4, 4]));
    const prng = new Prng(1);
    const coordinate = (): number => prng.between(-REACH, REACH - 1);
    const points = Array.from({ length: READS }, (): Point => [coordinate(), coordinate(), coordinate()]);
    yield await voxelAtFigure(world, points);
    yield await getFigure(world, points.slice(0, ASYNC_READS));
    yield await setFigure(world, points.slice(0, SETS));
  } finally {
    await world.close();
  }
}

/** The same work as `voxelAt` does after its checks. */
function uncheckedVoxelAt({ engine, chunkShape }: World<3>, [x, y, z]: Point): number | undefined {
  const chunk = chunkOfVoxel(chunkShape, [x, y, z, 0]);
  if (!engine.isLoaded(boxAt(chunk))) return undefined;
  return engine.state.findChunk(...chunk)?.get(voxelIndex(chunkShape, x, y, z, 0));
}

function voxelAtFigure(world: World<3>, points: readonly Point[]): Promise<Figure> {
  return besideUnchecked("calls/voxelAt", points.length, {
    ours: async () => points.reduce((sum, point) => sum + (world.voxelAt(point) ?? 0), 0),
    bare: async () => points.reduce((sum, point) => sum + (uncheckedVoxelAt(world, point) ?? 0), 0),
  });
}

function getFigure(world: World<3>, points: readonly Point[]): Promise<Figure> {
  return besideUnchecked("calls/get", points.length, {
    ours: async () => {
      for (const point of points) await world.get(point);
    },
    bare: async () => {
      for (const [x, y, z] of points) await world.engine.get([x, y, z, 0]);
    },
  });
}

/** Both sides set the same voxels to another block each time, so that every edit changes something. */
function setFigure(world: World<3>, points: readonly Point[]): Promise<Figure> {
  let block = 0;
  const next = (): number => (++block % 2) + 1;
  return besideUnchecked("calls/set", points.length, {
    ours: async () => {
      const placed = next();
      for (const point of points) await world.set(point, placed);
    },
    bare: async () => {
      const placed = next();
      for (const [x, y, z] of points) await world.engine.set([x, y, z, 0], placed);
    },
  });
}

interface Sides {
  ours(): Promise<unknown>;
  bare(): Promise<unknown>;
}

/** Compares CPU time, which other programs on the machine change least. The side that begins alternates. */
async function besideUnchecked(name: string, calls: number, { ours, bare }: Sides): Promise<Figure> {
  const ratios: number[] = [];
  const oursNs: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const bareFirst = round % 2 === 0 ? await timeAsync(bare) : undefined;
    const { cpuNs } = await timeAsync(ours);
    const bareTime = bareFirst ?? (await timeAsync(bare));
    if (round < 0) continue;
    ratios.push(bareTime.cpuNs / cpuNs);
    oursNs.push(cpuNs / calls);
  }
  const remark = `${median(oursNs).toFixed(0)} ns of cpu a call, slowest round ${Math.min(...ratios).toFixed(2)}`;
  const figure = told(name, median(ratios), "of the same without checks", remark);
  return atLeast(figure, SHARE_MIN);
}
