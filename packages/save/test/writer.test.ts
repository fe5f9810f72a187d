import { chunkFromVoxels, isOrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import {
  createSave,
  openSave,
  resumeSave,
  type SaveChange,
  type SaveWriter,
  verifySave,
} from "@orthant/save";
import { allLeaves } from "@orthant/save/internal";
import {
  CrashDisk,
  codeOfRejection,
  type DiskFaultKind,
  explorePowerCuts,
  FaultDisk,
  type FaultyOperation,
  Prng,
} from "@orthant/testkit";
import {
  chunkOf,
  chunksOf,
  entryAt,
  GLOBAL,
  ORIGIN_CELL,
  playerOf,
  SHAPE,
  smallWorld,
  TIGHT_LIMITS,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const change = (number: number): SaveChange => ({
  nowMs: number,
  players: [playerOf(1n, number)],
  leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([0, 0, 0, 0], number)] }],
});

async function resume(disk: Disk): Promise<SaveWriter> {
  const save = await openSave(disk);
  const writer = await resumeSave(disk, save);
  await save.close();
  return writer;
}

describe("a commit", () => {
  test("a commit of many chunks yields between slices and writes the same bytes as one that does not", async () => {
    const chunks = Array.from({ length: 300 }, (_, index) => entryAt([index, 0, 0, 0], index));
    const [patient, hasty] = [await smallWorld(), await smallWorld()];
    let pauses = 0;
    const pause = async (): Promise<void> => void pauses++;
    const many: SaveChange = { nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks }] };
    await (await patient.writer.commit(many, { pause })).close();
    await (await hasty.writer.commit(many)).close();
    expect(pauses).toBeGreaterThan(10);
    expect(patient.disk.image()).toEqual(hasty.disk.image());
    pauses = 0;
    await (await patient.writer.commit(change(3), { pause })).close();
    expect(pauses, "a small commit is one slice").toBe(0);
  });

  test("[S43, S44, S45] writes and syncs in a fixed order", async () => {
    const disk = new CrashDisk();
    const writer = await createSave(disk, { nowMs: 1, global: GLOBAL });
    const from = disk.log.length;
    await writer.commit(change(2));
    const steps = disk.log.slice(from).map((step) => `${step.kind} ${"to" in step ? step.to : step.path}`);
    const generation = "g0000000000000001";
    const files = [
      `index/ix-main.${generation}.v4ix`,
      `global.${generation}.v4g`,
      `players.${generation}.v4p`,
      "manifest.json",
    ];
    expect(steps).toEqual([
      "write data/dt-000001.v4dt",
      "sync data/dt-000001.v4dt",
      ...["create", "write", "sync"].flatMap((kind) => files.map((file) => `${kind} ${file}.tmp`)),
      `rename index/ix-main.${generation}.v4ix`,
      `rename global.${generation}.v4g`,
      `rename players.${generation}.v4p`,
      "syncDirectory index",
      "syncDirectory ",
      "rename manifest.json",
      "syncDirectory ",
    ]);
  });

  test("[S43] appends after the leftovers of a crash at the end of a pack, and keeps them", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const pack = await disk.open("data/dt-000001.v4dt", "write");
    const torn = await pack.append(new TextEncoder().encode("RECD torn"));
    const next = await resume(disk);
    const save = await next.commit(change(5));
    expect((await allLeaves(save.index))[0]?.chunkRefs[0]?.recordOffset).toBe(torn + 9);
    expect(await pack.readAt(torn, 9)).toEqual(new TextEncoder().encode("RECD torn"));
    expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 5 });
  });

  test("[S43] begins a new pack when one is full, skipping ids used before a crash", async () => {
    const { disk, writer } = await smallWorld(TIGHT_LIMITS);
    await writer.close();
    await disk.open("data/dt-000002.v4dt", "create");
    const next = await resume(disk);
    for (let number = 2; number < 40; number++) await next.commit(change(number));
    const save = await openSave(disk);
    const packs = (await disk.list("data")).map(({ name }) => name);
    expect(packs.slice(0, 3)).toEqual(["dt-000001.v4dt", "dt-000002.v4dt", "dt-000003.v4dt"]);
    expect(save.manifest.activeDataFileId).toBeGreaterThanOrEqual(3);
    expect(save.manifest.dataFileCount).toBe(save.manifest.activeDataFileId);
    expect(save.global.nextDataFileId).toBe(save.manifest.activeDataFileId + 1);
    expect(await chunksOf(save)).toEqual({ "0,0,0,0": 39 });
    for (const [path, bytes] of disk.image().files) {
      if (path.startsWith("data/")) expect(bytes.length).toBeLessThanOrEqual(TIGHT_LIMITS.dataFileMaxBytes);
    }
  });

  test("[S43] gives a record longer than a pack a pack to itself", async () => {
    const { disk, writer } = await smallWorld({ ...TIGHT_LIMITS, chunkBlobTargetBytes: 65_536 });
    const prng = new Prng(1);
    const chunks = Array.from({ length: 120 }, (_, x) => ({
      position: [x, 0, 0, 0] as const,
      chunk: chunkFromVoxels(Uint16Array.from({ length: SHAPE.volume }, () => prng.between(1, 60_000))),
    }));
    const save = await writer.commit({ nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks }] });
    expect((await allLeaves(save.index))[0]?.chunkRefs[0]).toMatchObject({ packId: 2, recordOffset: 12 });
    await writer.commit(change(3));
    expect(writer.state.manifest.activeDataFileId).toBe(3);
    expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 3 });
  });

  test("[S46] keeps the newest two generations and the named ones", async () => {
    const { disk, writer } = await smallWorld();
    const description = {
      ...GLOBAL.description,
      namedGenerations: [{ generation: 1, name: "before the dragon" }],
    };
    for (let number = 2; number < 8; number++) {
      await (await writer.commit({ ...change(number), global: { ...GLOBAL, description } })).close();
    }
    const generations = [...disk.image().files.keys()].flatMap(
      (path) => /^players\.g0*(\d+)\./.exec(path)?.[1] ?? [],
    );
    expect(generations.sort()).toEqual(["1", "5", "6"]);
    const named = await openSave(disk, { generation: 1 });
    expect(await chunksOf(named)).toEqual({ "0,0,0,0": 2 });
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S46] stands when an old generation cannot be removed, and reports the failure", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const faulty = new FaultDisk(disk, {
      operation: "remove",
      kind: "io",
      nth: 1,
      sticky: true,
      path: /g0000000000000000/,
    });
    const next = await resume(faulty);
    await (await next.commit(change(2))).close();
    await (await next.commit(change(3))).close();
    expect(next.retirementFailure?.code).toBe("ORT_DISK_IO");
    expect((await openSave(disk)).generation).toBe(2);
  });

  test("continues from an older generation only on request, and makes it the newest", async () => {
    const { disk, writer } = await smallWorld();
    await writer.commit(change(2));
    await writer.commit(change(3));
    await writer.close();
    const older = await openSave(disk, { generation: 1 });
    expect(await codeOfRejection(() => resumeSave(disk, older))).toBe("ORT_GENERATION");
    const save = await (await resumeSave(disk, older, { rollBack: true })).commit({ nowMs: 9 });
    expect(save.generation).toBe(3);
    expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 2 });
  });

  test("[S28] omits clocks from an index of version 1 and reports how many", async () => {
    const disk = new MemoryDisk();
    const writer = await createSave(disk, { nowMs: 1, global: GLOBAL, indexVersion: 1 });
    const clocks = [{ region: [0, 0, 0, 0], clock: 7 }] as const;
    await writer.commit({
      nowMs: 2,
      leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([0, 0, 0, 0], 2)], clocks }],
    });
    const save = await openSave(disk);
    expect([save.indexVersion, (await allLeaves(save.index))[0]?.clocks, writer.droppedClocks]).toEqual([
      1,
      [],
      1,
    ]);
  });

  test.each<[name: string, wrong: SaveChange]>([
    [
      "a chunk outside of its leaf",
      { nowMs: 2, leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([-1, 0, 0, 0], 2)] }] },
    ],
    [
      "a leaf inside another",
      {
        nowMs: 2,
        leaves: [{ cube: { min: [0, 0, 0, 0], max: [4, 4, 4, 4] }, chunks: [entryAt([0, 0, 0, 0], 2)] }],
      },
    ],
    [
      "a leaf that is not a cube",
      { nowMs: 2, leaves: [{ cube: { min: [0, 0, 0, 0], max: [4, 4, 4, 8] }, chunks: [] }] },
    ],
    [
      "two chunks at one position",
      {
        nowMs: 2,
        leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([0, 0, 0, 0], 2), entryAt([0, 0, 0, 0], 3)] }],
      },
    ],
    [
      "a chunk of another shape",
      {
        nowMs: 2,
        global: {
          ...GLOBAL,
          description: { ...GLOBAL.description, chunkShape: { ...SHAPE, extents: [1, 1, 1, 16] } },
        },
      },
    ],
  ])("refuses %s, changes nothing, and later commits succeed", async (_name, wrong) => {
    const { disk, writer } = await smallWorld();
    expect(await codeOfRejection(() => writer.commit(wrong))).toBe("ORT_ARGUMENT");
    expect((await openSave(disk)).generation).toBe(0);
    await writer.commit(change(4));
    expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 4 });
  });

  test("is refused while another is running", async () => {
    const { writer } = await smallWorld();
    const running = writer.commit(change(2));
    expect(await codeOfRejection(() => writer.commit(change(3)))).toBe("ORT_ARGUMENT");
    expect((await running).generation).toBe(1);
  });
});

