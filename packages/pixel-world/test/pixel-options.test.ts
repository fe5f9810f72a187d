import { MemoryDisk } from "@orthant/disk";
import {
  createPixelWorld,
  DEFAULT_LAYERS,
  openPixelSave,
  openPixelWorld,
  type PixelConstants,
  type PixelDamage,
  type PixelWorldOptions,
} from "@orthant/pixel-world";
import { PIXEL_AUTOSAVE_MS, PIXEL_PENDING_MAX } from "@orthant/pixel-world/internal";
import { codeOfRejection, FakeTime, FaultDisk } from "@orthant/testkit";
import {
  BYTES,
  bytesOf,
  diskWith,
  EDGE,
  FILE,
  filled,
  ground,
  newWorld,
  patched,
  sampleBody,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

async function savedChunks(disk: MemoryDisk): Promise<number> {
  return (await openPixelSave(disk, FILE)).chunkCount;
}

describe("options of an open pixel world", () => {
  test("by default a pixel world saves 60 seconds after the first change and queues 64 changes", async () => {
    expect([PIXEL_AUTOSAVE_MS, PIXEL_PENDING_MAX]).toEqual([60_000, 64]);
    const { disk, world, time } = await newWorld();
    await world.store(0, 0, filled(1));
    time.advance(59_999);
    await world.idle();
    expect(await savedChunks(disk)).toBe(0);
    time.advance(1);
    await world.idle();
    expect(await savedChunks(disk)).toBe(1);
    await world.close();
  });

  test("autosaveMs sets the autosave interval", async () => {
    const { disk, world, time } = await newWorld({ autosaveMs: 5_000 });
    await world.store(0, 0, filled(1));
    time.advance(4_999);
    await world.idle();
    expect(await savedChunks(disk)).toBe(0);
    time.advance(1);
    await world.idle();
    expect(await savedChunks(disk)).toBe(1);
    await world.close();
  });

  test("[X36] pendingMax sets how many changes may wait before store waits for room", async () => {
    const { world } = await newWorld({ pendingMax: 2 });
    await world.store(0, 0, filled(1));
    await world.store(1, 0, filled(2));
    expect([world.pendingCount, world.chunkCount]).toEqual([2, 0]);
    await world.store(2, 0, filled(3));
    expect(world.chunkCount, "the third one made the file take some").toBeGreaterThan(0);
    expect(world.pendingCount).toBeLessThanOrEqual(2);
    await world.close();
  });

  test.each([
    [0.9, 0],
    [0.1, 1],
  ])("[X34] a half-dead file with compactAtDeadShare %d is compacted %d times", async (share, times) => {
    const disk = new MemoryDisk();
    const options = { compactFromBytes: 0, compactAtDeadShare: share, autosave: false };
    const world = await createPixelWorld(disk, FILE, { chunkEdge: 128 }, options);
    for (const round of [1, 2]) {
      await world.store(0, 0, noise(round));
      await world.save().done;
      await world.idle();
    }
    // Generation 1 is the new file, 2 and 3 are the saves, and a compaction adds one.
    expect(world.generation).toBe(3 + times);
    await world.close();
  });

  test.each<[PixelWorldOptions, string]>([
    [{ autosaveMs: 99 }, "autosaveMs"],
    [{ autosaveMs: 86_400_001 }, "autosaveMs"],
    [{ autosaveMs: Number.NaN }, "autosaveMs"],
    [{ pendingMax: 0 }, "pendingMax"],
    [{ pendingMax: 4_097 }, "pendingMax"],
    [{ compactAtDeadShare: -0.1 }, "compactAtDeadShare"],
    [{ compactAtDeadShare: 1.1 }, "compactAtDeadShare"],
    [{ compactAtDeadShare: Number.NaN }, "compactAtDeadShare"],
    [{ compactFromBytes: -1 }, "compactFromBytes"],
    [{ onDamage: "ignore" as never }, "onDamage"],
    [{ onDamage: "regenerate" }, "needs a generator"],
  ])("options %j are rejected before a file is created, and the error mentions %s", async (options, name) => {
    const disk = new MemoryDisk();
    const attempt = createPixelWorld(disk, FILE, { chunkEdge: EDGE }, options);
    await expect(attempt).rejects.toMatchObject({
      code: "ORT_ARGUMENT",
      message: expect.stringContaining(name),
    });
    expect(await disk.list("")).toEqual([]);
    await (await createPixelWorld(disk, FILE, { chunkEdge: EDGE })).close();
    expect(await codeOfRejection(openPixelWorld(disk, FILE, options))).toBe("ORT_ARGUMENT");
  });
});

describe("pausing the autosave", () => {
  test("a paused autosave runs the save that fell due once the pause ends", async () => {
    const { disk, world, time } = await newWorld();
    await world.store(0, 0, filled(1));
    world.pauseAutosave();
    expect(world.isAutosavePaused).toBe(true);
    time.advance(PIXEL_AUTOSAVE_MS * 3);
    await world.store(1, 0, filled(1));
    await world.idle();
    expect(await savedChunks(disk)).toBe(0);
    world.resumeAutosave();
    await world.idle();
    expect([world.isAutosavePaused, await savedChunks(disk)]).toEqual([false, 2]);
    await world.close();
  });

  test("a pause that ends before the interval does not delay the autosave", async () => {
    const { disk, world, time } = await newWorld();
    await world.store(0, 0, filled(1));
    world.pauseAutosave();
    time.advance(PIXEL_AUTOSAVE_MS - 1);
    world.resumeAutosave();
    await world.idle();
    expect(await savedChunks(disk)).toBe(0);
    time.advance(1);
    await world.idle();
    expect(await savedChunks(disk)).toBe(1);
    await world.close();
  });

  test("a manual save during a pause runs at once and replaces the autosave that was due", async () => {
    const { disk, world, time } = await newWorld();
    await world.store(0, 0, filled(1));
    world.pauseAutosave();
    time.advance(PIXEL_AUTOSAVE_MS);
    await world.save().done;
    expect(await savedChunks(disk)).toBe(1);
    const { generation } = world;
    world.resumeAutosave();
    await world.idle();
    expect(world.generation).toBe(generation);
    await world.store(1, 0, filled(1));
    world.pauseAutosave();
    await world.close();
    expect(await savedChunks(disk), "closing saves in a pause too").toBe(2);
    world.resumeAutosave();
  });

  test("a pause of the autosave delays compaction until it ends", async () => {
    const disk = new MemoryDisk();
    const world = await createPixelWorld(
      disk,
      FILE,
      { chunkEdge: 128 },
      { compactFromBytes: 0, time: new FakeTime() },
    );
    world.pauseAutosave();
    for (const round of [1, 2, 3]) {
      await world.store(0, 0, noise(round));
      await world.save().done;
    }
    await world.idle();
    expect(world.deadBytes).toBeGreaterThan(world.fileBytes * 0.25);
    world.resumeAutosave();
    await world.idle();
    expect(world.deadBytes).toBe(0);
    await world.close();
  });
});

describe("a file with damaged chunks and bodies", () => {
  test("[X43] by default a damaged chunk or body throws, and the others load", async () => {
    const world = await openPixelWorld(await damagedDisk(), FILE, { generator: ground });
    expect(await codeOfRejection(world.load(0, 0))).toBe("ORT_CHECKSUM");
    expect(await codeOfRejection(world.body(3n))).toBe("ORT_CHECKSUM");
    expect(await codeOfRejection(world.bodiesIn(6, 12))).toBe("ORT_CHECKSUM");
    expect(await world.load(1, 0)).toEqual(filled(6));
    expect(world.damage).toEqual([]);
    await world.close();
  });

  test("[X43] a file with damaged chunks and bodies with regenerate a damaged chunk is regenerated, a damaged body is omitted, and each is reported once", async () => {
    const disk = await damagedDisk();
    const before = bytesOf(disk);
    const world = await openPixelWorld(disk, FILE, { generator: ground, onDamage: "regenerate" });
    const heard: PixelDamage[] = [];
    const unsubscribe = world.onDamageFound((damage) => heard.push(damage));
    const untouched = await newWorld({ generator: ground });
    expect(await world.load(0, 0)).toEqual(await untouched.world.load(0, 0));
    await world.load(0, 0);
    expect(await world.load(1, 0)).toEqual(filled(6));
    expect(await world.bodiesIn(6, 12)).toEqual([]);
    expect(await world.body(3n)).toBeUndefined();
    expect(heard).toEqual(world.damage);
    expect(world.damage).toMatchObject([
      { kind: "chunk", x: 0, y: 0, id: undefined, error: { code: "ORT_CHECKSUM" } },
      { kind: "body", x: 6, y: 12, id: 3n, error: { code: "ORT_CHECKSUM" } },
    ]);
    unsubscribe();
    await world.close();
    expect(bytesOf(disk), "reading damage changes nothing on the disk").toEqual(before);
  });

  test("[X43] saveTo omits damage with regenerate and fails when strict", async () => {
    const disk = await damagedDisk();
    const strict = await openPixelWorld(disk, FILE, { generator: ground });
    expect(await codeOfRejection(strict.saveTo("strict.pxsw"))).toBe("ORT_CHECKSUM");
    await strict.close();
    const world = await openPixelWorld(disk, FILE, { generator: ground, onDamage: "regenerate" });
    await world.saveTo("copy.pxsw");
    expect(world.damage.length).toBe(2);
    await world.close();
    expect(await openPixelSave(disk, "copy.pxsw")).toMatchObject({ chunkCount: 1, bodyCount: 0 });
  });

  test.each(["strict", "regenerate"] as const)(
    "[X43] storing a damaged chunk again repairs it when onDamage is %s",
    async (onDamage) => {
      const disk = await damagedDisk();
      const world = await openPixelWorld(disk, FILE, { generator: ground, onDamage });
      // Equal pixels have equal length, so the world reads the damaged entry to see whether anything changed.
      await world.store(0, 0, filled(5));
      await world.save().done;
      expect(await world.load(0, 0)).toEqual(filled(5));
      await world.close();
      const again = await openPixelWorld(disk, FILE, { generator: ground });
      expect(await again.load(0, 0)).toEqual(filled(5));
      await again.close();
    },
  );

  test("[X43] a read error of the disk does not count as damage: it throws, and nothing is regenerated", async () => {
    const { disk: inner, world: first } = await newWorld({ generator: ground });
    await first.store(0, 0, filled(5));
    await first.close();
    const disk = new FaultDisk(inner);
    const counting = await openPixelWorld(disk, FILE, { generator: ground });
    const nth = (disk.calls.get("readAt") ?? 0) + 1;
    await counting.close();
    const faulty = new FaultDisk(inner, { operation: "readAt", nth, kind: "io" });
    const world = await openPixelWorld(faulty, FILE, { generator: ground, onDamage: "regenerate" });
    expect(await codeOfRejection(world.load(0, 0))).toBe("ORT_DISK_IO");
    expect(world.damage).toEqual([]);
    expect(await world.load(0, 0)).toEqual(filled(5));
    await world.close();
  });
});

describe("constants of a game", () => {
  test.each<[string, PixelConstants, string]>([
    ["the edge of its chunks", { chunkEdge: 512 }, "chunk edge 16 in the file, 512 in the game"],
    ["the edge of its tiles", { tileEdge: 8 }, "tile edge 16 in the file, 8 in the game"],
    [
      "what a pixel is",
      { layers: DEFAULT_LAYERS.slice(0, 3) },
      "layers material (255), color (255), damage (255), flags (32) in the file, material",
    ],
  ])("[X44] a file that differs in %s from the game is rejected", async (_what, expected, detail) => {
    const { disk, world } = await newWorld();
    await world.close();
    await expect(openPixelWorld(disk, FILE, { expect: expected })).rejects.toMatchObject({
      code: "ORT_VERSION",
      message: expect.stringContaining(detail),
      context: { path: FILE },
    });
    // The lock was released.
    await (await openPixelWorld(disk, FILE)).close();
    const attempt = createPixelWorld(new MemoryDisk(), FILE, { chunkEdge: EDGE }, { expect: expected });
    expect(await codeOfRejection(attempt), "a new world that differs is refused too").toBe("ORT_VERSION");
  });

  test("[X44] a file that matches the game opens, and omitted constants are not compared", async () => {
    const { disk, world } = await newWorld();
    await world.close();
    for (const expected of [
      {},
      { chunkEdge: EDGE },
      { chunkEdge: EDGE, tileEdge: 16, layers: DEFAULT_LAYERS },
    ])
      await (await openPixelWorld(disk, FILE, { expect: expected })).close();
  });
});

/**
 * Returns a file with chunks [0, 0] and [1, 0] and a body; the first chunk and the body have a flipped bit.
 */
async function damagedDisk(): Promise<MemoryDisk> {
  const { disk, world } = await newWorld({ generator: ground });
  await world.store(0, 0, filled(5));
  await world.store(1, 0, filled(6));
  await world.storeBody(sampleBody(3n));
  await world.close();
  const save = await openPixelSave(disk, FILE);
  let bytes = bytesOf(disk);
  for (const ref of [save.chunkAt(0, 0), [...save.bodies()][0]]) {
    const last = (ref?.offset ?? 0) + (ref?.bytes ?? 0) - 1;
    bytes = patched(bytes, last, [(bytes[last] ?? 0) ^ 1]);
  }
  await save.close();
  return diskWith(bytes);
}

/** Returns an incompressible chunk of 128 x 128 pixels. */
function noise(round: number): Uint8Array {
  return Uint8Array.from({ length: 128 * 128 * 4 }, (_, at) =>
    at % 4 === 3 ? 0 : Math.imul(at + round * BYTES, 0x9e37_79b1) >>> 24,
  );
}
