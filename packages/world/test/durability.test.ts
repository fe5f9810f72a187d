import { MemoryDisk } from "@orthant/disk";
import { codeOfRejection, FakeTime, FaultDisk } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SlowDisk } from "./slow-disk.ts";

const quiet = { time: new FakeTime(), autosave: false };
const PACK = /^data\//;

async function newWorld(disk: MemoryDisk | SlowDisk | FaultDisk): Promise<WorldEngine> {
  return createWorldEngine(disk, {}, quiet);
}

/** Returns what a program finds that opens the current disk, as if this one had died. */
async function valueOnDisk(disk: MemoryDisk): Promise<number> {
  const world = await openWorldEngine(new MemoryDisk(disk.image()), quiet);
  const value = await world.get([0, 0, 0, 0]);
  await world.close();
  return value;
}

describe("whenDurable", () => {
  test("resolves when the edits are on the disk, with fewer saves than edits", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.openEpoch();
    const generation = world.generation;
    const waiting: Promise<void>[] = [];
    for (let value = 1; value <= 50; value++) {
      await world.set([0, 0, 0, 0], value);
      waiting.push(world.whenDurable());
    }
    await Promise.all(waiting);
    expect(await valueOnDisk(disk)).toBe(50);
    expect(world.generation - generation).toBeLessThan(25);
    await world.close();
  });

  test("saves once for many concurrent calls", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.set([0, 0, 0, 0], 1);
    const generation = world.generation;
    await Promise.all(Array.from({ length: 100 }, () => world.whenDurable()));
    expect(world.generation).toBe(generation + 1);
    expect(await valueOnDisk(disk)).toBe(1);
    await world.close();
  });

  test("resolves without a save when everything is saved", async () => {
    const world = await newWorld(new MemoryDisk());
    await world.set([0, 0, 0, 0], 1);
    const generation = await world.save();
    await world.whenDurable();
    expect(world.generation).toBe(generation);
    await world.close();
    await world.whenDurable();
  });

  test("waits for a running save, and for the next one when an edit came too late for it", async () => {
    const disk = new MemoryDisk();
    const slow = new SlowDisk(disk);
    const world = await newWorld(slow);
    await world.set([0, 0, 0, 0], 1);
    const generation = world.generation;
    const order: string[] = [];
    const sync = slow.holdNext("sync", PACK);
    const first = world.whenDurable().then(() => order.push("first"));
    await sync.reached;
    await world.set([0, 0, 0, 0], 2);
    // All callers that ask while the first save runs share the second.
    const later = [1, 2, 3].map(() => world.whenDurable().then(() => order.push("later")));
    expect(await valueOnDisk(disk)).toBe(0);
    const nextSync = slow.holdNext("sync", PACK);
    sync.release();
    await first;
    expect(await valueOnDisk(disk)).toBe(1);
    await nextSync.reached;
    expect(order).toEqual(["first"]);
    // Callers from before this edit do not wait for a third save because of it.
    await world.set([0, 0, 0, 0], 3);
    nextSync.release();
    await Promise.all(later);
    expect(order).toEqual(["first", "later", "later", "later"]);
    expect(await valueOnDisk(disk)).toBe(2);
    expect(world.generation).toBe(generation + 2);
    await world.close();
  });

  test("is satisfied by the final save when it is called while the world closes", async () => {
    const disk = new MemoryDisk();
    const slow = new SlowDisk(disk);
    const world = await newWorld(slow);
    await world.set([0, 0, 0, 0], 1);
    const sync = slow.holdNext("sync", PACK);
    const closing = world.close();
    await sync.reached;
    const durable = world.whenDurable();
    sync.release();
    await durable;
    await closing;
    expect(await valueOnDisk(disk)).toBe(1);
  });

  test("resolves for a read-only world", async () => {
    const disk = new MemoryDisk();
    await (await newWorld(disk)).close();
    const reader = await openWorldEngine(disk, { readOnly: true });
    await reader.whenDurable();
    await reader.close();
  });

  test("rejects for all waiting and later callers when the save fails", async () => {
    const disk = new FaultDisk(new MemoryDisk(), { operation: "sync", path: PACK, kind: "io", nth: 2 });
    const world = await newWorld(disk);
    await world.set([0, 0, 0, 0], 1);
    const codes = await Promise.all([1, 2].map(() => codeOfRejection(world.whenDurable())));
    expect(codes).toEqual(["ORT_SAVE_FAILED", "ORT_SAVE_FAILED"]);
    expect(await codeOfRejection(world.whenDurable())).toBe("ORT_SAVE_FAILED");
    await world.close();
    expect(await codeOfRejection(world.whenDurable())).toBe("ORT_SAVE_FAILED");
  });
});

describe("onFailure", () => {
  test("calls the listener once, when a save fails, with the value of world.failure", async () => {
    const time = new FakeTime();
    const disk = new FaultDisk(new MemoryDisk(), { operation: "sync", path: PACK, kind: "io", nth: 2 });
    const world = await createWorldEngine(disk, {}, { time });
    const heard: unknown[] = [];
    const unheard: unknown[] = [];
    world.onFailure(() => {
      throw new Error("a listener's own");
    });
    world.onFailure((failure) => heard.push(failure));
    world.onFailure((failure) => unheard.push(failure))();
    await world.set([0, 0, 0, 0], 1);
    time.advance(5_000);
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard).toEqual([world.failure]);
    expect(await codeOfRejection(world.save())).toBe("ORT_SAVE_FAILED");
    await world.close();
    expect(heard).toHaveLength(1);
    expect(unheard).toEqual([]);
  });
});