describe("a new save", () => {
  test("[S47] is created in a folder that is empty or has only a lock", async () => {
    const locked = new MemoryDisk({
      directories: [],
      files: new Map([["world.lock~boot~1", new Uint8Array(0)]]),
    });
    await (await createSave(locked, { nowMs: 1, global: GLOBAL })).close();
    expect((await openSave(locked)).generation).toBe(0);
    for (const name of ["manifest.json", "notes.txt", "data"]) {
      const full = new MemoryDisk({ directories: [], files: new Map([[name, new Uint8Array(0)]]) });
      expect(await codeOfRejection(() => createSave(full, { nowMs: 1, global: GLOBAL }))).toBe(
        "ORT_NOT_EMPTY",
      );
      expect([...full.image().files.keys()]).toEqual([name]);
    }
  });
});

describe("an interrupted creation of a save", () => {
  test("[S47] leaves a save, or leftovers over which a save can be created", async () => {
    const recorder = new CrashDisk();
    await (await createSave(recorder, { nowMs: 1, global: GLOBAL })).close();
    let unfinished = 0;
    await explorePowerCuts(recorder, { disksPerCut: 100, seed: 1 }, async ({ disk, cutAt }) => {
      const opened = await openSave(disk).catch(() => undefined);
      expect(opened !== undefined || cutAt < recorder.log.length).toBe(true);
      if (opened !== undefined) return;
      unfinished++;
      const writer = await createSave(disk, { nowMs: 2, global: GLOBAL });
      await writer.commit(change(4));
      await writer.close();
      expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 4 });
    });
    expect(unfinished).toBeGreaterThan(100);
  });

  test("[S47] is not confused with a world that lost its manifest", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    await disk.remove("manifest.json");
    const before = [...disk.image().files.keys()];
    expect(await codeOfRejection(() => createSave(disk, { nowMs: 1, global: GLOBAL }))).toBe("ORT_NOT_EMPTY");
    expect([...disk.image().files.keys()]).toEqual(before);
  });
});

