import { deepStrictEqual, ok } from "node:assert";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { detectFormat, EMPTY_TILE_SAVE, openTileSave, type TileSave, writeTileSave } from "@orthant/formats";
import { encodeTileSave, TILE_SAVE_BACKUP_FILE, TILE_SAVE_FILE } from "@orthant/formats/internal";
import {
  CrashDisk,
  codeOfRejection,
  type DiskFault,
  explorePowerCuts,
  FaultDisk,
  WEAK,
} from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { chunkOf } from "./sample-saves.ts";

const savedAt = (tick: number): TileSave => ({
  ...EMPTY_TILE_SAVE,
  tickIndex: BigInt(tick),
  chunks: [chunkOf(tick, 0, tick)],
});

async function put(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await disk.remove(path);
  const file = await disk.open(path, "create");
  await file.append(bytes);
  await file.close();
}

async function tickIn(disk: Disk, path: string): Promise<bigint> {
  const file = await disk.open(path, "read");
  const copy = new MemoryDisk();
  await put(copy, TILE_SAVE_FILE, await file.readAt(0, await file.size()));
  return (await openTileSave(copy)).save.tickIndex;
}

describe("the files of a tile save", () => {
  test("[TS14] are the save and the previous one", async () => {
    const disk = new MemoryDisk();
    await writeTileSave(disk, savedAt(1));
    expect((await disk.list("")).map(({ name }) => name)).toEqual([TILE_SAVE_FILE]);
    await writeTileSave(disk, savedAt(2));
    await writeTileSave(disk, savedAt(3));
    expect((await disk.list("")).map(({ name }) => name)).toEqual([TILE_SAVE_FILE, TILE_SAVE_BACKUP_FILE]);
    expect([await tickIn(disk, TILE_SAVE_FILE), await tickIn(disk, TILE_SAVE_BACKUP_FILE)]).toEqual([3n, 2n]);
    expect(await detectFormat(disk)).toMatchObject({ format: "tilesave", evidence: TILE_SAVE_FILE });
  });

  test("[TS15] are both tried: the backup is read if the save is damaged or missing", async () => {
    const disk = new MemoryDisk();
    await writeTileSave(disk, savedAt(1));
    await writeTileSave(disk, savedAt(2));
    expect(await openTileSave(disk)).toMatchObject({ file: TILE_SAVE_FILE, fault: undefined });
    const whole = encodeTileSave(savedAt(2));
    await put(disk, TILE_SAVE_FILE, whole.subarray(0, whole.length / 2));
    expect(await openTileSave(disk)).toMatchObject({
      file: TILE_SAVE_BACKUP_FILE,
      fault: { code: "ORT_TILE_SAVE" },
      save: { tickIndex: 1n },
    });
    await disk.remove(TILE_SAVE_FILE);
    expect(await openTileSave(disk)).toMatchObject({
      file: TILE_SAVE_BACKUP_FILE,
      fault: { code: "ORT_NOT_FOUND" },
    });
    expect(await detectFormat(disk)).toMatchObject({ evidence: TILE_SAVE_BACKUP_FILE });
    await put(disk, TILE_SAVE_BACKUP_FILE, Uint8Array.of(1));
    await put(disk, TILE_SAVE_FILE, new TextEncoder().encode("format_version=9\n"));
    expect(await codeOfRejection(openTileSave(disk))).toBe("ORT_VERSION");
  });

  test("[TS14] never lose a good backup to an unreadable save", async () => {
    const disk = new MemoryDisk();
    await writeTileSave(disk, savedAt(1));
    await writeTileSave(disk, savedAt(2));
    await put(disk, TILE_SAVE_FILE, new TextEncoder().encode("format_version=3\ntick_index=-1\n"));
    await writeTileSave(disk, savedAt(3));
    expect([await tickIn(disk, TILE_SAVE_FILE), await tickIn(disk, TILE_SAVE_BACKUP_FILE)]).toEqual([3n, 1n]);
  });

  test("[TS13] stay unchanged when the disk is full", async () => {
    const disk = new MemoryDisk();
    await writeTileSave(disk, savedAt(1));
    await writeTileSave(disk, savedAt(2));
    for (let nth = 1; nth <= 2; nth++) {
      const full = new FaultDisk(disk, { operation: "append", kind: "full", nth });
      expect(await codeOfRejection(writeTileSave(full, savedAt(3)))).toBe("ORT_DISK_FULL");
      expect(await openTileSave(disk)).toMatchObject({ file: TILE_SAVE_FILE, save: { tickIndex: 2n } });
    }
  });

  test("[TS13] contain the old save or the new one after any power cut, and an intact backup", async () => {
    expect((await prove()).size).toBe(4);
  });

  test.each<[step: string, fault: Omit<DiskFault, "kind">]>([
    ["the first sync of the save", { operation: "sync", path: /sav\.tmp$/, nth: 1 }],
    ["the last sync of the save", { operation: "sync", path: /sav\.tmp$/, nth: 3 }],
    ["the sync of the backup", { operation: "sync", path: /bak\.tmp$/, nth: 1 }],
    ["the first sync of the names", { operation: "syncDirectory", nth: 1 }],
    ["the last sync of the names", { operation: "syncDirectory", nth: 3 }],
    ["the removal of what a crash left", { operation: "remove", path: /sav\.tmp$/, nth: 1, sticky: true }],
  ])("[TS13] would be broken by a power cut without %s", async (_step, fault) => {
    await expect(prove({ ...fault, kind: "skip" })).rejects.toThrow(/model weak, cut at \d+/);
  });

  test("are detected by content, not by name", async () => {
    const disk = new MemoryDisk();
    await put(disk, TILE_SAVE_FILE, Uint8Array.of(0, 1, 2));
    expect(await detectFormat(disk)).toBeUndefined();
  });
});

/** Saves three times, cuts the power everywhere, and returns the ticks that were found. */
async function prove(fault?: DiskFault): Promise<ReadonlySet<bigint>> {
  const wrap = (disk: Disk): Disk => (fault === undefined ? disk : new FaultDisk(disk, fault));
  const recorder = new CrashDisk();
  const disk = wrap(recorder);
  const acknowledgedAt: number[] = [];
  for (let tick = 1; tick <= 3; tick++) {
    await writeTileSave(disk, savedAt(tick));
    acknowledgedAt.push(recorder.log.length);
  }
  const found = new Set<bigint>();
  const options = { models: [WEAK], disksPerCut: 200, seed: 3 };
  await explorePowerCuts(recorder, options, async ({ disk: survivor, cutAt }) => {
    const acknowledged = BigInt(acknowledgedAt.filter((length) => length <= cutAt).length);
    const names = (await survivor.list("")).map(({ name }) => name);
    const tick = names.includes(TILE_SAVE_FILE) ? await tickIn(survivor, TILE_SAVE_FILE) : 0n;
    ok(tick === acknowledged || tick === acknowledged + 1n, `${tick} after ${acknowledged}`);
    if (names.includes(TILE_SAVE_BACKUP_FILE)) {
      const before = await tickIn(survivor, TILE_SAVE_BACKUP_FILE);
      ok(before >= acknowledged - 1n && before <= tick, `backup ${before} after ${acknowledged}`);
    } else ok(acknowledged < 2n, "the backup is gone");
    await writeTileSave(wrap(survivor), savedAt(9));
    deepStrictEqual((await openTileSave(survivor)).save.tickIndex, 9n);
    found.add(tick);
  });
  return found;
}
