import { cubeAt } from "@orthant/core/lattice";
import { type Disk, type DiskFile, type DiskImage, MemoryDisk, type OpenMode } from "@orthant/disk";
import { createSave, DEFAULT_LIMITS, openSave, resumeSave, type SaveChange, verifySave } from "@orthant/save";
import { COMPACTION_DEAD_SHARE } from "@orthant/save/internal";
import {
  CrashDisk,
  codeOfRejection,
  type DiskFaultKind,
  FaultDisk,
  type FaultyOperation,
  Prng,
} from "@orthant/testkit";
import {
  chunksOf,
  entityAt,
  entityIdsOf,
  flipByte,
  GLOBAL,
  ORIGIN_CELL,
  TIGHT_LIMITS,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";
import { AT_ONCE, change, fileOf, numbersOf, packNames, worldOf } from "./compacted-worlds.ts";

/** The world keeps generation 1, which has a name, and the last two, in several packs of 1,024 bytes. */
const COMMITS = 66;
const LAST_TWO = [COMMITS - 1, COMMITS] as const;
/** Size of the record of one such commit. */
const RECORD_BYTES = 34;

describe("compaction", () => {
  test("[S90] keeps exactly what a generation needs and reports the bytes saved", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const before = await packBytes(disk);
    const names = await packNames(disk);
    const report = await writer.compact(AT_ONCE);
    expect(await numbersOf(disk, 1, ...LAST_TWO)).toEqual([1, ...LAST_TWO]);
    expect(await verifySave(disk)).toEqual([]);
    // The first pack holds generation 1, the last one the last two; those between are removed.
    expect(report).toMatchObject({ packsRewritten: 2, packsRemoved: names.length - 2, findings: [] });
    expect(report.bytesBefore - 12).toBe(before);
    expect(report.bytesAfter).toBe(await packBytes(disk));
    expect(report.bytesAfter).toBeLessThan(before / 5);
    expect(await writer.compact(AT_ONCE)).toMatchObject({ packsRewritten: 0, packsRemoved: 0 });
  });

  test("[S90] never reuses the id of a removed pack", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const ids = new Set(await packNames(disk));
    await writer.compact(AT_ONCE);
    const rolled = (await packNames(disk)).at(-1) ?? "";
    expect(ids.has(rolled)).toBe(false);
    await writer.close();
    const next = await resume(disk);
    for (let number = COMMITS + 1; number < 2 * COMMITS; number++)
      await (await next.commit(change(number))).close();
    const later = (await packNames(disk)).filter((name) => !ids.has(name));
    expect(later.every((name) => name >= rolled)).toBe(true);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S90] removes the pack that it began when the writer closes, unless a commit has named it", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const before = await packNames(disk);
    await writer.compact(AT_ONCE);
    const rolled = (await packNames(disk)).filter((name) => !before.includes(name));
    expect(rolled).toHaveLength(1);
    await writer.close();
    expect(await packNames(disk)).not.toContain(rolled[0]);
    expect(await verifySave(disk)).toEqual([]);
    // The active pack is compacted now, so opening begins another one.
    await (await resume(disk)).close();
    expect(await packNames(disk)).not.toContain(rolled[0]);
    const next = await resume(disk);
    await (await next.commit(change(COMMITS + 1))).close();
    await next.compact(AT_ONCE);
    await (await next.commit({ nowMs: 1, global: GLOBAL })).close();
    const named = await packNames(disk);
    await next.close();
    await next.close();
    expect(await packNames(disk)).toEqual(named);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S97] leaves the pack that it began alone if the lock is lost before the writer closes", async () => {
    const { disk, writer: first } = await worldOf(COMMITS);
    await first.close();
    const save = await openSave(disk);
    const lock = await disk.lock("world.lock");
    const writer = await resumeSave(disk, save, { lock });
    await save.close();
    await writer.compact(AT_ONCE);
    const names = await packNames(disk);
    await lock.release();
    await writer.close();
    expect(await packNames(disk)).toEqual(names);
  });

  test("[S90] compacts a pack again when more of it is dead, and removes it when all of it is", async () => {
    const { disk, writer } = await worldOf(5, { limits: DEFAULT_LIMITS });
    const sizes: number[] = [];
    await writer.compact(AT_ONCE);
    sizes.push(fileOf(disk, "data/dt-000001.v4dt").length);
    for (const number of [6, 7]) await (await writer.commit(change(number))).close();
    expect(await writer.compact(AT_ONCE)).toMatchObject({ packsRewritten: 1, packsRemoved: 0 });
    sizes.push(fileOf(disk, "data/dt-000001.v4dt").length);
    // Three records and two tables of 30 bytes, then one record with two tables of 26.
    expect(sizes).toEqual([3 * RECORD_BYTES + 2 * 30, RECORD_BYTES + 2 * 26]);
    expect(await numbersOf(disk, 1, 6, 7)).toEqual([1, 6, 7]);
    await (await writer.commit({ ...change(8), global: GLOBAL })).close();
    expect(await writer.compact(AT_ONCE)).toMatchObject({ packsRemoved: 1 });
    expect(await packNames(disk)).not.toContain("dt-000001.v4dt");
    expect(await numbersOf(disk, 7, 8)).toEqual([7, 8]);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S85] keeps a generation that is open in the same process until it is closed", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const reader = writer.currentSave();
    for (const number of [1, 2, 3].map((step) => COMMITS + step))
      await (await writer.commit(change(number))).close();
    await writer.compact(AT_ONCE);
    expect(await chunksOf(reader)).toEqual({ "0,0,0,0": COMMITS + 10 });
    await reader.close();
    await (await writer.commit(change(COMMITS + 4))).close();
    await writer.compact(AT_ONCE);
    expect(await codeOfRejection(() => openSave(disk, { generation: COMMITS }))).toBe("ORT_NOT_FOUND");
    expect(await numbersOf(disk, COMMITS + 3, COMMITS + 4)).toEqual([COMMITS + 3, COMMITS + 4]);
  });

  test("[S85] also keeps a generation whose save was opened before its writer", async () => {
    const { disk, writer: first } = await worldOf(COMMITS);
    await first.close();
    const reader = await openSave(disk);
    const writer = await resumeSave(disk, reader);
    for (const number of [1, 2, 3].map((step) => COMMITS + step))
      await (await writer.commit(change(number))).close();
    await writer.compact(AT_ONCE);
    expect(await chunksOf(reader)).toEqual({ "0,0,0,0": COMMITS + 10 });
    await writer.close();
    expect(await chunksOf(reader)).toEqual({ "0,0,0,0": COMMITS + 10 });
    await reader.close();
  });

  test("[S90] continues while commits happen between any two of its slices", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    let number = COMMITS;
    const reports = [];
    for (let round = 0; round < 5; round++) {
      const pause = async (): Promise<void> => {
        number++;
        await (await writer.commit(change(number))).close();
      };
      reports.push(await writer.compact({ force: true, pause }));
      expect(await verifySave(disk)).toEqual([]);
      expect(await numbersOf(disk, 1, number - 1, number)).toEqual([1, number - 1, number]);
    }
    expect(number).toBeGreaterThan(COMMITS + 20);
    expect(reports.every(({ packsRewritten }) => packsRewritten > 0)).toBe(true);
  });

  test("[S86] lets running reads finish, and later reads return the same content", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    await writer.close();
    const slow = new SlowReads(disk.image());
    const save = await openSave(slow);
    const next = await resumeSave(slow, save);
    const reading = chunksOf(save);
    await slow.hasBegun;
    await next.compact(AT_ONCE);
    slow.goOn();
    expect(await reading).toEqual({ "0,0,0,0": COMMITS + 10 });
    expect(await chunksOf(save)).toEqual({ "0,0,0,0": COMMITS + 10 });
    await save.close();
    await next.close();
    expect(slow.openFiles).toBe(0);
  });

  test("[S89] leaves a pack unchanged when a needed record is damaged, and reports which one", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    await flipByte(disk, "data/dt-000001.v4dt", 12 + RECORD_BYTES + 20);
    const before = fileOf(disk, "data/dt-000001.v4dt");
    const report = await writer.compact(AT_ONCE);
    expect(report.findings).toMatchObject([
      { severity: "damage", file: "data/dt-000001.v4dt", offset: 12 + RECORD_BYTES, code: "ORT_CHECKSUM" },
    ]);
    expect(report.packsRewritten).toBe(1);
    expect(fileOf(disk, "data/dt-000001.v4dt")).toEqual(before);
    expect((await packNames(disk)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(await numbersOf(disk, ...LAST_TWO)).toEqual([...LAST_TWO]);
  });

  test("[S89] drops a damaged record that no generation needs like any other dead record", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    await flipByte(disk, "data/dt-000001.v4dt", 12 + 20);
    expect((await writer.compact(AT_ONCE)).findings).toEqual([]);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S90] changes nothing when a generation is unreadable, because its needs are unknown", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const index = "index/ix-main.g0000000000000001.v4ix";
    await flipByte(disk, index, 70);
    const before = (await packNames(disk)).map((name) => fileOf(disk, `data/${name}`));
    const report = await writer.compact(AT_ONCE);
    expect(report).toMatchObject({ packsRewritten: 0, packsRemoved: 0, findings: [{ file: index }] });
    const packs = (await packNames(disk)).slice(0, before.length);
    expect(packs.map((name) => fileOf(disk, `data/${name}`))).toEqual(before);
  });

  test("[S90] removes nothing when folders cannot be listed", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    await writer.close();
    for (let nth = 1; nth <= 6; nth++) {
      const faulty = new FaultDisk(disk, { operation: "list", kind: "io", nth });
      const next = await resume(faulty).catch(() => undefined);
      await next?.compact(AT_ONCE).catch(() => undefined);
      await next?.close();
      expect(await numbersOf(disk, 1, ...LAST_TWO), `list number ${nth}`).toEqual([1, ...LAST_TWO]);
    }
  });

  test("[S89, S91, S103] performs its steps in a fixed order", async () => {
    const { disk: memory, writer: first } = await worldOf(COMMITS);
    await first.close();
    const disk = new CrashDisk(memory.image());
    await (await disk.open("data/dt-000001.v4dt.tmp", "create")).close();
    const writer = await resume(disk);
    await writer.compact(AT_ONCE);
    const steps = disk.log.map((step) => `${step.kind} ${"to" in step ? step.to : step.path}`);
    const rewriting = (pack: string): readonly string[] => [
      `create ${pack}.tmp`,
      ...["head", "records", "tail"].map(() => `write ${pack}.tmp`),
      `sync ${pack}.tmp`,
      `rename ${pack}`,
    ];
    const packs = (await memory.list("data")).map(({ name }) => `data/${name}`);
    const next = `data/dt-${String(packs.length + 1).padStart(6, "0")}.v4dt`;
    expect(steps.slice(1)).toEqual([
      ...[`create ${next}`, `write ${next}`],
      "remove data/dt-000001.v4dt.tmp",
      "syncDirectory index",
      ...["create", "write", "sync"].map((step) => `${step} manifest.json.tmp`),
      ...["rename manifest.json", "syncDirectory "],
      ...packs.slice(1, -1).map((path) => `remove ${path}`),
      ...rewriting("data/dt-000001.v4dt"),
      ...rewriting(packs.at(-1) ?? ""),
      "syncDirectory data",
    ]);
  });

  test("runs once at a time: a call during a run returns the report of that run", async () => {
    const { writer } = await worldOf(COMMITS);
    const reports = await Promise.all([writer.compact(AT_ONCE), writer.compact(AT_ONCE)]);
    expect(reports[0]).toBe(reports[1]);
    expect(reports[0]?.packsRewritten).toBe(2);
  });

  test("runs a forced call after a running unforced one that has little to do", async () => {
    const { writer } = await worldOf(COMMITS);
    const [background, forced] = await Promise.all([
      writer.compact({ pause: AT_ONCE.pause }),
      writer.compact(AT_ONCE),
    ]);
    expect(background.packsRewritten).toBe(0);
    expect(forced.packsRewritten).toBe(2);
  });

  test("[S89] ends when the save is closed, and leaves nothing behind", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    let closing: Promise<void> | undefined;
    const pause = async (): Promise<void> => {
      closing ??= writer.close();
    };
    expect(await codeOfRejection(() => writer.compact({ force: true, pause }))).toBe("ORT_CLOSED");
    await closing;
    expect((await packNames(disk)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(await numbersOf(disk, 1, ...LAST_TWO)).toEqual([1, ...LAST_TWO]);
  });

  test.each<[operation: FaultyOperation, kind: DiskFaultKind]>([
    ["open", "io"],
    ["append", "full"],
    ["append", "io"],
    ["sync", "io"],
    ["rename", "io"],
    ["remove", "io"],
    ["syncDirectory", "io"],
    ["readAt", "io"],
    ["size", "io"],
    ["list", "io"],
  ])("[S89] loses nothing when any %s fails (%s), and commits continue", async (operation, kind) => {
    const { disk: memory, writer: first } = await worldOf(COMMITS);
    await first.close();
    const opening = new FaultDisk(new MemoryDisk(memory.image()));
    await (await resume(opening)).close();
    const callsBefore = opening.calls.get(operation) ?? 0;
    for (let nth = 1; ; nth++) {
      const disk = new MemoryDisk(memory.image());
      const faulty = new FaultDisk(disk, { operation, kind, nth: callsBefore + nth });
      const writer = await resume(faulty);
      const failure = await codeOfRejection(() => writer.compact(AT_ONCE));
      if (!faulty.struck) {
        expect(failure).toBe("no error");
        expect(nth).toBeGreaterThan(1);
        return;
      }
      // If the new pack failed, the writer is unusable, as after any failed commit.
      const committed = await codeOfRejection(async () => (await writer.commit(change(COMMITS + 1))).close());
      await writer.close();
      expect(await numbersOf(disk, 1, COMMITS), `${operation} number ${nth}`).toEqual([1, COMMITS]);
      expect(committed, `${operation} number ${nth}`).toMatch(/^(no error|ORT_SAVE_FAILED)$/);
      if (committed === "no error") expect(await numbersOf(disk, COMMITS + 1)).toEqual([COMMITS + 1]);
      const again = await resume(disk);
      await (await again.commit(change(COMMITS + 2))).close();
      await again.compact(AT_ONCE);
      await again.close();
      expect(await verifySave(disk), `${operation} number ${nth}`).toEqual([]);
    }
  });
});