describe("a disk that fails", () => {
  const operations: readonly FaultyOperation[] = [
    "open",
    "append",
    "sync",
    "rename",
    "remove",
    "syncDirectory",
  ];
  const cases = operations.flatMap((operation) =>
    (["io", "full"] as const).map((kind) => [operation, kind] as const),
  );

  test.each(cases)(
    "[S50] a disk that fails at any %s (%s) ends the commit and all further use of the writer, and leaves a generation intact",
    async (operation, kind) => {
      let struck = true;
      for (let nth = 1; struck; nth++) struck = await commitOnFaultyDisk(operation, kind, nth);
    },
  );

  test("[S50] a disk that fails in a sync is not trusted later: a resumed writer begins a new pack on request", async () => {
    const { disk, writer } = await smallWorld();
    await writer.close();
    const faulty = new FaultDisk(disk, { operation: "sync", kind: "io", nth: 1, path: /^data/ });
    const failing = await resume(faulty);
    expect(await codeOfRejection(() => failing.commit(change(2)))).toBe("ORT_DISK_IO");
    const again = await resumeSave(disk, await openSave(disk), { newPack: true });
    const save = await again.commit(change(3));
    expect((await allLeaves(save.index))[0]?.chunkRefs[0]?.packId).toBe(2);
    expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 3 });
  });
});

