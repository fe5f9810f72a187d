import { isOrthantError, type Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { type DiskImage, MemoryDisk } from "@orthant/disk";
import { openSave, verifySave } from "@orthant/save";
import { CrashDisk, explorePowerCuts, FakeTime, FaultDisk, Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const quiet = { time: new FakeTime(), autosave: false };

async function reopen(disk: MemoryDisk): Promise<WorldEngine> {
  return openWorldEngine(disk, quiet);
}

/** Returns the image with one bit of one file flipped. */
function flipped({ directories, files }: DiskImage, path: string, offset: number): DiskImage {
  const bytes = files.get(path)?.slice() ?? new Uint8Array(0);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0x40;
  return { directories, files: new Map([...files, [path, bytes]]) };
}

describe("the checklist of the save specification", () => {
  test("[checklist 2] edits far apart make neither many files nor many records", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    const prng = new Prng(5);
    for (let edit = 0; edit < 300; edit++) {
      const position: Position = [
        prng.below(1e9) - 5e8,
        prng.below(100),
        prng.below(1e9) - 5e8,
        prng.below(1e6),
      ];
      await world.set(position, 1 + (edit % 9));
    }
    await world.close();
    const image = disk.image();
    expect([...image.files.keys()].filter((path) => path.startsWith("data/"))).toHaveLength(1);
    // Two generations of three files each, three pages of the index, the manifest and one pack.
    expect(image.files.size).toBe(11);
  });

  test("[checklist 5] a damaged record is detected when it is read, and named", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    await world.set([0, 0, 0, 0], 7);
    await world.close();
    const pack = "data/dt-000001.v4dt";
    const size = disk.image().files.get(pack)?.length ?? 0;
    const damaged = new MemoryDisk(flipped(disk.image(), pack, size - 3));
    const again = await reopen(damaged);
    const error = await again.get([0, 0, 0, 0]).catch((thrown: unknown) => thrown);
    expect(isOrthantError(error, "ORT_CHECKSUM")).toBe(true);
    expect(error).toMatchObject({ context: { path: pack } });
    expect((await verifySave(damaged)).map(({ file }) => file)).toContain(pack);
    // An edit there would have to build on something unreadable.
    await expect(again.set([1, 0, 0, 0], 1)).rejects.toThrow("ORT_CHECKSUM");
    await again.close();
  });

  test("[checklist 6] a crash anywhere in a save leaves the world as it was before or after that save", async () => {
    const recorder = new CrashDisk();
    const world = await createWorldEngine(recorder, {}, quiet);
    await world.set([0, 0, 0, 0], 1);
    await world.save();
    const first = recorder.log.length;
    await world.set([0, 0, 0, 0], 2);
    await world.set([9, 9, 9, 9], 2);
    await world.save();
    const outcomes = new Set<number>();
    await explorePowerCuts(recorder, { disksPerCut: 20, seed: 3 }, async ({ disk, cutAt }) => {
      if (cutAt < first) return;
      const survivor = await reopen(disk);
      const value = await survivor.get([0, 0, 0, 0]);
      expect(await survivor.get([9, 9, 9, 9])).toBe(value === 2 ? 2 : 0);
      outcomes.add(value);
      await survivor.set([1, 0, 0, 0], 9);
      await survivor.close();
    });
    expect([...outcomes].sort()).toEqual([1, 2]);
    await world.close();
  });
});

