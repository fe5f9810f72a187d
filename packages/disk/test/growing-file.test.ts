import { OrthantError } from "@orthant/core";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import { GrowingFile } from "@orthant/disk/files";
import { CrashDisk, explorePowerCuts, FaultDisk } from "@orthant/testkit";
import { expect, test } from "vitest";

const NAME = "today.ow1r";

function noFailure(error: unknown): never {
  throw error;
}

async function contentOf(disk: Disk): Promise<Uint8Array> {
  const file = await disk.open(NAME, "read");
  const bytes = await file.readAt(0, await file.size());
  await file.close();
  return bytes;
}

test("a growing file has all pieces in order once it is closed, although their caller reuses its array", async () => {
  const disk = new MemoryDisk();
  const file = await GrowingFile.create(disk, NAME, noFailure);
  const piece = new Uint8Array(2);
  for (let index = 0; index < 1_000; index++) {
    piece[0] = index;
    file.write(piece);
    if (index % 100 === 0) await Promise.resolve();
  }
  await file.close();
  const expected = Uint8Array.from({ length: 2_000 }, (_, at) => (at % 2 === 0 ? at >> 1 : 0));
  expect(await contentOf(disk)).toEqual(expected);
});

test("a growing file never replaces another", async () => {
  const disk = new MemoryDisk();
  await (await GrowingFile.create(disk, NAME, noFailure)).close();
  await expect(GrowingFile.create(disk, NAME, noFailure)).rejects.toThrow("ORT_EXISTS");
});

test("a growing file reports the first failure of its disk, and takes nothing after it", async () => {
  const full = new OrthantError("ORT_DISK_FULL", "no room");
  const disk = new GatedDisk(new MemoryDisk(), ({ operation }, happen) => {
    return operation === "append" ? Promise.reject(full) : happen();
  });
  const failures: unknown[] = [];
  const file = await GrowingFile.create(disk, NAME, (error) => failures.push(error));
  file.write(Uint8Array.of(1));
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  expect(failures).toEqual([full]);
  expect(() => file.write(Uint8Array.of(2))).toThrow("no room");
  await file.close();
  expect(failures).toEqual([full]);
});

test("a growing file ends before more than 16 MiB wait for its disk", async () => {
  const failures: unknown[] = [];
  let release = (): void => undefined;
  const stalled = new Promise<void>((resolve) => {
    release = resolve;
  });
  const disk = new GatedDisk(new MemoryDisk(), async ({ operation }, happen) => {
    if (operation === "append") await stalled;
    return happen();
  });
  const file = await GrowingFile.create(disk, NAME, (error) => failures.push(error));
  const piece = new Uint8Array(1_048_576);
  for (let count = 0; count < 16; count++) file.write(piece);
  expect(() => file.write(Uint8Array.of(1))).toThrow("16777216 bytes wait");
  release();
  await file.close();
  expect(failures).toHaveLength(1);
});

async function provePowerCuts(wrap: (disk: Disk) => Disk): Promise<void> {
  const recorder = new CrashDisk();
  const file = await GrowingFile.create(wrap(recorder), NAME, noFailure);
  for (let index = 1; index <= 4; index++) {
    file.write(Uint8Array.of(index, index));
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
  await file.close();
  const whole = Uint8Array.of(1, 1, 2, 2, 3, 3, 4, 4);
  await explorePowerCuts(recorder, { disksPerCut: 40, seed: 1 }, async ({ disk, cutAt }) => {
    const isClosed = cutAt === recorder.log.length;
    const names = (await disk.list("")).map(({ name }) => name);
    if (isClosed || names.includes(NAME)) {
      const found = await contentOf(disk);
      if (isClosed) expect(found).toEqual(whole);
      expect(found.length).toBeLessThanOrEqual(whole.length);
    }
  });
}

test("a growing file keeps everything through a power cut after it was closed", async () => {
  await provePowerCuts((disk) => disk);
});

test.each([
  ["its content", { kind: "skip", operation: "sync", path: /ow1r/, nth: 1 }],
  ["its name", { kind: "skip", operation: "syncDirectory", path: /^$/, nth: 1 }],
] as const)("a growing file that does not sync %s loses it in a power cut", async (_what, fault) => {
  await expect(provePowerCuts((disk) => new FaultDisk(disk, fault))).rejects.toThrow();
});