/** Makes one commit with one fault. Returns whether the fault occurred. */
async function commitOnFaultyDisk(
  operation: FaultyOperation,
  kind: DiskFaultKind,
  nth: number,
): Promise<boolean> {
  const { disk, writer } = await smallWorld(TIGHT_LIMITS);
  for (let number = 2; number < 5; number++) await writer.commit(change(number));
  await writer.close();
  const writable = await openSave(disk);
  const faulty = new FaultDisk(disk, { operation, kind, nth });
  const resumed = await resumeSave(faulty, writable).catch((error: unknown) => error);
  if (isOrthantError(resumed)) {
    expect(faulty.struck).toBe(true);
    return true;
  }
  const failing = resumed as SaveWriter;
  const outcome = await failing.commit(change(9)).then(
    () => "committed",
    (error: unknown) => error,
  );
  const retired = failing.retirementFailure !== undefined;
  if (faulty.struck && !retired) {
    expect(isOrthantError(outcome, "ORT_DISK_IO", "ORT_DISK_FULL")).toBe(true);
    expect(await codeOfRejection(() => failing.commit(change(10)))).toBe("ORT_SAVE_FAILED");
  } else expect(outcome).toBe("committed");
  const found = await chunksOf(await openSave(disk));
  expect(outcome === "committed" ? [9] : [4, 9]).toContain(found["0,0,0,0"]);
  const next = await resume(disk);
  await next.commit(change(11));
  expect(await chunksOf(await openSave(disk))).toEqual({ "0,0,0,0": 11 });
  return faulty.struck;
}

describe("a power cut", () => {
  test("[S51] a power cut at any operation leaves the last generation or the next one intact, and a writer can continue", async () => {
    const recorder = new CrashDisk();
    const acknowledgedAt: number[] = [];
    const writer = await createSave(recorder, { ...change(0), global: GLOBAL, limits: TIGHT_LIMITS });
    acknowledgedAt.push(recorder.log.length);
    for (let number = 1; number < 6; number++) {
      const chunks = Array.from({ length: 12 }, (_, x) => ({
        position: [x, 0, 0, 0] as const,
        chunk: chunkOf(number),
      }));
      await writer.commit({ ...change(number), leaves: [{ cube: ORIGIN_CELL, chunks }] });
      acknowledgedAt.push(recorder.log.length);
    }
    const outcomes = new Set<string>();
    const report = await explorePowerCuts(recorder, { disksPerCut: 12, seed: 3 }, async ({ disk, cutAt }) => {
      const acknowledged = acknowledgedAt.filter((length) => length <= cutAt).length;
      if ((await codeOfRejection(() => openSave(disk))) === "ORT_NOT_FOUND" && acknowledged === 0) return;
      const save = await openSave(disk);
      const numbers = new Set(Object.values(await chunksOf(save)));
      expect([...numbers]).toEqual([save.generation]);
      expect([acknowledged - 1, acknowledged]).toContain(save.generation);
      outcomes.add(save.generation < acknowledged ? "kept" : "completed");
      const next = await resumeSave(disk, save);
      await next.commit(change(77));
      expect(Object.values(await chunksOf(await openSave(disk)))).toEqual([77]);
    });
    expect([...outcomes].sort()).toEqual(["completed", "kept"]);
    expect(report.disks).toBeGreaterThan(1_000);
  }, 120_000);
});
