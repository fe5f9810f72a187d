import { OrthantError } from "@orthant/core";
import { type Disk, GatedDisk, MemoryDisk } from "@orthant/disk";
import { verifySave } from "@orthant/save";
import { codeOfRejection, FaultDisk, type FaultyOperation } from "@orthant/testkit";
import {
  createWorldEngine,
  EVERYTHING_LOADED,
  openLoggedWorldEngine,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { SampleLog } from "./sample-log.ts";

async function savedWorld(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const world = await createWorldEngine(disk);
  await world.set([0, 0, 0, 0], 1);
  await world.close();
  return disk;
}

/** Makes edits and saves, once more than necessary. Returns the codes of the saves, up to one that ends the world. */
async function play(world: WorldEngine): Promise<readonly string[]> {
  const codes: string[] = [];
  for (let round = 1; round <= 3; round++) {
    if (world.failure !== undefined) return codes;
    await world.set([round, 0, 0, 0], round + 1);
    await world.set([0, round * 100, 0, 0], round + 1);
    world.upsertPlayer({ playerId: BigInt(round), name: `player ${round}` });
    world.entities.spawn({ kind: round, position: [round * 200, 0, 0, 0] });
    codes.push(await codeOfRejection(world.save()));
  }
  codes.push(await codeOfRejection(world.save()));
  return codes;
}

async function requireWhole(disk: MemoryDisk, where: string): Promise<void> {
  expect(await verifySave(disk), where).toEqual([]);
  const again = await openWorldEngine(disk, { readOnly: true });
  for (let round = 1; round <= 3; round++) {
    expect(await again.get([round, 0, 0, 0]), where).toBe(round + 1);
    expect(await again.get([0, round * 100, 0, 0]), where).toBe(round + 1);
    expect(again.player(BigInt(round))?.name, where).toBe(`player ${round}`);
    const around = { min: [round * 200 - 1, -1, -1, -1], max: [round * 200 + 1, 1, 1, 1] } as const;
    expect(
      (await again.entities.in(around)).map(({ kind }) => kind),
      where,
    ).toEqual([round]);
  }
  await again.close();
}

const OPERATIONS: readonly FaultyOperation[] = ["open", "append", "sync", "rename", "syncDirectory"];

/** The part of a world that is all of it. */
const EVERYWHERE = {
  owns: () => true,
  splitCount: 0,
  arrivals: () => [],
  maySend: () => false,
  newEntityId: () => 1n,
  activeBoxes: () => [],
  during: async (make: () => Promise<unknown>): Promise<void> => void (await make()),
};

/** A disk that has no room for a byte while `isFull` says so. */
function fullDisk(disk: MemoryDisk, isFull: () => boolean): Disk {
  return new GatedDisk(disk, ({ operation, path }, happen) => {
    if (operation !== "append" || !isFull()) return happen();
    throw new OrthantError("ORT_DISK_FULL", `append: no space left on device, ${path}`, { path, operation });
  });
}

describe("a world whose log is elsewhere", () => {
  test.each(OPERATIONS)(
    "saves everything later when the disk refuses any %s of a save",
    async (operation) => {
      const plain = new FaultDisk(await savedWorld());
      const opened = await openLoggedWorldEngine(plain, new SampleLog(9), { autosave: false });
      const callsToOpen = plain.calls.get(operation) ?? 0;
      await opened.close();
      let retried = 0;
      // Of the files that are opened, only those that a save creates; an edit that reads a file may fail, too.
      const first = operation === "open" ? 1 : callsToOpen + 1;
      const path = operation === "open" ? /\.tmp$/ : /^/;
      for (let nth = first; ; nth++) {
        const disk = await savedWorld();
        const faulty = new FaultDisk(disk, { operation, kind: "full", nth, path });
        const world = await openLoggedWorldEngine(faulty, new SampleLog(9), { autosave: false });
        const codes = await play(world);
        const where = `${operation} ${nth}: ${codes}`;
        if (!faulty.struck) break;
        if (world.failure === undefined) {
          expect(codes.filter((code) => code !== "no error").length, where).toBeLessThan(2);
          expect(codes.at(-1), where).toBe("no error");
          retried += codes.filter((code) => code === "ORT_DISK_FULL").length;
          await world.close();
          await requireWhole(disk, where);
        } else {
          // Only the sync after the manifest's rename leaves open whether the commit counts.
          expect(operation, where).toBe("syncDirectory");
          await world.close().catch(() => undefined);
          expect(await verifySave(disk), where).toEqual([]);
        }
      }
      expect(retried).toBeGreaterThan(2);
    },
  );

  test("opens and accepts edits on a full disk, and leaves nothing of refused saves behind", async () => {
    const disk = await savedWorld();
    let isFull = true;
    const before = bytesOn(disk);
    const log = new SampleLog(9);
    const world = await openLoggedWorldEngine(
      fullDisk(disk, () => isFull),
      log,
      { autosave: false },
    );
    for (let round = 0; round < 20; round++) {
      await world.set([2, round, 0, 0], 8);
      await expect(world.save()).rejects.toThrow(/ORT_DISK_FULL: append: no space left/);
      expect([world.failure, world.saveFailure]).toMatchObject([undefined, { code: "ORT_DISK_FULL" }]);
    }
    expect(log.entries).toHaveLength(20);
    expect(bytesOn(disk)).toBe(before);
    isFull = false;
    await world.save();
    expect(world.saveFailure).toBeUndefined();
    await world.close();
    expect(await verifySave(disk)).toEqual([]);
    const again = await openWorldEngine(disk, { readOnly: true });
    for (let round = 0; round < 20; round++) expect(await again.get([2, round, 0, 0])).toBe(8);
    await again.close();
  });

  test("a pack that a refused save filled to the half gets the room back", async () => {
    const disk = await savedWorld();
    const world = await openLoggedWorldEngine(disk, new SampleLog(9), { autosave: false });
    await world.set([1, 0, 0, 0], 7);
    await world.close();
    const faulty = new FaultDisk(disk, {
      operation: "append",
      kind: "full",
      nth: 1,
      sticky: true,
      path: /^data/,
    });
    const again = await openLoggedWorldEngine(faulty, new SampleLog(10), { autosave: false });
    const before = bytesOn(disk);
    for (let round = 0; round < 5; round++) {
      await again.set([2, round, 0, 0], 8);
      await expect(again.save()).rejects.toThrow(/ORT_DISK_FULL/);
    }
    expect(bytesOn(disk) - before).toBeLessThan(200);
    await again.close().catch(() => undefined);
  });

  test("keeps ticks that were scheduled while the disk refused a save", async () => {
    const disk = await savedWorld();
    let isRefusing = false;
    const refusing = new GatedDisk(disk, async ({ operation, path }, happen) => {
      if (operation !== "append" || !isRefusing) return happen();
      isRefusing = false;
      await world
        .shardSteps(EVERYWHERE)
        .make(EVERYTHING_LOADED, (step) =>
          expect(step.moveTo(8_000, 0, 0, 0).schedule("fall", 2)).toBe(true),
        );
      throw new OrthantError("ORT_DISK_FULL", "append: no space left on device", { path, operation });
    });
    const options = { autosave: false, loadedBytesMax: 12_000 };
    const world = await openLoggedWorldEngine(refusing, new SampleLog(9), options);
    await world.set([1, 0, 0, 0], 7);
    const release = world.keep({ min: [1_000, 0, 0, 0], max: [1_001, 1, 1, 1] });
    await world.chunk([1_000, 0, 0, 0]);
    isRefusing = true;
    await expect(world.save()).rejects.toThrow(/ORT_DISK_FULL/);
    release();
    // Far more regions than fit into memory.
    for (let x = 1; x <= 20; x++) await world.chunk([x * 2_000, 0, 0, 0]);
    await world.close();
    const again = await openLoggedWorldEngine(disk, new SampleLog(10), { autosave: false });
    await again.chunk([1_000, 0, 0, 0]);
    let due: number | undefined;
    await again.shardSteps(EVERYWHERE).make(EVERYTHING_LOADED, (step) => {
      due = step.moveTo(8_000, 0, 0, 0).dueStepOf("fall");
    });
    expect(due).toBe(2);
    await again.close();
  });

  test("refuses edits when the disk has refused saves until the unsaved chunks fill their memory", async () => {
    const disk = await savedWorld();
    let isFull = true;
    const options = { autosave: false, loadedBytesMax: 200_000 };
    const world = await openLoggedWorldEngine(
      fullDisk(disk, () => isFull),
      new SampleLog(3),
      options,
    );
    const made: number[] = [];
    let refusal: unknown;
    for (let x = 1; x <= 200 && refusal === undefined; x++) {
      await world.set([x * 100, 0, 0, 0], 5).then(
        () => made.push(x),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    expect(String(refusal)).toMatch(/ORT_LIMIT: \d+ bytes of chunks are unsaved, the limit is 100000/);
    expect(made.length).toBeGreaterThan(20);
    expect(world.loadedBytes()).toBeLessThan(110_000);
    isFull = false;
    await world.save();
    expect((await world.set([100_000, 0, 0, 0], 5)).status).toBe("applied");
    for (const x of made) expect(await world.get([x * 100, 0, 0, 0])).toBe(5);
    await world.close();
  });

  test("ends when the disk refuses a save and the world belongs to another process", async () => {
    const disk = await savedWorld();
    let isFull = false;
    let isLost = false;
    const gated = fullDisk(disk, () => isFull);
    const lost = (): Promise<void> =>
      isLost ? Promise.reject(new OrthantError("ORT_LOCKED", "another process has it")) : Promise.resolve();
    const locked = new GatedDisk(gated, (_call, happen) => happen());
    locked.lock = async (path) => ({ ...(await gated.lock(path)), isContested: false, requireHeld: lost });
    const world = await openLoggedWorldEngine(locked, new SampleLog(9), { autosave: false });
    await world.set([1, 0, 0, 0], 7);
    [isFull, isLost] = [true, true];
    expect(await codeOfRejection(world.save())).toBe("ORT_SAVE_FAILED");
    expect(world.failure).toMatchObject({ code: "ORT_LOCKED" });
    await world.close().catch(() => undefined);
  });
});

function bytesOn(disk: MemoryDisk): number {
  return [...disk.image().files.values()].reduce((sum, { length }) => sum + length, 0);
}
