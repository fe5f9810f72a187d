import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  createPixelWorld,
  openPixelSave,
  openPixelWorld,
  packMask,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { PIXEL_AUTOSAVE_MS, PIXEL_PENDING_MAX } from "@orthant/pixel-world/internal";
import { codeOf, codeOfRejection, FaultDisk } from "@orthant/testkit";
import {
  BYTES,
  bytesOf,
  diskWith,
  EDGE,
  FILE,
  filled,
  ground,
  nativeFile,
  newWorld,
  sampleBody,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

describe("an open pixel world", () => {
  test("load returns stored chunks before and after a save, and generated chunks elsewhere", async () => {
    const { disk, world } = await newWorld({ generator: ground });
    const generated = new Uint8Array(BYTES);
    ground.fill(2, 0, generated);
    expect((await world.load(2, 0))?.filter((_byte, at) => at % 4 !== 3)).toEqual(
      generated.filter((_byte, at) => at % 4 !== 3),
    );
    const pixels = filled(5);
    await world.store(2, 0, pixels);
    pixels.fill(0);
    expect((await world.load(2, 0))?.[0], "a copy was taken").toBe(5);
    expect(world.has(2, 0)).toBe(true);
    await world.close();
    const again = await openPixelWorld(disk, FILE, { generator: ground });
    expect(await again.load(2, 0)).toEqual(filled(5));
    await again.delete(2, 0);
    expect(again.has(2, 0)).toBe(false);
    expect((await again.load(2, 0))?.[0]).toBe(generated[0]);
    await again.close();
    expect((await openPixelSave(disk, FILE)).chunkCount).toBe(0);
  });

  test("load returns undefined for a chunk that is not stored in a world without a generator", async () => {
    const { world } = await newWorld();
    expect(await world.load(0, 0)).toBeUndefined();
    await world.close();
  });

  test("[X38] stateOf reports chunks as clean, dirty or persisted", async () => {
    const { disk, world } = await newWorld({ generator: ground });
    expect(world.stateOf(0, 0)).toBe("clean");
    await world.store(0, 0, filled(5));
    expect(world.stateOf(0, 0)).toBe("dirty");
    await world.save().done;
    expect(world.stateOf(0, 0)).toBe("persisted");
    const { generation, fileBytes } = world;
    await world.store(0, 0, filled(5));
    await world.save().done;
    expect([world.generation, world.fileBytes], "nothing changed, nothing is written").toEqual([
      generation,
      fileBytes,
    ]);
    expect(world.stateOf(0, 0)).toBe("persisted");
    await world.store(0, 0, filled(6));
    expect(world.stateOf(0, 0)).toBe("dirty");
    await world.close();
    const again = await openPixelWorld(disk, FILE, { generator: ground });
    expect(again.stateOf(0, 0)).toBe("clean");
    await again.close();
  });

  test("[X37] a save handle is complete only once the save is durable", async () => {
    const { disk, world } = await newWorld();
    await world.store(0, 0, filled(5));
    const handle = world.save();
    expect(handle.isComplete).toBe(false);
    await handle.done;
    expect(handle.isComplete).toBe(true);
    // A second reader sees the save while the world is still open.
    expect((await openPixelSave(disk, FILE)).chunkCount).toBe(1);
    await world.close();
  });

  test("[X36] a world queues 64 changes, and the next store waits for room", async () => {
    const { world } = await newWorld();
    for (let x = 0; x < PIXEL_PENDING_MAX; x++) await world.store(x, 0, filled(1 + x));
    expect([world.pendingCount, world.chunkCount]).toEqual([PIXEL_PENDING_MAX, 0]);
    await world.store(5, 0, filled(99));
    expect(world.pendingCount, "the same chunk again takes no room").toBe(PIXEL_PENDING_MAX);
    const waits = world.store(1_000, 0, filled(7));
    expect((await world.load(1_000, 0))?.[0], "it can be loaded at once").toBe(7);
    await waits;
    expect(world.pendingCount).toBeLessThanOrEqual(PIXEL_PENDING_MAX);
    await world.save().done;
    expect(world.chunkCount).toBe(PIXEL_PENDING_MAX + 1);
    expect((await world.load(5, 0))?.[0]).toBe(99);
    await world.close();
  });

  test("[X36] a thousand changes at once are all stored, in order", async () => {
    const { disk, world } = await newWorld();
    const stores: Promise<void>[] = [];
    for (let round = 0; round < 1_000; round++)
      stores.push(world.store(round % 150, 0, filled(1 + (round % 250))));
    const handle = world.save();
    await Promise.all(stores);
    await handle.done;
    expect(world.chunkCount).toBe(150);
    for (let x = 0; x < 150; x++) {
      const last = x + 150 * Math.floor((999 - x) / 150);
      expect((await world.load(x, 0))?.[0], `chunk ${x}`).toBe(1 + (last % 250));
    }
    await world.close();
    expect(isWhole(await verifyPixelWorld(disk, FILE))).toBe(true);
  });

  test("a world saves automatically after 60 seconds, counted from the first change after each save", async () => {
    const { disk, world, time } = await newWorld();
    const onDisk = async (): Promise<number> => (await openPixelSave(disk, FILE)).chunkCount;
    await world.store(0, 0, filled(1));
    time.advance(PIXEL_AUTOSAVE_MS - 1);
    await world.idle();
    expect(await onDisk()).toBe(0);
    time.advance(1);
    await world.idle();
    expect(await onDisk()).toBe(1);
    await world.store(1, 0, filled(1));
    time.advance(PIXEL_AUTOSAVE_MS / 2);
    await world.save().done;
    await world.store(2, 0, filled(1));
    time.advance(PIXEL_AUTOSAVE_MS / 2);
    await world.idle();
    expect(await onDisk(), "the timer began with the store after the save").toBe(2);
    time.advance(PIXEL_AUTOSAVE_MS / 2);
    await world.idle();
    expect(await onDisk()).toBe(3);
    await world.close();
  });

  test("a world does not save automatically with autosave off", async () => {
    const { disk, world, time } = await newWorld({ autosave: false });
    await world.store(0, 0, filled(1));
    time.advance(PIXEL_AUTOSAVE_MS * 10);
    await world.idle();
    expect((await openPixelSave(disk, FILE)).chunkCount).toBe(0);
    await world.close();
  });

  test("saveTo writes a copy with unsaved changes, and the world stays open", async () => {
    const { disk, world } = await newWorld();
    await world.store(0, 0, filled(5));
    await world.storeBody(sampleBody(3n));
    await world.saveTo("copy.pxsw");
    expect(await openPixelSave(disk, "copy.pxsw")).toMatchObject({
      chunkCount: 1,
      bodyCount: 1,
      deadBytes: 0,
    });
    expect((await openPixelSave(disk, FILE)).chunkCount, "this file is not saved by it").toBe(0);
    expect(await codeOfRejection(world.saveTo("copy.pxsw"))).toBe("ORT_EXISTS");
    await world.store(1, 0, filled(6));
    await world.close();
    expect((await openPixelSave(disk, FILE)).chunkCount).toBe(2);
  });

  test("[X34] a file is compacted when a quarter of it is dead, and reads continue meanwhile", async () => {
    const { disk, world } = await newWorld({ compactFromBytes: 0 });
    for (let x = 0; x < 20; x++)
      await world.store(
        x,
        0,
        filled(x, BYTES).map((byte, at) => byte ^ (Math.imul(at, 0x9e37_79b1) >>> 24)),
      );
    await world.save().done;
    for (let round = 0; round < 6; round++) {
      for (let x = 0; x < 4; x++)
        await world.store(
          x,
          0,
          filled(round, BYTES).map((byte, at) => byte ^ (Math.imul(at, 0x85eb_ca6b) >>> 24)),
        );
      const reads = Array.from({ length: 20 }, (_, x) => world.load(x, 0));
      await world.save().done;
      for (const pixels of await Promise.all(reads)) expect(pixels?.length).toBe(BYTES);
      await world.idle();
      expect(world.deadBytes).toBeLessThanOrEqual(world.fileBytes * 0.25);
    }
    expect(world.compactionFailure).toBeUndefined();
    expect(bytesOf(disk).length).toBe(world.fileBytes);
    expect(world.fileBytes, "headers, twenty chunks, and a quarter dead at most").toBeLessThan(50_000);
    await world.close();
    expect(await verifyPixelWorld(disk, FILE)).toEqual([]);
  });

  test("[X34] a world keeps its file when compaction fails", async () => {
    const inner = new MemoryDisk();
    const disk = new FaultDisk(inner, {
      operation: "append",
      path: /\.tmp$/,
      nth: 4,
      kind: "full",
      sticky: true,
    });
    const world = await createPixelWorld(
      disk,
      FILE,
      { chunkEdge: EDGE },
      { compactFromBytes: 0, autosave: false },
    );
    for (let round = 0; round < 40; round++) {
      await world.store(
        0,
        0,
        filled(round).map((byte, at) => byte ^ (Math.imul(at + round, 0x9e37_79b1) >>> 24)),
      );
      await world.save().done;
      await world.idle();
    }
    expect(world.compactionFailure?.code).toBe("ORT_DISK_FULL");
    expect((await world.load(0, 0))?.length).toBe(BYTES);
    await world.close();
    expect(isWhole(await verifyPixelWorld(inner, FILE))).toBe(true);
    expect(inner.image().files.has(`${FILE}.tmp`)).toBe(false);
  });
});

describe("bodies of an open pixel world", () => {
  test("a body belongs to the chunk at its position and moves with it", async () => {
    const { disk, world } = await newWorld();
    const id = world.newBodyId();
    expect(id >> 32n).toBe(9n);
    expect(world.newBodyId()).not.toBe(id);
    await world.storeBody(sampleBody(id, [-0.5, 3]));
    expect((await world.bodiesIn(-1, 0)).map((body) => body.id)).toEqual([id]);
    expect(await world.bodiesIn(0, 0)).toEqual([]);
    await world.save().done;
    expect(await world.bodiesIn(-1, 0)).toEqual([sampleBody(id, [-0.5, 3])]);
    await world.storeBody(sampleBody(id, [0, 3]));
    expect(await world.bodiesIn(-1, 0), "before it is saved").toEqual([]);
    expect((await world.bodiesIn(0, 0)).length).toBe(1);
    await world.close();
    const again = await openPixelWorld(disk, FILE);
    expect(await again.bodiesIn(-1, 0)).toEqual([]);
    expect((await again.body(id))?.position).toEqual([0, 3]);
    await again.removeBody(id);
    expect(await again.body(id)).toBeUndefined();
    await again.close();
    expect((await openPixelSave(disk, FILE)).bodyCount).toBe(0);
  });

  test("[X2] a body without pixels is removed, and inconsistent bodies are rejected", async () => {
    const { world } = await newWorld();
    await world.storeBody(sampleBody(1n));
    await world.storeBody({ ...sampleBody(1n), mask: packMask(Array<boolean>(9).fill(false)) });
    expect(await world.body(1n)).toBeUndefined();
    for (const wrong of [
      { width: 0 },
      { width: 5_000 },
      { pixels: new Uint8Array(5) },
      { mask: Uint8Array.of(1) },
      { mask: Uint8Array.of(1, 0x80) },
      { position: [Number.NaN, 0] as const },
      { rotation: 1e39 },
    ]) {
      expect(await codeOfRejection(world.storeBody({ ...sampleBody(2n), ...wrong }))).toBe("ORT_ARGUMENT");
    }
    await world.close();
  });
});

describe("errors of an open pixel world", () => {
  test("[X37] a failed sync stops all further writes and reports the cause", async () => {
    const inner = new MemoryDisk();
    await (await createPixelWorld(inner, FILE, { chunkEdge: EDGE })).close();
    for (const nth of [1, 2]) {
      const world = await openPixelWorld(new FaultDisk(inner, { operation: "sync", nth, kind: "io" }), FILE);
      await world.store(0, 0, filled(nth));
      const handle = world.save();
      expect(await codeOfRejection(handle.done)).toBe("ORT_DISK_IO");
      expect(handle.isComplete).toBe(false);
      expect(handle.failure).toBeDefined();
      expect(await codeOfRejection(world.store(1, 0, filled(3)))).toBe("ORT_SAVE_FAILED");
      expect(await codeOfRejection(world.save().done)).toBe("ORT_SAVE_FAILED");
      expect((await world.load(0, 0))?.[0], "what is in memory can be read").toBe(nth);
      expect(await codeOfRejection(world.close())).toBe("ORT_SAVE_FAILED");
      expect(isWhole(await verifyPixelWorld(inner, FILE))).toBe(true);
    }
  });

  test("[X37] a store that waits for room is rejected when the disk is full", async () => {
    const inner = new MemoryDisk();
    await (await createPixelWorld(inner, FILE, { chunkEdge: EDGE })).close();
    const disk = new FaultDisk(inner, { operation: "append", nth: 3, kind: "full", sticky: true });
    const world = await openPixelWorld(disk, FILE);
    const codes: (string | undefined)[] = [];
    for (let x = 0; x < 70; x++)
      codes.push(
        await world.store(x, 0, filled(x + 1)).then(
          () => undefined,
          (error) => error.code,
        ),
      );
    expect(codes.at(-1)).toBe("ORT_SAVE_FAILED");
    await world.close().catch(() => undefined);
    expect((await openPixelSave(inner, FILE)).chunkCount).toBe(0);
  });

  test("a file has one writer, and a closed world rejects calls", async () => {
    const { disk, world } = await newWorld();
    expect(await codeOfRejection(openPixelWorld(disk, FILE))).toBe("ORT_LOCKED");
    await world.close();
    await world.close();
    expect(await codeOfRejection(world.load(0, 0))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(world.store(0, 0, filled(1)))).toBe("ORT_CLOSED");
    await (await openPixelWorld(disk, FILE)).close();
  });

  test("invalid arguments are rejected before anything changes", async () => {
    const { world } = await newWorld();
    expect(await codeOfRejection(world.store(0.5, 0, filled(1)))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(world.store(0, 2 ** 31, filled(1)))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(world.store(0, 0, new Uint8Array(3)))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(world.load(0.5, 0))).toBe("ORT_ARGUMENT");
    expect(await codeOfRejection(world.bodiesIn("0" as never, 0))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => world.has(0, 2 ** 31))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => world.stateOf(Number.NaN, 0))).toBe("ORT_ARGUMENT");
    for (const pixels of [new Array(BYTES).fill(1), new Uint16Array(BYTES), undefined])
      expect(await codeOfRejection(world.store(0, 0, pixels as never))).toBe("ORT_ARGUMENT");
    expect(world.pendingCount).toBe(0);
    await world.close();
  });

  test("seeds and body ids that are not valid bigints are rejected, and no body is lost", async () => {
    for (const worldSeed of [42 as never, "42" as never, -1n, 2n ** 64n])
      expect(await codeOfRejection(createPixelWorld(new MemoryDisk(), FILE, { worldSeed }))).toBe(
        "ORT_ARGUMENT",
      );
    const { disk, world } = await newWorld();
    await world.storeBody(sampleBody(5n));
    for (const id of [5 as never, "5" as never, -5n, 2n ** 64n]) {
      expect(await codeOfRejection(world.storeBody(sampleBody(id)))).toBe("ORT_ARGUMENT");
      expect(await codeOfRejection(world.removeBody(id))).toBe("ORT_ARGUMENT");
      expect(await codeOfRejection(world.body(id))).toBe("ORT_ARGUMENT");
    }
    await world.close();
    expect((await openPixelSave(disk, FILE)).bodyCount).toBe(1);
  });

  test("openPixelWorld rejects version 1 files, other files and missing files", async () => {
    expect(await codeOfRejection(openPixelWorld(diskWith(await nativeFile()), FILE))).toBe("ORT_VERSION");
    expect(await codeOfRejection(openPixelWorld(diskWith(new Uint8Array(90)), FILE))).toBe("ORT_MAGIC");
    expect(await codeOfRejection(openPixelWorld(new MemoryDisk(), FILE))).toBe("ORT_NOT_FOUND");
  });

  test("[X39] verify reports missing and invalid files instead of throwing", async () => {
    expect(await verifyPixelWorld(new MemoryDisk(), FILE)).toMatchObject([{ code: "ORT_NOT_FOUND" }]);
    expect(await verifyPixelWorld(diskWith(new Uint8Array(9)), FILE)).toMatchObject([{ code: "ORT_MAGIC" }]);
  });
});