describe("problems of the original", () => {
  test("[lesson 2] every sparse world can be saved: 300 random ones, small and scattered", async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const prng = new Prng(seed);
      const disk = new MemoryDisk();
      const world = await createWorldEngine(disk, {}, quiet);
      const edits = Array.from({ length: prng.between(4, 23) }, (_, index) => ({
        voxel: [
          prng.below(400) - 200,
          prng.below(64) - 32,
          prng.below(400) - 200,
          prng.below(400) - 200,
        ] as const,
        block: index + 1,
      }));
      await world.edit(edits);
      await world.close();
      expect(await verifySave(disk), `seed ${seed}`).toEqual([]);
    }
  });

  test("[lesson 3] saves continue after an append was torn", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    await world.set([0, 0, 0, 0], 1);
    await world.close();
    const torn = disk.image();
    const pack = "data/dt-000001.v4dt";
    const bytes = torn.files.get(pack) ?? new Uint8Array(0);
    const half = Uint8Array.of(...bytes, ...new TextEncoder().encode("RECD"), 1, 1, 0, 99);
    const survivor = new MemoryDisk({ ...torn, files: new Map([...torn.files, [pack, half]]) });
    for (let value = 2; value < 6; value++) {
      const again = await reopen(survivor);
      expect(await again.get([0, 0, 0, 0])).toBe(value - 1);
      await again.set([0, 0, 0, 0], value);
      await again.close();
    }
  });

  test("[lesson 7] a save reads and writes the changed leaves and no others", async () => {
    const behind = new MemoryDisk();
    const world = await createWorldEngine(behind, {}, quiet);
    for (let index = 0; index < 12; index++) {
      const at = index * 600_000;
      await world.edit(
        Array.from({ length: 2_000 }, (_, edit) => ({
          voxel: [at + (edit % 64), (edit * 7) % 8, (edit * 13) % 64, edit % 8] as const,
          block: 1 + (edit % 50),
        })),
      );
    }
    await world.close();
    const before = behind.image().files.get("data/dt-000001.v4dt")?.length ?? 0;
    const disk = new FaultDisk(behind);
    const again = await openWorldEngine(disk, quiet);
    await again.set([0, 0, 0, 0], 99);
    const reads = disk.calls.get("readAt") ?? 0;
    await again.save();
    // The header of the pack, and the record of the one leaf.
    expect(disk.calls.get("readAt")).toBe(reads + 2);
    await again.close();
    const save = await openSave(behind);
    const written = (behind.image().files.get("data/dt-000001.v4dt")?.length ?? 0) - before;
    expect(written).toBeLessThan(before / 6);
    expect(save.index.totals.leaves).toBeGreaterThan(6);
    await save.close();
  });

  test("[lesson 9] hundreds of saves leave two generations, and an unchanged entity is written once", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    world.entities.spawn({ kind: 1, position: [500_000_000, 0, 0, 0], payload: new Uint8Array(1_000) });
    await world.save();
    const packBefore = disk.image().files.get("data/dt-000001.v4dt")?.length ?? 0;
    for (let edit = 0; edit < 300; edit++) {
      await world.set([0, 0, 0, 0], 1 + (edit % 2));
      await world.save();
    }
    await world.close();
    const { files } = disk.image();
    expect(files.size).toBe(8);
    // A chunk of two blocks and its record are some hundred bytes; the entity's thousand are not included.
    expect((files.get("data/dt-000001.v4dt")?.length ?? 0) - packBefore).toBeLessThan(300 * 900);
  });

  test("[lesson 12] everything that an edit changed is saved, to the last voxel of its box", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, quiet);
    const box = boxBetween([-13, -5, -21, -3], [30, 11, 19, 10]);
    const { chunks } = await world.fill(box, 3);
    await world.close();
    const again = await reopen(disk);
    for (const corner of [box.min, [29, 10, 18, 9], [-13, 10, -21, 9], [29, -5, 18, -3]] as const) {
      expect(await again.get(corner)).toBe(3);
    }
    for (const outside of [
      [-14, 0, 0, 0],
      [30, 0, 0, 0],
      [0, 11, 0, 0],
      [0, 0, 0, 10],
    ] as const) {
      expect(await again.get(outside)).toBe(0);
    }
    // Six chunks in x, two or more in the others: each touched chunk is reported once.
    expect(chunks).toHaveLength(6 * 3 * 6 * 3);
    await again.close();
  });
});
