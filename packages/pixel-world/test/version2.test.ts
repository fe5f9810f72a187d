import { GeneratorRef } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  applyPixelRepair,
  createPixelWorld,
  DEFAULT_LAYERS,
  openPixelSave,
  openPixelWorld,
  type PixelLayer,
  PixelSaveWriter,
  pixelsOf,
  planPixelRepair,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { encodePixelChunk, pixelEntryHeader } from "@orthant/pixel-world/internal";
import { codeOfRejection, Prng } from "@orthant/testkit";
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
  strictly,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const SLOT = 8_192;
const ENTRIES = 16_384;

/**
 * Returns a world with three chunks and one body, after several saves and the removal of a chunk and a body.
 */
async function sampleFile(): Promise<Uint8Array> {
  const { disk, world } = await newWorld({ generator: ground, autosave: false });
  await world.store(0, 0, filled(5));
  await world.store(-3, 2, filled(6));
  await world.storeBody(sampleBody(1n, [-0.5, -0.5]));
  await world.save().done;
  await world.store(1, 0, new Uint8Array(BYTES));
  await world.storeBody(sampleBody(2n));
  await world.store(4, 4, filled(9));
  await world.save().done;
  await world.store(0, 0, filled(7));
  await world.delete(4, 4);
  await world.removeBody(2n);
  await world.close();
  return bytesOf(disk);
}

const file = await sampleFile();

/** Offset of header 1, which has the odd generations. */
const NEWEST = SLOT;

async function materialsOf(bytes: Uint8Array): Promise<Record<string, number>> {
  const save = await openPixelSave(diskWith(bytes), FILE);
  const found: Record<string, number> = {};
  for (const ref of save.chunks()) {
    found[`${ref.x},${ref.y}`] =
      pixelsOf(await save.readChunk(ref), save.facts, ground, ref.x, ref.y)[0] ?? -1;
  }
  return found;
}

describe("a version 2 file", () => {
  test("[X20] [X29] a version 2 file contains everything that was saved", async () => {
    const save = await openPixelSave(diskWith(file), FILE);
    expect(save).toMatchObject({ dialect: "version2", generation: 4, chunkCount: 3, bodyCount: 1 });
    expect(save.facts).toMatchObject({
      worldSeed: 42n,
      chunkEdge: EDGE,
      tileEdge: 16,
      layers: DEFAULT_LAYERS,
    });
    expect(save.facts.generator?.equals(ground.ref)).toBe(true);
    expect(await materialsOf(file)).toEqual({ "0,0": 7, "1,0": 0, "-3,2": 6 });
    expect(await verifyPixelWorld(diskWith(file), FILE)).toEqual([]);
    expect(save.deadBytes).toBeGreaterThan(0);
  });

  test("[X25] a body at -0.5 belongs to chunk -1", async () => {
    const save = await openPixelSave(diskWith(file), FILE);
    expect([...save.bodies()].map(({ id, x, y }) => [id, x, y])).toEqual([[1n, -1, -1]]);
  });

  test("[X35] a new file has two headers, either of which is enough", async () => {
    const { disk, world } = await newWorld();
    await world.close();
    const bytes = bytesOf(disk);
    for (const at of [0, SLOT]) expect(await strictly(patched(bytes, at, [0]))).toBe("0 chunks, 0 bodies");
    expect(await strictly(patched(patched(bytes, 0, [0]), SLOT, [0]))).toBe("ORT_MAGIC");
  });

  test("[X20] a bit flipped in each header is detected", async () => {
    for (let at = 0; at < 100; at++) {
      const broken = patched(patched(file, at, [(file[at] ?? 0) ^ 1]), SLOT + at, [
        (file[SLOT + at] ?? 0) ^ 4,
      ]);
      expect(await strictly(broken), `at ${at}`).toMatch(/^ORT_|^3 chunks/);
    }
  });

  test("[X27] a bit flipped in an entry is detected", async () => {
    const prng = new Prng(8);
    const whole = await materialsOf(file);
    for (let round = 0; round < 300; round++) {
      const at = ENTRIES + prng.below(file.length - ENTRIES);
      const broken = patched(file, at, [(file[at] ?? 0) ^ (1 << prng.below(8))]);
      const outcome = await strictly(broken);
      if (!outcome.startsWith("ORT_")) expect(await materialsOf(broken), `at ${at}`).toEqual(whole);
      else expect(isWhole(await verifyPixelWorld(diskWith(broken), FILE)), `at ${at}`).toBe(false);
    }
  });

  test("[X20] [X30] a version 2 file truncated at any byte is rejected", async () => {
    for (let length = 0; length < file.length; length += length < ENTRIES ? 509 : 1) {
      const outcome = await strictly(file.subarray(0, length));
      expect(outcome, `at ${length}`).toMatch(/^ORT_(TRUNCATED|MAGIC|CHECKSUM)$/);
    }
  });
});

