import { boxBetween, chunksOfVoxels } from "@orthant/core/lattice";
import { GatedDisk, MemoryDisk } from "@orthant/disk";
import { FakeTime } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const HOUR_MS = 3_600_000;
const HERE = boxBetween([0, 0, 0, 0], [8, 8, 8, 8]);

async function begin(): Promise<{ disk: MemoryDisk; time: FakeTime; world: WorldEngine }> {
  const disk = new MemoryDisk();
  const time = new FakeTime();
  const world = await createWorldEngine(disk, { name: "then" }, { autosave: false, time });
  return { disk, time, world };
}

describe("a kept saved state", () => {
  test("opens by number, by name, or by a time at or after it, and is read-only", async () => {
    const { disk, time, world } = await begin();
    await world.set([0, 0, 0, 0], 1);
    const first = await world.history.tag("first");
    const firstMs = time.nowMs();
    time.advance(2 * HOUR_MS);
    await world.set([0, 0, 0, 0], 2);
    await world.close();
    for (const at of [first, "first", new Date(firstMs + HOUR_MS)]) {
      const past = await openWorldEngine(disk, { at });
      expect(await past.get([0, 0, 0, 0])).toBe(1);
      await expect(past.set([0, 0, 0, 0], 3)).rejects.toThrow("ORT_READ_ONLY");
      await past.close();
    }
    const now = await openWorldEngine(disk, { at: new Date(time.nowMs()) });
    expect(await now.get([0, 0, 0, 0])).toBe(2);
    await now.close();
  });

  test("is listed with number, time and name, oldest first", async () => {
    const { time, world } = await begin();
    await world.set([0, 0, 0, 0], 1);
    const named = await world.history.tag("a morning");
    time.advance(HOUR_MS);
    await world.set([0, 0, 0, 0], 2);
    const last = await world.save();
    const kept = await world.history.generations();
    expect(kept.map(({ generation }) => generation)).toEqual(
      [...kept].map(({ generation }) => generation).sort((a, b) => a - b),
    );
    expect(kept.find(({ generation }) => generation === named)?.name).toBe("a morning");
    expect(kept.at(-1)).toEqual({ generation: last, savedMs: time.nowMs(), name: undefined });
    await world.close();
  });

  test("is kept forever while it has a name, and subject to retention otherwise", async () => {
    const { time, world } = await begin();
    await world.set([0, 0, 0, 0], 1);
    const named = await world.history.tag("kept");
    const isKept = async (): Promise<boolean> =>
      (await world.history.generations()).some(({ generation }) => generation === named);
    for (let day = 0; day < 40; day++) {
      time.advance(24 * HOUR_MS);
      await world.set([1, 0, 0, 0], 1 + (day % 2));
      await world.save();
    }
    expect(await isKept()).toBe(true);
    await world.history.untag("kept");
    await world.set([1, 0, 0, 0], 9);
    await world.save();
    expect(await isKept()).toBe(false);
    await world.close();
  });

  test("a kept saved state that does not exist is reported as missing, with a list of those that do", async () => {
    const { disk, world } = await begin();
    await world.close();
    await expect(openWorldEngine(disk, { at: "never" })).rejects.toThrow(
      'ORT_NOT_FOUND: a generation called "never" is not kept',
    );
    await expect(openWorldEngine(disk, { at: 99 })).rejects.toThrow("generation 99 is not kept");
    await expect(openWorldEngine(disk, { at: new Date(-1) })).rejects.toThrow("ORT_NOT_FOUND");
  });

  test("has a unique name that cannot be mistaken for a number", async () => {
    const { world } = await begin();
    await expect(world.history.tag("12")).rejects.toThrow("ORT_ARGUMENT");
    await expect(world.history.tag("")).rejects.toThrow("ORT_ARGUMENT");
    await expect(world.history.tag("two\nlines")).rejects.toThrow("ORT_ARGUMENT");
    await world.history.tag("moves");
    await world.set([0, 0, 0, 0], 5);
    const later = await world.history.tag("moves");
    const named = (await world.history.generations()).filter(({ name }) => name === "moves");
    expect(named.map(({ generation }) => generation)).toEqual([later]);
    await expect(world.history.untag("never")).rejects.toThrow("ORT_NOT_FOUND");
    await world.close();
  });
});

