import {
  type ChunkShape,
  CUBE_CHUNKS,
  flat,
  GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  maze,
  type Position,
  platforms,
  TILE_CHUNKS,
  terrain,
} from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  type GenerationPool,
  type GeneratorRef,
  type SeededGenerator,
} from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import { encodeGeneratedRegion } from "@orthant/core/tree";
import { codeOfRejection } from "@orthant/testkit";
import { generationPool } from "@orthant/worker-pool/node";
import { afterEach, describe, expect, test } from "vitest";
import { crashing, MODULE, odd, slow, throwing } from "./sample-generators.mjs";

let pool: GenerationPool | undefined;

afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

const PIECE_BYTES = 2_000;
const BOX = { min: [-3, -3, -3, -1], max: [3, 2, 3, 2] } as const;

function spaceOf({ ref, generator }: SeededGenerator, shape: ChunkShape = CUBE_CHUNKS) {
  pool ??= generationPool({ workers: 2 });
  const space = pool.open({ ref, shape, module: generator.module });
  if (space === undefined) throw new Error("the pool does not have the generator");
  return space;
}

describe("a pool of workers", () => {
  test.each<[name: string, seeded: SeededGenerator, shape: ChunkShape]>([
    ["flat", flat(), HYPERCUBE_CHUNKS],
    ["flat in three dimensions", flat({ top: 3 }), CUBE_CHUNKS],
    ["platforms", platforms({ seed: 3n }), HYPERCUBE_CHUNKS],
    ["terrain", terrain({ seed: 4n }), CUBE_CHUNKS],
    ["terrain of tiles", terrain({ seed: 5n }), TILE_CHUNKS],
    ["maze", maze({ seed: 6n }), HYPERCUBE_CHUNKS],
    ["a generator of a module", odd({ seed: 7n, block: 9 }), CUBE_CHUNKS],
    ["an asynchronous generator", slow({ seed: 7n, delayMs: 1 }), CUBE_CHUNKS],
  ])("generates the chunks of %s that this thread generates", async (_name, seeded, shape) => {
    const registry = new GeneratorRegistry([seeded.generator]);
    const space = registry.open(seeded.ref, shape);
    const here = await space.describeAsync(BOX);
    const there = await spaceOf(seeded, shape).describe(BOX).result;
    expect(there.leafCount).toBeGreaterThan(0);
    expect(there.equals(here)).toBe(true);
    const region: Position = [0, -1, 0, 0];
    const patches = encodeGeneratedRegion(
      await space.describeAsync(regionBox(region)),
      region,
      shape.volume,
      PIECE_BYTES,
    );
    expect(await spaceOf(seeded, shape).encodeRegion(region, PIECE_BYTES).result).toEqual(patches);
  });

  test("does not have a generator that workers cannot load", () => {
    pool = generationPool();
    const { ref } = odd({ seed: 1n });
    expect(pool.open({ ref, shape: CUBE_CHUNKS, module: undefined })).toBeUndefined();
  });

  test("refuses a module that is not there, or does not have the generator", async () => {
    pool = generationPool({ workers: 1 });
    const { ref } = odd({ seed: 1n });
    const absent = pool.open({ ref, shape: CUBE_CHUNKS, module: `${MODULE}/absent.mjs` });
    expect(await codeOfRejection(absent?.describe(BOX).result ?? Promise.resolve())).toBe("ORT_PLATFORM");
    const other = pool.open({ ref, shape: CUBE_CHUNKS, module: new URL("./other.mjs", MODULE).href });
    expect(await codeOfRejection(other?.describe(BOX).result ?? Promise.resolve())).toBe("ORT_PLATFORM");
  });

  test("passes on the error of a generator, and goes on", async () => {
    const broken = spaceOf(throwing({ seed: 1n }));
    await expect(broken.describe(BOX).result).rejects.toThrow(
      "ORT_WORKER: the generator threw TypeError: oh",
    );
    expect((await spaceOf(terrain({ seed: 1n })).describe(BOX).result).leafCount).toBeGreaterThan(0);
  });

  test("replaces a worker that ends, and runs its other jobs once more", async () => {
    pool = generationPool({ workers: 1 });
    const bad = spaceOf(crashing({ seed: 1n }));
    const good = spaceOf(terrain({ seed: 1n }));
    const failing = bad.describe(BOX).result;
    const others = [good.describe(BOX).result, good.describe(BOX).result, good.describe(BOX).result];
    expect(await codeOfRejection(failing)).toBe("ORT_WORKER");
    for (const tree of await Promise.all(others)) expect(tree.leafCount).toBeGreaterThan(0);
  });

  test("stops a worker that takes too long, and fails only the job that does", async () => {
    pool = generationPool({ workers: 1, jobTimeoutMs: 10_000 });
    const endless = spaceOf(slow({ seed: 1n, isEndless: true }));
    const good = spaceOf(terrain({ seed: 1n }));
    const hanging = endless.describe(BOX).result;
    const other = good.describe(BOX).result;
    await expect(hanging).rejects.toThrow("took more than 10000 ms");
    expect((await other).leafCount).toBeGreaterThan(0);
  });

  test("accepts a limited number of jobs", async () => {
    pool = generationPool({ workers: 1, jobsMax: 3 });
    const space = spaceOf(slow({ seed: 1n, delayMs: 1 }));
    const jobs = Array.from({ length: 4 }, () => space.describe(BOX).result);
    expect(await codeOfRejection(jobs[3] as Promise<unknown>)).toBe("ORT_LIMIT");
    await Promise.all(jobs.slice(0, 3));
    await space.describe(BOX).result;
  });

  test("drops cancelled jobs, waiting or running", async () => {
    pool = generationPool({ workers: 1 });
    const space = spaceOf(slow({ seed: 1n, delayMs: 1 }));
    const jobs = Array.from({ length: 6 }, () => space.describe(BOX));
    for (const job of jobs.slice(0, 5)) job.cancel();
    const codes = await Promise.all(jobs.slice(0, 5).map(({ result }) => codeOfRejection(result)));
    expect(codes).toEqual(Array(5).fill("ORT_CLOSED"));
    expect((await jobs[5]?.result)?.leafCount).toBeGreaterThan(0);
  });

  test("fails its jobs when it is closed", async () => {
    const space = spaceOf(slow({ seed: 1n, delayMs: 5 }));
    const jobs = Array.from({ length: 6 }, () => codeOfRejection(space.describe(BOX).result));
    await pool?.close();
    expect(await Promise.all(jobs)).toEqual(Array(6).fill("ORT_CLOSED"));
    expect(await codeOfRejection(space.describe(BOX).result)).toBe("ORT_CLOSED");
  });

  test.each([{ workers: 0 }, { workers: 1.5 }, { jobsMax: -1 }, { jobTimeoutMs: Number.NaN }])(
    "refuses %j",
    async (options) => {
      expect(await codeOfRejection(async () => generationPool(options))).toBe("ORT_ARGUMENT");
    },
  );

  test("keeps no process alive when it is idle", async () => {
    const { spawnSync } = await import("node:child_process");
    const program = `
      import { generationPool } from "@orthant/worker-pool/node";
      import { CUBE_CHUNKS, terrain } from "@orthant/core";
      const { ref } = terrain({ seed: 1n });
      const space = generationPool().open({ ref, shape: CUBE_CHUNKS, module: undefined });
      const tree = await space.describe({ min: [0, 0, 0, 0], max: [2, 2, 2, 1] }).result;
      console.log(tree.leafCount > 0);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "true\n", stderr: "" });
  });
});

test("the sample generators are not those of Orthant", () => {
  const refs: readonly GeneratorRef[] = [odd({ seed: 1n }).ref, slow({ seed: 1n }).ref];
  expect(refs.some((ref) => DEFAULT_GENERATORS.knows(ref))).toBe(false);
});