describe("the form of a stored chunk", () => {
  test("[X23] is the shortest one, also where the whole chunk is not tried", async () => {
    const layers = DEFAULT_LAYERS;
    const form = { chunkEdge: 64, layers };
    const prng = new Prng(5);
    const disk = new MemoryDisk();
    const world = await createPixelWorld(
      disk,
      FILE,
      { chunkEdge: 64 },
      { generator: ground, autosave: false },
    );
    const expected: number[] = [];
    // The whole chunk takes at least 4 + 64 * 64 * 4 / 255 bytes: 69.
    for (let x = 0; x < 60; x++) {
      const pixels = (await world.load(x, 0)) ?? new Uint8Array(0);
      if (x % 5 === 4) pixels.fill(0x20);
      else if (x % 3 > 0) pixels.fill(0);
      const positions = new Set<number>();
      for (let count = x % 5 === 4 ? x + 1 : 0; count <= x; count++)
        positions.add(prng.below(x % 2 === 0 ? 4_096 : 80));
      for (const position of positions)
        pixels.set([1 + prng.below(200), prng.below(256), 1, 0x20], position * 4);
      await world.store(x, 0, pixels);
      const generated = new Uint8Array(pixels.length);
      ground.fill(x, 0, generated);
      for (let at = 3; at < generated.length; at += 4) generated[at] = (generated[at] ?? 0) & 0x20;
      const changed = Array.from({ length: 4_096 }, (_, position) => position).filter((position) =>
        [0, 1, 2, 3].some((byte) => pixels[position * 4 + byte] !== generated[position * 4 + byte]),
      );
      const delta = {
        positions: Uint32Array.from(changed),
        pixels: Uint8Array.from(
          changed.flatMap((position) => [...pixels.subarray(position * 4, position * 4 + 4)]),
        ),
      };
      const whole = encodePixelChunk({ storage: "full", pixels }, form).payload.length;
      expected.push(Math.min(whole, encodePixelChunk({ storage: "delta", delta }, form).payload.length));
    }
    await world.close();
    const save = await openPixelSave(disk, FILE);
    expect([...save.chunks()].map(({ bytes }) => bytes - pixelEntryHeader.bytes)).toEqual(expected);
    expect(new Set([...save.chunks()].map(({ storage }) => storage))).toEqual(new Set(["delta", "full"]));
    expect(Math.min(...expected)).toBeLessThan(40);
    expect(Math.max(...expected)).toBeGreaterThan(100);
    await save.close();
  });

  test("is found in several turns of the event loop for a large chunk", async () => {
    const world = await createPixelWorld(new MemoryDisk(), FILE, {}, { generator: ground, autosave: false });
    const pixels = (await world.load(0, 0)) ?? new Uint8Array(0);
    pixels.set(new Prng(1).bytes(20_000), 0);
    await world.store(0, 0, pixels);
    let turns = 0;
    let isSaved = false;
    const count = (): void => {
      turns++;
      if (!isSaved) setImmediate(count);
    };
    setImmediate(count);
    await world.save().done;
    isSaved = true;
    expect(turns).toBeGreaterThanOrEqual(3);
    await world.close();
  });
});

