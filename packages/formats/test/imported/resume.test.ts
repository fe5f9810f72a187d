import { CUBE_CHUNKS } from "@orthant/core";
import { type Disk, type DiskImage, MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { ImportConversion, type ImportSource } from "@orthant/formats/internal";
import { verifySave } from "@orthant/save";
import { CrashDisk, type DiskFault, explorePowerCuts, FaultDisk, WEAK } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const PIECES = 4;

/** A world of some pieces, each large enough for a checkpoint. */
function sourceOf(fingerprint: string, onRead: (piece: number) => void = () => undefined): ImportSource {
  return {
    shape: CUBE_CHUNKS,
    pieces: Array.from({ length: PIECES }, () => 256),
    boxOf: (piece) => ({ min: [piece * 4, 0, 0], max: [piece * 4 + 4, 4, 4] }),
    spawn: [0, 16, 0],
    fingerprint,
    info: { facts: {}, rows: [] },
    losses: [],
    looksOf: () => ({ colour: 1, solid: true }),
    verify: async () => [],
    close: async () => undefined,
    async readPiece(piece) {
      onRead(piece);
      const indices = Uint16Array.from({ length: 4_096 }, (_, index) => (index * 7 + piece) % 3);
      const palette = ["minecraft:air", `${fingerprint}:stone`, `${fingerprint}:dirt[at=${piece}]`];
      const chunks = [{ position: [piece * 4, 0, 0] as const, voxels: { palette, indices }, data: [] }];
      return { chunks, losses: [], savedAtMs: 1_000 };
    },
  };
}

async function convert(target: Disk, source: ImportSource): Promise<void> {
  const conversion = new ImportConversion(source);
  await conversion.resume(target);
  await conversion.run(target, () => undefined);
}

async function imageOf(source: ImportSource): Promise<DiskImage> {
  const disk = new MemoryDisk();
  await convert(disk, source);
  return disk.image();
}

async function prove(fault?: DiskFault): Promise<number> {
  const whole = await imageOf(sourceOf("a"));
  const recorder = new CrashDisk();
  await convert(fault === undefined ? recorder : new FaultDisk(recorder, fault), sourceOf("a"));
  const options = { models: [WEAK], disksPerCut: 24, seed: 5 };
  const { distinct } = await explorePowerCuts(
    recorder,
    options,
    async ({ disk }) => {
      await convert(disk, sourceOf("a"));
      expect(disk.image().files).toEqual(whole.files);
    },
    () => "",
  );
  return distinct;
}

describe("a conversion that was interrupted", () => {
  test("[IM84] goes on after any power cut, and ends with the same bytes", async () => {
    expect(await prove()).toBeGreaterThan(50);
  });

  test("[IM84] needs the sync of packs before it notes what is written", async () => {
    const fault: DiskFault = { operation: "sync", path: /^data\//, kind: "skip", nth: 1, sticky: true };
    await expect(prove(fault)).rejects.toThrow();
  });

  test("[IM84] reads no piece again that is written", async () => {
    const disk = new MemoryDisk();
    const stopped = sourceOf("a", (piece) => {
      if (piece === 3) reads++;
      if (reads === 2) throw new Error("killed");
    });
    let reads = 0;
    await expect(convert(disk, stopped)).rejects.toThrow("killed");
    const read: number[] = [];
    await convert(
      disk,
      sourceOf("a", (piece) => read.push(piece)),
    );
    expect(read).toEqual([3]);
    expect(isWhole(await verifySave(disk))).toBe(true);
  });

  test("[IM84] begins again if the world has changed", async () => {
    const disk = new MemoryDisk();
    const stopped = sourceOf("a", (piece) => {
      if (piece === 3) reads++;
      if (reads === 2) throw new Error("killed");
    });
    let reads = 0;
    await expect(convert(disk, stopped)).rejects.toThrow("killed");
    await convert(disk, sourceOf("b"));
    expect(disk.image().files).toEqual((await imageOf(sourceOf("b"))).files);
  });
});
