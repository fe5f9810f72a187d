import { boxBetween } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { CHUNK_EDGE, createPixelWorld, openPixelWorld, PIXEL_BYTES } from "@orthant/pixel-world";
import { applyRepair, copyGeneration, planRepair, verifySave } from "@orthant/save";
import { codeOfRejection, WindowsDisk } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const NEWEST_TWO = { newest: 2, hours: 0, days: 0 };

async function write(disk: Disk, path: string, text: string): Promise<void> {
  const file = await disk.open(path, "create");
  await file.append(new TextEncoder().encode(text));
  await file.close();
}

describe("the disk that stands for Windows", () => {
  test("does not rename over an open file, and does when it is closed", async () => {
    const disk = new WindowsDisk();
    await write(disk, "old", "old");
    await write(disk, "new", "new");
    const reader = await disk.open("old", "read");
    expect(await codeOfRejection(disk.rename("new", "OLD"))).toBe("ORT_DISK_DENIED");
    await reader.close();
    await disk.rename("new", "OLD");
    expect((await disk.list("")).map(({ name }) => name)).toEqual(["old"]);
  });

  test("keeps the name of a removed file until it is closed", async () => {
    const disk = new WindowsDisk();
    await write(disk, "page", "abc");
    const reader = await disk.open("page", "read");
    expect(await disk.remove("page")).toBe(true);
    expect(await codeOfRejection(disk.open("page", "create"))).toBe("ORT_DISK_DENIED");
    expect(await disk.list("")).toHaveLength(1);
    expect(await reader.readAt(0, 3)).toHaveLength(3);
    await reader.close();
    await write(disk, "page", "def");
  });

  test("moves no directory with an open file", async () => {
    const disk = new WindowsDisk();
    await disk.makeDirectory("data");
    const file = await disk.open("data/page", "create");
    expect(await codeOfRejection(disk.moveDirectory("data", "moved"))).toBe("ORT_DISK_DENIED");
    await file.close();
    await disk.moveDirectory("data", "moved");
    expect((await disk.list("moved")).map(({ name }) => name)).toEqual(["page"]);
  });

  test("finds a name in any case, and creates none that Windows lacks", async () => {
    const disk = new WindowsDisk();
    await write(disk, "Page", "abc");
    expect(await codeOfRejection(disk.open("pAGE", "create"))).toBe("ORT_EXISTS");
    await (await disk.open("PAGE", "read")).close();
    for (const name of ["con", "NUL.txt", "lpt1", "page.", "page ", "a?", "a".repeat(256)])
      expect(await codeOfRejection(disk.open(name, "create")), name).toBe("ORT_DISK_DENIED");
  });
});

describe("on a disk like that of Windows", () => {
  async function edited(disk: Disk, rounds: number): Promise<WorldEngine> {
    const options = { autosave: false, retention: NEWEST_TWO, durability: "journal" } as const;
    const world = await createWorldEngine(disk, { name: "Isles" }, options);
    for (let round = 1; round <= rounds; round++) {
      for (let x = 0; x < 10; x++) await world.set([x * 40, 0, 0, 0], (round % 5) + 1);
      await world.save();
      // Reads from the packs, which keeps them open.
      await world.get([round * 4_000, 0, 0, 0]);
    }
    return world;
  }

  test("a world is created, edited, saved, compacted and opened again", async () => {
    const disk = new WindowsDisk();
    const world = await edited(disk, 12);
    expect((await world.compact()).packsRewritten).toBeGreaterThan(0);
    await world.set([7, 7, 7, 7], 3);
    await world.close();
    const again = await openWorldEngine(disk, { autosave: false, retention: NEWEST_TWO });
    expect([await again.get([0, 0, 0, 0]), await again.get([7, 7, 7, 7])]).toEqual([3, 3]);
    // The pack is open now, because a region was read from it.
    for (let round = 0; round < 4; round++) {
      await again.fill(boxBetween([0, 0, 0, 0], [80, 8, 8, 8]), round + 1);
      await again.save();
    }
    expect((await again.compact()).packsRewritten).toBeGreaterThan(0);
    await again.close();
    expect(disk.refusals).toEqual([]);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("a world is copied while it is open, repaired and converted", async () => {
    const disk = new WindowsDisk();
    const world = await edited(disk, 3);
    const copy = new WindowsDisk();
    await copyGeneration(disk, copy);
    await world.save();
    await world.close();
    expect(await verifySave(copy)).toEqual([]);
    const repaired = new WindowsDisk();
    await applyRepair(disk, await planRepair(disk), repaired);
    expect(await verifySave(repaired)).toEqual([]);
    expect([disk.refusals, copy.refusals, repaired.refusals]).toEqual([[], [], []]);
  });

  test("a world of pixels is saved and opened again, but not compacted while it is open", async () => {
    const disk = new WindowsDisk();
    const world = await createPixelWorld(disk, "world.pxsw", {}, { autosave: false, compactFromBytes: 0 });
    // The fourth byte of a pixel is not stored.
    const noise = (round: number): Uint8Array =>
      Uint8Array.from({ length: PIXEL_BYTES * CHUNK_EDGE ** 2 }, (_, at) =>
        at % PIXEL_BYTES === 3 ? 0 : Math.imul(at + round, 0x9e37_79b1) >>> 24,
      );
    for (let round = 1; round <= 4; round++) {
      await world.store(0, 0, noise(round));
      await world.save().done;
      await world.idle();
    }
    // Its one file is open for as long as the world is. The world goes on without compaction.
    expect(world.compactionFailure?.code).toBe("ORT_DISK_DENIED");
    await world.close();
    expect(disk.refusals).toEqual(["rename world.pxsw"]);
    expect(await disk.list("")).toHaveLength(1);
    const again = await openPixelWorld(disk, "world.pxsw");
    // Not toEqual: the difference of two million bytes takes minutes to print.
    expect(Buffer.compare((await again.load(0, 0)) ?? new Uint8Array(), noise(4))).toBe(0);
    await again.close();
  });
});
