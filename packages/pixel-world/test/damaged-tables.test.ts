import { OrthantError } from "@orthant/core";
import { type Disk, GatedDisk, type MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import {
  openPixelSave,
  openPixelWorld,
  type PixelWorld,
  planPixelRepair,
  verifyPixelWorld,
} from "@orthant/pixel-world";
import { CrashDisk, codeOfRejection, explorePowerCuts } from "@orthant/testkit";
import {
  bytesOf,
  diskWith,
  FILE,
  filled,
  ground,
  newWorld,
  patched,
  sampleBody,
} from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const SLOT = 8_192;
const ENTRIES = 16_384;
const lenient = { generator: ground, onDamage: "regenerate", autosave: false } as const;

/** Returns a file of three saves: chunks 0 to 2 and a body, then chunk 0 again, then chunk 3. */
async function sampleFile(): Promise<Uint8Array> {
  const { disk, world } = await newWorld({ generator: ground, autosave: false });
  for (const x of [0, 1, 2]) await world.store(x, 0, filled(10 + x));
  await world.storeBody(sampleBody(1n));
  await world.save().done;
  await world.store(0, 0, filled(20));
  await world.save().done;
  await world.store(3, 0, filled(13));
  await world.close();
  return bytesOf(disk);
}

const file = await sampleFile();
const headOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, ENTRIES);
const lastByte = file.length - 1;
/** The newest table, in the last entry, is damaged. */
const rotten = patched(file, lastByte, [(file[lastByte] ?? 0) ^ 1]);

/** Returns the materials of the stored chunks 0 to 5; 0 for a chunk that is not stored. */
async function materialsOf(world: PixelWorld): Promise<readonly number[]> {
  const materials: number[] = [];
  for (let x = 0; x < 6; x++) materials.push(world.has(x, 0) ? ((await world.load(x, 0))?.[0] ?? -1) : 0);
  return materials;
}

async function reopened(disk: Disk): Promise<readonly number[]> {
  const world = await openPixelWorld(disk, FILE, { generator: ground, autosave: false });
  const materials = await materialsOf(world);
  await world.close();
  return materials;
}

