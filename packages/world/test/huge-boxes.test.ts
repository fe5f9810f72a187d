import { box, chunkBox, isOrthantError, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorld, type World } from "@orthant/world";
import { expect, test } from "vitest";

/** Boxes whose regions nothing can list in the time of a test. */
const VOXELS = box([-1e8, -1e8, -1e8], [1e8, 1e8, 1e8]);
const CHUNKS = chunkBox([-1e6, -1e6, -1e6], [1e6, 1e6, 1e6]);
const WORK_MS_MAX = 2_000;

/** Every function of a world that takes a box, and whether it refuses a huge one. */
test.each<[name: string, code: "ORT_LIMIT" | "done", call: (world: World<3>) => unknown]>([
  ["fill", "ORT_LIMIT", (world) => world.fill(VOXELS, 3)],
  ["copy", "ORT_LIMIT", (world) => world.copy(VOXELS, [0, 0, 0])],
  ["entitiesIn", "done", (world) => world.entitiesIn(VOXELS)],
  ["loadChunks", "done", (world) => world.loadChunks(CHUNKS)],
  ["keepChunks", "done", (world) => world.keepChunks(CHUNKS)()],
  ["hasLoadedChunks", "done", (world) => world.hasLoadedChunks(CHUNKS)],
  ["restoreChunks", "done", (world) => world.restoreChunks(CHUNKS, 1)],
  [
    "changeGenerator",
    "done",
    (world) => world.changeGenerator(terrain({ seed: 2n }), { keep: { boxes: [VOXELS] } }),
  ],
  ["keepActive", "ORT_LIMIT", (world) => world.simulate({ systems: {} }).keepActive(VOXELS)],
  [
    "step entities",
    "done",
    async (world) => {
      const simulation = world.simulate({
        isPaused: true,
        systems: { look: ({ entities }) => void entities.in(VOXELS) },
        onError: (error) => Promise.reject(error),
      });
      await simulation.advance(1);
    },
  ],
])("a world answers a huge box at once, or refuses it: %s", async (_name, expected, call) => {
  const options = { time: new FakeTime(), autosave: false };
  const world = await createWorld(
    new MemoryDisk(),
    { dimensions: 3, generator: terrain({ seed: 1n }) },
    options,
  );
  await world.set([1, 2, 3], 4);
  await world.save();
  const started = process.cpuUsage();
  const outcome = await Promise.resolve()
    .then(() => call(world))
    .then(
      () => "done",
      (error: unknown) => (isOrthantError(error) ? error.code : String(error)),
    );
  const { user, system } = process.cpuUsage(started);
  expect(outcome).toBe(expected);
  expect((user + system) / 1_000).toBeLessThan(WORK_MS_MAX);
  expect((await world.set([1, 2, 3], 5)).status).toBe("applied");
  await world.close();
});