describe("the header of the last save", () => {
  test("[X31] a save with a damaged header is found after the end of the previous save", async () => {
    // Generation 4 is in header 0; without it, header 1 has generation 3.
    const torn = patched(file, 20, [1, 2, 3]);
    expect(await materialsOf(torn)).toEqual({ "0,0": 7, "1,0": 0, "-3,2": 6 });
    expect((await verifyPixelWorld(diskWith(torn), FILE)).map(({ severity }) => severity)).toEqual([
      "notice",
    ]);
  });

  test("[X32] a damaged header is repaired before the other one is overwritten", async () => {
    const disk = diskWith(patched(file, 20, [1, 2, 3]));
    const world = await openPixelWorld(disk, FILE, { generator: ground, autosave: false });
    expect(world.generation).toBe(4);
    await world.store(8, 8, filled(2));
    await world.close();
    // With the header of generation 5 damaged, the repaired one of generation 4 must still count.
    const bytes = patched(bytesOf(disk), NEWEST + 8, [9]);
    expect(Object.keys(await materialsOf(bytes)).length).toBe(4);
  });

  test("[X32] a file with a damaged header and a damaged table after the end is not opened for writing", async () => {
    const table = file.lastIndexOf(0x4e);
    const broken = patched(patched(file, 20, [1, 2, 3]), file.length - 1, [(file.at(-1) ?? 0) ^ 1]);
    expect(table).toBeGreaterThan(ENTRIES);
    expect(await codeOfRejection(openPixelWorld(diskWith(broken), FILE, { generator: ground }))).toBe(
      "ORT_CHECKSUM",
    );
    expect(await materialsOf(broken), "the save before").toEqual({ "0,0": 5, "1,0": 0, "-3,2": 6, "4,4": 9 });
    // A repair keeps what the entries after the end say: another chunk at 0,0, and none at 4,4.
    const plan = await planPixelRepair(diskWith(broken), FILE);
    expect(plan.chunks.map(({ x, y }) => `${x},${y}`)).toEqual(["0,0", "1,0", "-3,2"]);
    const mended = new MemoryDisk();
    await applyPixelRepair(diskWith(broken), FILE, plan, mended, FILE);
    expect(await materialsOf(bytesOf(mended))).toEqual({ "0,0": 7, "1,0": 0, "-3,2": 6 });
  });

  test("[X32] uncommitted bytes are cut off when a file is opened for writing", async () => {
    const disk = diskWith(Uint8Array.from([...file, ...file.subarray(ENTRIES, ENTRIES + 90)]));
    expect(await verifyPixelWorld(disk, FILE)).toMatchObject([{ severity: "notice" }]);
    await (await openPixelWorld(disk, FILE, { autosave: false })).close();
    expect(bytesOf(disk).length).toBe(file.length);
  });
});