/** Bytes that cannot be compressed. */
function noise(seed: number): Uint8Array {
  const prng = new Prng(seed);
  return Uint8Array.from({ length: 900 }, () => prng.below(256));
}

test("a save with very many packs keeps only a few hundred of them open", async () => {
  const disk = new SlowReads(new MemoryDisk().image());
  disk.goOn();
  const cubes = Array.from({ length: 400 }, (_, number) => cubeAt([number * 65_536, 0, 0, 0], 65_536));
  const writer = await createSave(disk, {
    nowMs: 1,
    global: GLOBAL,
    limits: TIGHT_LIMITS,
    leaves: cubes.map((cube, number) => ({
      cube,
      entities: [{ ...entityAt(BigInt(number + 1), [cube.min[0] * 4, 0, 0, 0]), payload: noise(number) }],
    })),
  });
  await writer.close();
  expect((await disk.list("data")).length).toBe(400);
  const save = await openSave(disk);
  expect((await entityIdsOf(save)).length).toBe(400);
  expect(disk.openFiles).toBe(256);
  expect((await entityIdsOf(save)).length).toBe(400);
  await save.close();
  expect(disk.openFiles).toBe(0);
});

describe("the decision to compact", () => {
  const PAUSE = { pause: async () => undefined };
  const LIMITS = { ...DEFAULT_LIMITS, dataFileMaxBytes: 65_536 };

  test("skips compaction while the packs are small, however much of them is dead", async () => {
    const { disk, writer } = await worldOf(COMMITS);
    const before = await packBytes(disk);
    const report = await writer.compact(PAUSE);
    expect(report).toEqual({
      bytesBefore: before,
      bytesAfter: before,
      packsRewritten: 0,
      packsRemoved: 0,
      findings: [],
    });
  });

  test("[S90] compacts at a MiB and a quarter dead, then not again until much has changed", async () => {
    const { disk, writer } = await worldOf(0, { limits: LIMITS, named: [] });
    for (let number = 1; number <= 40; number++) await (await writer.commit(bigChange(number))).close();
    const first = await writer.compact(PAUSE);
    expect(first.packsRemoved).toBeGreaterThan(30);
    expect(first.bytesAfter).toBeLessThan(4 * BIG_BYTES);
    expect(await verifySave(disk)).toEqual([]);
    const bytesOf = async (): Promise<number> => (await writer.compact(PAUSE)).bytesAfter;
    let most = 0;
    for (let number = 41; number <= 120; number++) {
      await (await writer.commit(bigChange(number))).close();
      most = Math.max(most, await bytesOf());
    }
    // Two generations are needed. A MiB may be dead, and another one may be added before the next check.
    expect(most).toBeLessThan(2 * BIG_BYTES + 3 * 1024 * 1024);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S100] compacts when more than a quarter of the bytes is dead, and not when a little less is", async () => {
    expect(COMPACTION_DEAD_SHARE).toBe(0.25);
    const disk = new MemoryDisk();
    const leaf = (number: number, nowMs: number): NonNullable<SaveChange["leaves"]>[number] => {
      const cube = cubeAt([number * 65_536, 0, 0, 0], 65_536);
      const [entity] = bigChange(1_000 * nowMs + number).leaves?.[0]?.entities ?? [];
      const position = [cube.min[0] * 4, 0, 0, 0] as const;
      return {
        cube,
        entities: [{ ...entityAt(BigInt(number + 1), position), payload: entity?.payload ?? noise(1) }],
      };
    };
    const leaves = (from: number, to: number, nowMs: number): SaveChange => ({
      nowMs,
      leaves: Array.from({ length: to - from }, (_, index) => leaf(from + index, nowMs)),
    });
    const retention = { newest: 1, hours: 0, days: 0 };
    const writer = await createSave(disk, {
      ...leaves(0, 100, 1),
      global: GLOBAL,
      limits: LIMITS,
      retention,
    });
    // 32 dead records of 132 are 24 %, and 35 of 135 are 26 %.
    await (await writer.commit(leaves(0, 32, 2))).close();
    expect(await writer.compact(PAUSE)).toMatchObject({ packsRewritten: 0, packsRemoved: 0 });
    await (await writer.commit(leaves(32, 35, 3))).close();
    expect((await writer.compact(PAUSE)).packsRemoved).toBeGreaterThan(30);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("does not read the leaves again until much has changed when older generations need the dead records", async () => {
    const named = Array.from({ length: 60 }, (_, index) => index);
    const { writer } = await worldOf(0, { limits: LIMITS, named });
    for (let number = 1; number <= 40; number++) await (await writer.commit(bigChange(number))).close();
    let marks = 0;
    const pause = async (): Promise<void> => {
      marks++;
    };
    for (let number = 41; number <= 60; number++) {
      await (await writer.commit(bigChange(number))).close();
      await writer.compact({ pause });
    }
    expect(marks).toBe(0);
  });

  test("[S90] leaves the active pack alone; if much of it is dead, the next commit begins another", async () => {
    const { disk, writer } = await worldOf(0, {
      limits: { ...LIMITS, dataFileMaxBytes: 64 * 1024 * 1024 },
      named: [],
    });
    for (let number = 1; number <= 40; number++) await (await writer.commit(bigChange(number))).close();
    const whole = fileOf(disk, "data/dt-000001.v4dt");
    expect(await writer.compact(PAUSE)).toMatchObject({ packsRewritten: 0 });
    // toEqual would take a minute for this many bytes.
    expect(Buffer.compare(fileOf(disk, "data/dt-000001.v4dt"), whole)).toBe(0);
    await (await writer.commit(bigChange(41))).close();
    expect(await packNames(disk)).toEqual(["dt-000001.v4dt", "dt-000002.v4dt"]);
    expect(await writer.compact(PAUSE)).toMatchObject({ packsRewritten: 1 });
    expect(fileOf(disk, "data/dt-000001.v4dt").length).toBeLessThan(2 * BIG_BYTES);
    expect(await verifySave(disk)).toEqual([]);
  });
});

const BIG_BYTES = 40_000;

/** A commit of some ten thousand incompressible bytes. */
function bigChange(number: number): SaveChange {
  const prng = new Prng(number);
  const payload = Uint8Array.from({ length: BIG_BYTES }, () => prng.u32());
  return {
    nowMs: number,
    leaves: [{ cube: ORIGIN_CELL, chunks: [], entities: [{ ...entityAt(1n, [0, 0, 0, 0]), payload }] }],
  };
}

/** Delays the first read of a pack after its header, and counts open files. */
class SlowReads extends MemoryDisk {
  openFiles = 0;
  readonly hasBegun: Promise<void>;
  readonly #mayGoOn: Promise<void>;
  #begin: () => void = () => undefined;
  goOn: () => void = () => undefined;
  #isFirst = true;

  constructor(image: DiskImage) {
    super(image);
    this.hasBegun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#mayGoOn = new Promise((resolve) => {
      this.goOn = resolve;
    });
  }

  override async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await super.open(path, mode);
    this.openFiles++;
    const readAt = file.readAt.bind(file);
    const close = file.close.bind(file);
    let isOpen = true;
    file.readAt = async (offset, length) => {
      if (path.startsWith("data/") && offset > 0 && this.#isFirst) {
        this.#isFirst = false;
        this.#begin();
        await this.#mayGoOn;
      }
      return readAt(offset, length);
    };
    file.close = async () => {
      if (isOpen) this.openFiles--;
      isOpen = false;
      await close();
    };
    return file;
  }
}

async function resume(disk: Disk): ReturnType<typeof resumeSave> {
  const save = await openSave(disk);
  const writer = await resumeSave(disk, save);
  await save.close();
  return writer;
}

async function packBytes(disk: MemoryDisk): Promise<number> {
  return (await packNames(disk)).reduce((sum, name) => sum + fileOf(disk, `data/${name}`).length, 0);
}
