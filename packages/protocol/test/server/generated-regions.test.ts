import { type Box, OrthantError, type Position } from "@orthant/core";
import { DEFAULT_GENERATORS, type GenerationJob, type GenerationPool } from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import { encodeGeneratedRegion } from "@orthant/core/tree";
import { describe, expect, test } from "vitest";
import { boxesOf, Stage, settle, tileIn } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const ABOVE: Position = [0, 0, 0, 0];
const BELOW: Position = [0, -1, 0, 0];
const OTHERS = { generators: [1n] };

/** A pool in this thread whose jobs wait until a test runs them. */
class HeldPool implements GenerationPool {
  readonly jobs: { readonly kind: "tree" | "patches"; run(): void; fail(): void }[] = [];
  cancelled = 0;

  open: GenerationPool["open"] = ({ ref, shape }) => {
    const space = DEFAULT_GENERATORS.open(ref, shape);
    return {
      describe: (box: Box) => this.#hold("tree", () => space.describe(box)),
      encodeRegion: (region, pieceBytesMax) =>
        this.#hold("patches", () =>
          encodeGeneratedRegion(space.describe(regionBox(region)), region, shape.volume, pieceBytesMax),
        ),
    };
  };

  async close(): Promise<void> {
    this.jobs.length = 0;
  }

  /** Runs all jobs, also those that follow from them. */
  async runAll(): Promise<void> {
    for (let job = this.jobs.shift(); job !== undefined; job = this.jobs.shift()) {
      job.run();
      await settle();
    }
  }

  #hold<Result>(kind: "tree" | "patches", generate: () => Result): GenerationJob<Result> {
    let end = (): void => undefined;
    const result = new Promise<Result>((resolve, reject) => {
      end = () => reject(new OrthantError("ORT_CLOSED", "cancelled"));
      this.jobs.push({
        kind,
        run: () => resolve(generate()),
        fail: () => reject(new OrthantError("ORT_WORKER", "it crashed")),
      });
    });
    const cancel = (): void => {
      this.cancelled++;
      end();
    };
    return { result, cancel };
  }
}

async function joined(boxes: readonly Box[], events = {}) {
  const pool = new HeldPool();
  const stage = new Stage({ world: new SampleWorld({ pool }), events });
  const client = await stage.join(OTHERS);
  client.want(boxes);
  await settle();
  await stage.tick();
  return { pool, stage, client };
}

describe("a server that generates off its main thread", () => {
  test("sends regions when they are generated, and air at once", async () => {
    const { pool, stage, client } = await joined(boxesOf(ABOVE, BELOW));
    expect(client.agrees(ABOVE)).toBe(true);
    expect(client.agrees(BELOW)).toBe(false);
    expect(pool.jobs.map(({ kind }) => kind)).toEqual(["patches"]);
    await stage.ticks(2);
    expect(pool.jobs).toHaveLength(1);
    await pool.runAll();
    await stage.tick();
    expect(client.agrees(BELOW)).toBe(true);
  });

  test("sends the same bytes as one that generates in its loop", async () => {
    const plain = new Stage();
    const other = await plain.joinAt(boxesOf(ABOVE, BELOW), OTHERS);
    const { pool, stage, client } = await joined(boxesOf(ABOVE, BELOW));
    await pool.runAll();
    await stage.tick();
    expect(client.takeAll("patch")).toEqual(other.takeAll("patch"));
  });

  test("sends edits that were made while a region was generated", async () => {
    const { pool, stage, client } = await joined(boxesOf(BELOW));
    stage.world.change([tileIn(BELOW, 7)]);
    pool.jobs.shift()?.run();
    // The patches of the untouched region are of no use any more.
    await stage.tick();
    expect(client.agrees(BELOW)).toBe(false);
    expect(pool.jobs.map(({ kind }) => kind)).toEqual(["tree"]);
    await pool.runAll();
    // Further edits do not delay it: generated content does not change.
    stage.world.change([tileIn(BELOW, 8)]);
    await stage.tick();
    expect(client.agrees(BELOW)).toBe(true);
    stage.world.change([tileIn(BELOW, 0)]);
    await stage.tick();
    expect(client.agrees(BELOW)).toBe(true);
  });

  test("generates a limited number of regions at a time, and goes on without waiting for a tick", async () => {
    const regions = Array.from({ length: 40 }, (_, x): Position => [x, -1, 0, 0]);
    const { pool, stage, client } = await joined([{ min: [0, -4, 0, 0], max: [160, 0, 4, 4] }]);
    expect(pool.jobs).toHaveLength(16);
    pool.jobs.shift()?.run();
    await settle();
    expect(pool.jobs).toHaveLength(16);
    for (let tick = 0; tick < 10; tick++) {
      await pool.runAll();
      await stage.tick();
    }
    expect(regions.every((region) => client.agrees(region))).toBe(true);
  });

  test("generates again what could not be generated, after a while", async () => {
    const failures: unknown[] = [];
    const { pool, stage, client } = await joined(boxesOf(BELOW), {
      onFailure: (error: unknown) => failures.push(error),
    });
    pool.jobs.shift()?.fail();
    await settle();
    expect(failures).toMatchObject([{ code: "ORT_WORKER" }]);
    await stage.tick();
    expect(pool.jobs).toHaveLength(0);
    await stage.ticks(12);
    expect(pool.jobs).toHaveLength(1);
    await pool.runAll();
    await stage.tick();
    expect(client.agrees(BELOW)).toBe(true);
  });

  test("cancels regions that no client wants any more", async () => {
    const { pool, stage, client } = await joined(boxesOf(BELOW));
    client.want(boxesOf(ABOVE));
    await stage.tick();
    expect(pool.cancelled).toBe(1);
    await settle();
    client.session.disconnected();
    await stage.tick();
    expect(stage.sync.regionCounts.watched).toBe(0);
  });

  test("generates nothing for a client with its generators", async () => {
    const pool = new HeldPool();
    const stage = new Stage({ world: new SampleWorld({ pool }) });
    stage.world.change([tileIn(BELOW, 7)]);
    const client = await stage.joinAt(boxesOf(ABOVE, BELOW));
    expect(client.agrees(ABOVE) && client.agrees(BELOW)).toBe(true);
    expect(pool.jobs).toHaveLength(0);
  });
});

test("regions that take long to prepare are prepared after the tick, in slices", async () => {
  const waiting: (() => void)[] = [];
  const stage = new Stage({ pause: (resume) => void waiting.push(resume), limits: { tickWorkMs: 60 } });
  const client = await stage.join();
  let nowMs = stage.time.nowMs();
  const { time } = stage;
  const original = time.nowMs.bind(time);
  // Every reading of the clock takes a millisecond, and so does everything that is timed.
  time.nowMs = () => nowMs++;
  client.want([{ min: [0, 0, 0, 0], max: [400, 4, 4, 4] }]);
  stage.sync.tick();
  const inTick = client.takeAll("blank").reduce((sum, { mask }) => sum + mask.regions.length, 0);
  expect(inTick).toBeLessThan(6);
  for (let resume = waiting.shift(); resume !== undefined; resume = waiting.shift()) resume();
  client.send();
  stage.sync.tick();
  const prepared = client.takeAll("blank").reduce((sum, { mask }) => sum + mask.regions.length, 0);
  expect(prepared).toBeGreaterThan(12);
  time.nowMs = original;
});