describe("restoring a region", () => {
  test("restores old content, removes newer content, and leaves everything else alone", async () => {
    const { disk, time, world } = await begin();
    await world.set([0, 0, 0, 0], 1);
    await world.set([100, 0, 0, 0], 1);
    const before = await world.history.tag("before");
    time.advance(HOUR_MS);
    await world.fill(boxBetween([0, 0, 0, 0], [8, 8, 8, 8]), 3);
    await world.set([20, 0, 0, 0], 4);
    await world.set([100, 0, 0, 0], 5);
    const chunks = chunksOfVoxels(world.shape, boxBetween([0, 0, 0, 0], [24, 8, 8, 8]));
    const edit = await world.restoreRegion(chunks, "before");
    expect(edit.chunks).toHaveLength(2);
    expect(await world.get([0, 0, 0, 0])).toBe(1);
    expect(await world.get([1, 1, 1, 1])).toBe(0);
    expect(await world.get([20, 0, 0, 0])).toBe(0);
    expect(await world.get([100, 0, 0, 0])).toBe(5);
    await world.close();
    const again = await openWorldEngine(disk, { autosave: false });
    expect(await again.get([0, 0, 0, 0])).toBe(1);
    expect(await again.get([20, 0, 0, 0])).toBe(0);
    const untouched = await again.restoreRegion(chunks, before);
    expect(untouched.chunks).toEqual([]);
    await again.close();
  });

  test("is an ordinary edit: clocks rise and listeners are notified", async () => {
    const { world } = await begin();
    await world.set([0, 0, 0, 0], 1);
    const before = await world.save();
    await world.set([0, 0, 0, 0], 2);
    const heard: number[] = [];
    world.onEdit(({ chunks }) => heard.push(chunks.length));
    const clock = world.clockOf([0, 0, 0, 0]) ?? 0;
    await world.restoreRegion(chunksOfVoxels(world.shape, HERE), before);
    expect(heard).toEqual([1]);
    expect(world.clockOf([0, 0, 0, 0])).toBeGreaterThan(clock);
    await world.close();
  });
});

describe("tagging during concurrent saves", () => {
  /** Waits for enough turns of the event loop for work on a disk in memory to progress far. */
  async function turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  test.each([
    ["of now", undefined],
    ["that is there", 0],
  ])("names the generation %s, which no save removes meanwhile", async (_which, generation) => {
    const shared = new MemoryDisk();
    let onList: () => Promise<void> = async () => undefined;
    const disk = new GatedDisk(shared, async ({ operation, path }, happen) => {
      const result = await happen();
      if (operation === "list" && path === "") await onList();
      return result;
    });
    const retention = { newest: generation === undefined ? 1 : 2, hours: 0, days: 0 };
    const world = await createWorldEngine(disk, { name: "then" }, { autosave: false, retention });
    let saving: Promise<unknown> = Promise.resolve();
    onList = async () => {
      onList = async () => undefined;
      const saves = [1, 2, 3].map(async (block) => {
        await world.set([0, 0, 0, 0], block);
        await world.save();
      });
      saving = Promise.all(saves);
      await Promise.race([saving, turns(200)]);
    };
    const named = await world.history.tag("then", generation);
    await saving;
    expect(await world.history.generationAt("then")).toBe(named);
    await world.close();
    const past = await openWorldEngine(shared, { at: "then" });
    await past.close();
  });
});

test("a read-only world opens even if a writer commits while its files are read", async () => {
  const shared = new MemoryDisk();
  const retention = { newest: 1, hours: 0, days: 0 };
  const writer = await createWorldEngine(shared, { name: "fast" }, { autosave: false, retention });
  let commits = 0;
  // Each file of a generation disappears just before it is opened, three times in a row.
  const disk = new GatedDisk(shared, async ({ operation, path }, happen) => {
    if (operation === "open" && /\.g\d{16}\./.test(path) && commits < 3) {
      await writer.set([0, 0, 0, 0], ++commits);
      await writer.save();
      await writer.set([0, 0, 0, 0], 100 + commits);
      await writer.save();
    }
    return happen();
  });
  const reader = await openWorldEngine(disk, { readOnly: true });
  expect(await reader.get([0, 0, 0, 0])).toBe(103);
  await reader.close();
  await writer.close();
});