describe("repair of a version 2 file", () => {
  async function repaired(bytes: Uint8Array): Promise<Uint8Array> {
    const plan = await planPixelRepair(diskWith(bytes), FILE);
    const mended = new MemoryDisk();
    await applyPixelRepair(diskWith(bytes), FILE, plan, mended, FILE);
    expect(isWhole(await verifyPixelWorld(mended, FILE))).toBe(true);
    return bytesOf(mended);
  }

  test("[X33] [X40] repair finds everything without tables, and removed chunks and bodies stay removed", async () => {
    // Damage every table, so that none is readable; the headers stay intact.
    const broken = file.slice();
    for (let at = ENTRIES; at < broken.length - 48; at++) {
      if (broken[at] === 0x50 && broken[at + 1] === 0x58 && broken[at + 2] === 0x45 && broken[at + 4] === 5)
        broken[at + 12] = 1;
    }
    expect(await strictly(broken)).toBe("ORT_CHECKSUM");
    expect(await materialsOf(await repaired(broken))).toEqual({ "0,0": 7, "1,0": 0, "-3,2": 6 });
    const save = await openPixelSave(diskWith(await repaired(broken)), FILE);
    expect(save.bodyCount).toBe(1);
  });

  test("[X40] repair replaces a damaged chunk with an older one", async () => {
    const save = await openPixelSave(diskWith(file), FILE);
    const ref = save.chunkAt(0, 0);
    const broken = patched(file, (ref?.offset ?? 0) + 60, [0xff, 0xff]);
    const plan = await planPixelRepair(diskWith(broken), FILE);
    expect(plan.losses.length).toBe(1);
    expect(plan.losses[0]).toMatch(/^chunk \[0, 0\]: .*; the older one at offset \d+ takes its place$/);
    expect(await materialsOf(await repaired(broken))).toEqual({ "0,0": 5, "1,0": 0, "-3,2": 6 });
  });

  test("[X27] repair ignores an entry nested in another entry", async () => {
    const { disk, world } = await newWorld({ autosave: false });
    const inner = file.slice(ENTRIES, ENTRIES + 400);
    await world.storeBody({ ...sampleBody(5n), extension: inner });
    await world.close();
    const bytes = bytesOf(disk);
    const spoiled = patched(bytes, ENTRIES + 64 + 30, [0xaa]);
    expect(await strictly(spoiled)).toBe("ORT_CHECKSUM");
    const plan = await planPixelRepair(diskWith(spoiled), FILE);
    expect([plan.chunks.length, plan.bodies.length]).toEqual([0, 0]);
  });

  test("[X40] repair needs one intact header", async () => {
    const blind = patched(patched(file, 60, [1, 2, 3]), SLOT + 60, [1, 2, 3]);
    expect(await codeOfRejection(planPixelRepair(diskWith(blind), FILE))).toBe("ORT_CHECKSUM");
  });
});

describe("layers of a pixel world", () => {
  const layers: readonly PixelLayer[] = [
    { name: "material", kept: 0xff },
    { name: "heat", kept: 0 },
    { name: "flags", kept: 0x21 },
  ];

  test("[X22] layers keep only the bits that they declare", async () => {
    const disk = new MemoryDisk();
    const world = await createPixelWorld(disk, FILE, { chunkEdge: 8, layers }, { autosave: false });
    await world.store(0, 0, new Uint8Array(192).fill(0xff));
    await world.close();
    const again = await openPixelWorld(disk, FILE, { autosave: false });
    expect([...((await again.load(0, 0)) ?? [])].slice(0, 6)).toEqual([0xff, 0, 0x21, 0xff, 0, 0x21]);
    await again.close();
  });

  test.each<[what: string, layers: readonly PixelLayer[]]>([
    ["none", []],
    ["more than eight", Array.from({ length: 9 }, (_, index) => ({ name: `${index}`, kept: 255 }))],
    [
      "a name twice",
      [
        { name: "a", kept: 255 },
        { name: "a", kept: 1 },
      ],
    ],
    ["a first one that is not kept", [{ name: "a", kept: 1 }]],
  ])("[X21] layers are rejected: %s", async (_what, wrong) => {
    expect(await codeOfRejection(createPixelWorld(new MemoryDisk(), FILE, { layers: wrong }))).toBe(
      "ORT_ARGUMENT",
    );
  });

  test.each([4, 24, 2_048])("[X21] a chunk edge of %d pixels is rejected", async (chunkEdge) => {
    expect(await codeOfRejection(createPixelWorld(new MemoryDisk(), FILE, { chunkEdge }))).toBe(
      "ORT_ARGUMENT",
    );
  });
});

