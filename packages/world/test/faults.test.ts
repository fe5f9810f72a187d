import { isOrthantError } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { type DiskFault, FakeTime, FaultDisk, type FaultyOperation } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const OPERATIONS: readonly FaultyOperation[] = [
  "open",
  "size",
  "readAt",
  "append",
  "sync",
  "rename",
  "remove",
  "list",
  "makeDirectory",
  "syncDirectory",
];

/** How many values of the voxel at the origin `save` acknowledged, and the errors. */
interface History {
  readonly acknowledged: number;
  readonly errors: readonly unknown[];
}

/** Creates a world, saves it five times and reopens it in between; stops at the first error, and closes. */
async function runHistory(disk: FaultDisk): Promise<History> {
  const errors: unknown[] = [];
  let acknowledged = 0;
  let world: WorldEngine | undefined;
  const attempt = async (step: () => Promise<unknown>): Promise<boolean> => {
    try {
      await step();
      return true;
    } catch (error) {
      errors.push(error);
      return false;
    }
  };
  await attempt(async () => {
    world = await createWorldEngine(disk, {}, { time: new FakeTime(), autosave: false });
  });
  for (let value = 1; value <= 5 && world !== undefined; value++) {
    const open = world;
    const saved = await attempt(async () => {
      await open.fill(boxBetween([0, 8 * value, 0, 0], [40, 8 * value + 8, 8, 8]), value);
      open.entities.spawn({ kind: value, position: [value, 0, 0, 0] });
      await open.set([0, 0, 0, 0], value); // the last step, so that it stands for all of them
      await open.save();
    });
    if (!saved) break;
    acknowledged = value;
    if (value !== 2) continue;
    await attempt(() => open.close());
    const reopened = await attempt(async () => {
      world = await openWorldEngine(disk, { time: new FakeTime(), autosave: false });
    });
    if (!reopened) break;
  }
  await attempt(async () => world?.close());
  return { acknowledged, errors };
}

/** Returns what a program finds that opens the disk afterwards. */
async function readBack(disk: MemoryDisk): Promise<number> {
  const world = await openWorldEngine(disk, { time: new FakeTime(), autosave: false });
  const value = await world.get([0, 0, 0, 0]);
  for (let layer = 1; layer <= value; layer++) expect(await world.get([39, 8 * layer, 7, 7])).toBe(layer);
  const kinds = (await world.entities.in(boxBetween([0, 0, 0, 0], [9, 9, 9, 9]))).map(({ kind }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(Array.from({ length: value }, (_, index) => index + 1)));
  await world.set([0, 0, 0, 0], 99);
  await world.close();
  return value;
}

describe("when the n-th call of an operation fails", () => {
  test.each(
    OPERATIONS.flatMap((operation) => (["full", "io"] as const).map((kind) => [kind, operation] as const)),
  )(
    "a world with %s loses nothing acknowledged when the n-th call at %s fails, whatever n is",
    async (kind, operation) => {
      let strikes = 0;
      for (let nth = 1; ; nth++) {
        const fault: DiskFault = { operation, kind, nth };
        const behind = new MemoryDisk();
        const disk = new FaultDisk(behind, fault);
        const { acknowledged, errors } = await runHistory(disk);
        if (!disk.struck) {
          expect(errors).toEqual([]);
          break;
        }
        strikes++;
        for (const error of errors) expect(isOrthantError(error), `n=${nth}: ${String(error)}`).toBe(true);
        const locked = new MemoryDisk(behind.image());
        const found = await readBack(locked).catch((error: unknown) => {
          // The world was never created, so nothing was acknowledged.
          if (acknowledged === 0 && isOrthantError(error, "ORT_NOT_FOUND")) return 0;
          throw error;
        });
        expect([acknowledged, acknowledged + 1], `n=${nth}`).toContain(found);
      }
      expect(strikes).toBeGreaterThan(0);
    },
  );

  test("a world whose save failed rejects every edit and says why and what to do", async () => {
    const disk = new FaultDisk(new MemoryDisk(), {
      operation: "sync",
      path: /global\.g0*3\./,
      kind: "io",
      nth: 1,
    });
    const world = await createWorldEngine(disk, {}, { time: new FakeTime(), autosave: false });
    await world.set([0, 0, 0, 0], 1);
    await world.save();
    await world.set([0, 0, 0, 0], 2);
    await expect(world.save()).rejects.toThrow(
      /ORT_SAVE_FAILED: a save failed.*what was saved before is safe.*injected fault/s,
    );
    await expect(world.set([0, 0, 0, 0], 3)).rejects.toThrow("ORT_SAVE_FAILED");
    await expect(world.save()).rejects.toThrow("ORT_SAVE_FAILED");
    expect(() => world.entities.spawn({ kind: 1, position: [0, 0, 0, 0] })).toThrow("ORT_SAVE_FAILED");
    expect(await world.get([0, 0, 0, 0])).toBe(2);
    await world.close();
  });
});