describe("a pixel world whose tables are damaged", () => {
  test("[X47] is refused when strict, and opens with regenerate from its entries, without a change to the file", async () => {
    const disk = diskWith(rotten);
    expect(await codeOfRejection(openPixelWorld(disk, FILE, { generator: ground }))).toBe("ORT_CHECKSUM");
    const world = await openPixelWorld(disk, FILE, lenient);
    expect(await materialsOf(world)).toEqual([20, 11, 12, 13, 0, 0]);
    expect((await world.body(1n))?.id).toBe(1n);
    expect(world.damage).toMatchObject([
      { kind: "tables", x: undefined, y: undefined, id: undefined, error: { code: "ORT_CHECKSUM" } },
    ]);
    expect(world.damage[0]?.error.message).toContain("4 chunks and 1 bodies are what the last entries say");
    await world.close();
    expect(bytesOf(disk)).toEqual(rotten);
  });

  test("[X47] a pixel world that is cut off anywhere opens with the entries before the cut, and as any other after a save", async () => {
    const intact = await openPixelSave(diskWith(file), FILE);
    const { size: wholeCount } = new Set([...intact.chunks()].map(({ x }) => x));
    let fewest = wholeCount;
    for (let length = SLOT; length < file.length; length += length < ENTRIES ? 1_021 : 13) {
      const disk = diskWith(file.slice(0, length));
      const plan = await planPixelRepair(disk, FILE);
      const world = await openPixelWorld(disk, FILE, lenient);
      const found = await materialsOf(world);
      expect(found.filter((material) => material > 0).length, `cut at ${length}`).toBe(plan.chunks.length);
      expect(world.damage.map(({ kind }) => kind)).toEqual(["tables"]);
      fewest = Math.min(fewest, plan.chunks.length);
      await world.store(5, 0, filled(15));
      await world.close();
      expect(isWhole(await verifyPixelWorld(disk, FILE))).toBe(true);
      expect(await reopened(disk), `cut at ${length}`).toEqual([...found.slice(0, 5), 15]);
    }
    expect(fewest).toBe(0);
  });

  test("[X47] [X32] a pixel world whose header is damaged, too, opens with the entries after the end, as repair finds them", async () => {
    // Without the header of generation 4 that of generation 3 counts, which knows no chunk 3.
    const disk = diskWith(patched(rotten, 20, [1, 2, 3]));
    expect(await codeOfRejection(openPixelWorld(disk, FILE, { generator: ground }))).toBe("ORT_CHECKSUM");
    const plan = await planPixelRepair(disk, FILE);
    expect(plan.chunks.map(({ x }) => x)).toEqual([0, 1, 2, 3]);
    const world = await openPixelWorld(disk, FILE, lenient);
    expect(await materialsOf(world)).toEqual([20, 11, 12, 13, 0, 0]);
    await world.store(4, 0, filled(14));
    await world.close();
    expect(await reopened(disk)).toEqual([20, 11, 12, 13, 14, 0]);
  });

  test("[X47] a pixel world without an intact header does not open, since nothing says what a pixel is", async () => {
    const headless = patched(patched(rotten, 20, [1]), SLOT + 20, [1]);
    expect(await codeOfRejection(openPixelWorld(diskWith(headless), FILE, lenient))).toBe("ORT_CHECKSUM");
    const cut = diskWith(headOf(file).slice(0, 40));
    expect(await codeOfRejection(openPixelWorld(cut, FILE, lenient))).toBe("ORT_TRUNCATED");
  });

  test("[X47] is not compacted before it is opened again", async () => {
    const disk = diskWith(rotten);
    const options = { ...lenient, compactFromBytes: 0, compactAtDeadShare: 0 };
    const world = await openPixelWorld(disk, FILE, options);
    await world.store(4, 0, filled(14));
    await world.save().done;
    await world.idle();
    expect(world.deadBytes).toBeGreaterThan(0);
    expect(world.compactionFailure?.code).toBe("ORT_CHECKSUM");
    await world.close();
    expect(bytesOf(disk).subarray(ENTRIES, rotten.length)).toEqual(rotten.subarray(ENTRIES));
    const again = await openPixelWorld(disk, FILE, options);
    expect(again.damage).toEqual([]);
    await again.store(4, 0, filled(16));
    await again.save().done;
    await again.idle();
    expect(again.deadBytes).toBe(0);
    await again.close();
  });

  test("[X43] is not recovered while the disk fails to read, which is not damage", async () => {
    const failing = new GatedDisk(diskWith(file), ({ operation, path }, happen) => {
      return operation === "readAt" && path === FILE
        ? Promise.reject(new OrthantError("ORT_DISK_IO", "a bad sector"))
        : happen();
    });
    expect(await codeOfRejection(openPixelWorld(failing, FILE, lenient))).toBe("ORT_DISK_IO");
  });

  test("[X47] loses nothing in a power cut while it is saved again", async () => {
    const damaged: readonly (readonly [name: string, bytes: Uint8Array, kept: readonly number[]])[] = [
      ["a rotten table", rotten, [20, 11, 12, 13]],
      ["a rotten table and header", patched(rotten, 20, [1, 2, 3]), [20, 11, 12, 13]],
      ["a cut end", file.slice(0, file.length - 20), [20, 11, 12, 13]],
    ];
    for (const [name, bytes, kept] of damaged) {
      const recorder = new CrashDisk({ directories: [], files: new Map([[FILE, bytes]]) });
      const world = await openPixelWorld(recorder, FILE, lenient);
      const savedAt: number[] = [];
      for (const material of [14, 15]) {
        await world.store(material - 10, 0, filled(material));
        await world.save().done;
        savedAt.push(recorder.log.length);
      }
      await world.close();
      const outcomes = new Set<number>();
      const savedBy = (cutAt: number): number => savedAt.filter((length) => length <= cutAt).length;
      const check = async ({ disk, cutAt }: { disk: MemoryDisk; cutAt: number }): Promise<void> => {
        const again = await openPixelWorld(disk, FILE, lenient);
        const found = await materialsOf(again);
        expect(found.slice(0, kept.length), name).toEqual(kept);
        const saved = found.slice(4).filter((material) => material > 0).length;
        expect(saved, name).toBeGreaterThanOrEqual(savedBy(cutAt));
        outcomes.add(saved);
        await again.store(9, 0, filled(9));
        await again.close();
        const last = await openPixelWorld(disk, FILE, { generator: ground });
        expect((await last.load(9, 0))?.[0], name).toBe(9);
        await last.close();
      };
      await explorePowerCuts(recorder, { disksPerCut: 12, seed: 3 }, check, (cutAt) => `${savedBy(cutAt)}`);
      expect([...outcomes].sort(), name).toEqual([0, 1, 2]);
    }
  });
});