describe("the stored form of a chunk", () => {
  async function storageOf(pixels: Uint8Array): Promise<string | undefined> {
    const { disk, world } = await newWorld({ generator: ground, autosave: false });
    await world.store(0, 0, pixels);
    await world.close();
    const save = await openPixelSave(disk, FILE);
    expect(
      Buffer.compare(
        (await materialsOfPixels(disk)) ?? new Uint8Array(0),
        pixels.map((byte, at) => (at % 4 === 3 ? byte & 0x20 : byte)),
      ),
    ).toBe(0);
    return save.chunkAt(0, 0)?.storage;
  }

  async function materialsOfPixels(disk: MemoryDisk): Promise<Uint8Array | undefined> {
    const world = await openPixelWorld(disk, FILE, { generator: ground, autosave: false });
    const pixels = await world.load(0, 0);
    await world.close();
    return pixels;
  }

  test("[X23] a chunk is stored in its shortest form", async () => {
    const generated = new Uint8Array(BYTES);
    ground.fill(0, 0, generated);
    expect(await storageOf(generated), "not stored").toBeUndefined();
    expect(await storageOf(patched(generated, 40, [9, 9, 9, 0]))).toBe("delta");
    expect(await storageOf(new Uint8Array(BYTES))).toBe("empty");
    expect(await storageOf(filled(1))).toBe("full");
  });

  test("[X24] a chunk with a dug hole is stored as changes", async () => {
    const generated = new Uint8Array(BYTES);
    ground.fill(0, 0, generated);
    const dug = generated.slice();
    for (let y = 0; y < 8; y++) dug.fill(0, y * EDGE * 4, y * EDGE * 4 + 32);
    expect(await storageOf(dug)).toBe("delta");
  });
});

describe("the generator of a pixel world", () => {
  test("[X26] a world rejects any generator but the one that it was created with", async () => {
    const other = { ...ground, ref: new GeneratorRef("ground", Uint8Array.of(1), 7n, 4n) };
    expect(await codeOfRejection(openPixelWorld(diskWith(file), FILE, { generator: other }))).toBe(
      "ORT_GENERATOR_VERSION",
    );
    const { disk, world } = await newWorld();
    await world.close();
    expect(await codeOfRejection(openPixelWorld(disk, FILE, { generator: ground }))).toBe(
      "ORT_GENERATOR_VERSION",
    );
  });

  test("[X26] only chunks stored as changes need the generator", async () => {
    const { disk, world } = await newWorld({ generator: ground, autosave: false });
    const generated = new Uint8Array(BYTES);
    ground.fill(1, 0, generated);
    await world.store(1, 0, patched(generated, 0, [9, 9, 9, 0]));
    await world.store(0, 0, filled(5));
    await world.close();
    const without = await openPixelWorld(disk, FILE, { autosave: false });
    expect(await codeOfRejection(without.load(1, 0))).toBe("ORT_GENERATOR_UNKNOWN");
    expect((await without.load(0, 0))?.[0]).toBe(5);
    await without.close();
  });
});

describe("tables of a version 2 file", () => {
  test("[X28] tables of changes stack up until they are as long as a complete one, which replaces them", async () => {
    const { disk, world } = await newWorld({ autosave: false });
    const prng = new Prng(2);
    for (let round = 0; round < 40; round++) {
      for (let changes = 0; changes < 3; changes++) {
        await world.store(prng.below(20) - 10, prng.below(20) - 10, filled(1 + prng.below(200)));
      }
      await world.save().done;
      const save = await openPixelSave(disk, FILE);
      expect(save.chunkCount).toBe(world.chunkCount);
      expect(save.deadBytes).toBe(world.deadBytes);
      await save.close();
    }
    const order = [...(await openPixelSave(disk, FILE)).chunks()];
    for (const [index, { x, y }] of order.entries()) {
      const next = order[index + 1];
      if (next !== undefined) expect(y < next.y || (y === next.y && x < next.x)).toBe(true);
    }
    await world.close();
  });
});

test("[X35] a new file exists completely or not at all, and never overwrites another", async () => {
  const disk = new MemoryDisk();
  const writer = await PixelSaveWriter.create(disk, FILE, {
    worldSeed: 1n,
    createdMs: 5,
    chunkEdge: 16,
    tileEdge: 16,
    layers: DEFAULT_LAYERS,
    generator: undefined,
  });
  await writer.addPixels(0, 0, filled(3));
  await writer.close();
  expect(await disk.list("")).toEqual([]);
  await (await createPixelWorld(disk, FILE)).close();
  expect(await codeOfRejection(createPixelWorld(disk, FILE))).toBe("ORT_EXISTS");
});
