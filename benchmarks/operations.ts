import { box, chunkFromVoxels, hashPosition, type Position, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createWorld, type World } from "@orthant/world";
import { inTurn } from "./compare.ts";
import { atMost, type Figure, readable } from "./figure.ts";
import { sized } from "./size.ts";
import { LatenessWatch } from "./stall/lateness.ts";

/** Chunks on each axis of what is set in bulk: 16,777,216 voxels. */
const CHUNKS: Position<3> = sized([16, 16, 16], [2, 2, 2]);
const CHUNK_EDGE = 16;
const ROUNDS = sized({ warmUp: 1, measured: 5 }, { warmUp: 0, measured: 1 });
/** The share of voxels that get one of two blocks, in 32 bits. */
const STONE_SHARE = 0.8 * 2 ** 32;
const BULK_SHARE_MAX = 2;
/** A house of 225,000 voxels. */
const HOUSE: Position<3> = sized([75, 40, 75], [8, 8, 8]);
const PASTES = sized(20, 1);
const LATE_MS_MAX = 10;

/**
 * Question: what does an operation cost more than writing the same voxels in bulk, and how long does it hold up the loop?
 * Budgets: twice the time of the same voxels in bulk, because an operation looks at each of them; the loop, which serves players
 * meanwhile, is at most 10 ms late at p99 while a house of 75 x 75 x 40 voxels is turned and pasted into hills.
 */
export async function* operationsSuite(): AsyncGenerator<Figure> {
  yield await bulkFigure();
  yield* await pasteFigures();
}

async function bulkFigure(): Promise<Figure> {
  const voxels = CHUNKS.reduce((product, chunks) => product * chunks * CHUNK_EDGE, 1);
  const operation = async (seed: number): Promise<void> => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
    const max = CHUNKS.map((chunks) => chunks * CHUNK_EDGE) as unknown as Position<3>;
    await world.apply({ set: "80%stone,20%sand", in: box([0, 0, 0], max), seed: seed + 1_000 });
    await world.close();
  };
  const bulk = async (seed: number): Promise<void> => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
    const [stone, sand] = [world.blocks.id("stone"), world.blocks.id("sand")];
    await world.setChunks(
      Array.from(positions(CHUNKS), (chunk) => [chunk, mixedChunk(chunk, stone, sand, seed)]),
    );
    await world.close();
  };
  const { ours, others } = await inTurn(operation, new Map([["bulk", bulk]]), ROUNDS);
  const bulkMs = others.get("bulk") ?? Number.NaN;
  const remark = `${readable(ours)} ms, ${readable(bulkMs)} ms in bulk, saved and closed, ${voxels} voxels of two blocks`;
  return atMost("operations/bulk", ours / bulkMs, "of the same chunks in bulk", BULK_SHARE_MAX, remark);
}

function* positions([countX, countY, countZ]: Position<3>): Generator<Position<3>> {
  for (let x = 0; x < countX; x++)
    for (let y = 0; y < countY; y++) for (let z = 0; z < countZ; z++) yield [x, y, z];
}

function mixedChunk(
  [chunkX, chunkY, chunkZ]: Position<3>,
  stone: number,
  sand: number,
  seed: number,
): ReturnType<typeof chunkFromVoxels> {
  const voxels = new Uint16Array(CHUNK_EDGE ** 3);
  const [fromX, fromY, fromZ] = [chunkX * CHUNK_EDGE, chunkY * CHUNK_EDGE, chunkZ * CHUNK_EDGE];
  let index = 0;
  for (let z = fromZ; z < fromZ + CHUNK_EDGE; z++)
    for (let y = fromY; y < fromY + CHUNK_EDGE; y++)
      for (let x = fromX; x < fromX + CHUNK_EDGE; x++)
        voxels[index++] = hashPosition(seed, x, y, z, 0) < STONE_SHARE ? stone : sand;
  return chunkFromVoxels(voxels);
}

async function pasteFigures(): Promise<readonly Figure[]> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
  const [width, height, depth] = HOUSE;
  const site = box([0, 200, 0], [width, 200 + height, depth]);
  await world.apply({ set: "60%brick,30%glass,10%air", in: site });
  const house = await world.clipboard(site);
  const turned = house.rotate("xz", 1);
  await paste(world, turned, 0);
  const watch = new LatenessWatch();
  const start = performance.now();
  for (let at = 1; at <= PASTES; at++) await paste(world, turned, at);
  const eachMs = (performance.now() - start) / PASTES;
  const { p99, longest } = watch.end();
  await world.close();
  const remark = `at most ${readable(longest)} ms, ${readable(eachMs)} ms a paste of ${width * height * depth} voxels`;
  return [atMost("operations/paste-late", p99, "ms late at p99", LATE_MS_MAX, remark)];
}

async function paste(
  world: World<3>,
  house: Awaited<ReturnType<World<3>["clipboard"]>>,
  at: number,
): Promise<void> {
  await world.apply({ paste: house, at: [at * 100, 40, 300] });
}
