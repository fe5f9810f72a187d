import { MemoryDisk } from "@orthant/disk";
import { CLIENT_EDITS_MAX, openSave } from "@orthant/formats";
import { CrashDisk, codeOfRejection, explorePowerCuts, FakeClock, FaultDisk } from "@orthant/testkit";
import { createWorld, type EditOrigin, openWorld, type World, type WorldEdit } from "@orthant/world";
import { describe, expect, test } from "vitest";

const CLIENT = 0xfeed_0000_0000_0001n;
const quiet = { clock: new FakeClock(), autosave: false };

async function newWorld(disk = new MemoryDisk()): Promise<World> {
  return createWorld(disk, {}, quiet);
}

/** Puts the number of the edit into two voxels, so far apart that they do not share a leaf. */
async function numbered(world: World, editId: number, clientId = CLIENT): Promise<WorldEdit> {
  return world.edit(
    [
      { voxel: [0, 0, 0, 0], material: editId },
      { voxel: [600_000, 0, 0, 0], material: editId },
    ],
    { origin: { clientId, editId } },
  );
}

describe("an edit with an origin", () => {
  test("is made once; repeated, it changes nothing, moves no clock and is told to nobody", async () => {
    const world = await newWorld();
    const heard: WorldEdit[] = [];
    world.onEdit((edit) => heard.push(edit));
    const first = await numbered(world, 1);
    expect(first.repeated).toBe(false);
    await world.set([0, 0, 0, 0], 77);
    const clock = world.clockOf([0, 0, 0, 0]);
    await world.save();
    const generation = world.generation;
    expect(await numbered(world, 1)).toEqual({ chunks: [], clocks: [], repeated: true });
    expect(await world.get([0, 0, 0, 0])).toBe(77);
    expect(world.clockOf([0, 0, 0, 0])).toBe(clock);
    expect(heard).toHaveLength(2);
    expect(await world.save()).toBe(generation);
    await world.close();
  });

  test("is told from the same one that still waits for its turn, which it is compared with when its own comes", async () => {
    const world = await newWorld();
    const edits = await Promise.all([numbered(world, 1), numbered(world, 1), numbered(world, 2)]);
    expect(edits.map(({ repeated, chunks }) => [repeated, chunks.length])).toEqual([
      [false, 2],
      [true, 0],
      [false, 2],
    ]);
    await world.close();
  });

  test("is old news behind a later one of the same client, and new from another client", async () => {
    const world = await newWorld();
    await numbered(world, 5);
    expect((await numbered(world, 4)).repeated).toBe(true);
    expect((await numbered(world, 4, CLIENT + 1n)).repeated).toBe(false);
    expect([world.lastEditOf(CLIENT), world.lastEditOf(CLIENT + 1n), world.lastEditOf(9n)]).toEqual([
      5, 4, 0,
    ]);
    await world.close();
  });

  test("counts also when it found everything as it should be, and is saved although nothing else is", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await numbered(world, 1);
    const generation = await world.save();
    const origin: EditOrigin = { clientId: CLIENT, editId: 2 };
    const edit = await world.edit([{ voxel: [0, 0, 0, 0], material: 1 }], { origin });
    expect(edit).toEqual({ chunks: [], clocks: [], repeated: false });
    expect(await world.save()).toBe(generation + 1);
    await world.close();
    const again = await openWorld(disk, quiet);
    expect(again.lastEditOf(CLIENT)).toBe(2);
    await again.close();
  });

  test("does not count when it is refused, and may be tried again", async () => {
    const behind = new MemoryDisk();
    const first = await newWorld(behind);
    await first.set([0, 0, 0, 0], 9);
    await first.close();
    // The first read is the one that opening needs.
    const disk = new FaultDisk(behind, { operation: "readAt", path: /^data/, kind: "io", nth: 2 });
    const world = await openWorld(disk, quiet);
    expect(await codeOfRejection(numbered(world, 1))).toBe("ORT_DISK_IO");
    expect(world.lastEditOf(CLIENT)).toBe(0);
    expect((await numbered(world, 1)).repeated).toBe(false);
    await world.close();
  });

  test("stands with its origin when a listener throws", async () => {
    const world = await newWorld();
    world.onEdit(() => {
      throw new Error("a listener's own");
    });
    await expect(numbered(world, 1)).rejects.toThrow("a listener's own");
    expect(world.lastEditOf(CLIENT)).toBe(1);
    expect((await numbered(world, 1)).repeated).toBe(true);
    await world.close();
  });

  test.each<[name: string, origin: EditOrigin]>([
    ["an edit 0", { clientId: 1n, editId: 0 }],
    ["half an edit", { clientId: 1n, editId: 1.5 }],
    ["an edit above all safe integers", { clientId: 1n, editId: 2 ** 53 }],
    ["a negative client", { clientId: -1n, editId: 1 }],
    ["a client of 65 bits", { clientId: 2n ** 64n, editId: 1 }],
  ])("is refused with %s", async (_name, origin) => {
    const world = await newWorld();
    const edit = world.edit([{ voxel: [0, 0, 0, 0], material: 1 }], { origin });
    expect(await codeOfRejection(edit)).toBe("ORT_ARGUMENT");
    expect(await world.get([0, 0, 0, 0])).toBe(0);
    await world.close();
  });

  test("is forgotten when 4,096 other clients have edited since, and not before", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    const editOf = (clientId: bigint, editId = 1): Promise<WorldEdit> =>
      world.edit([{ voxel: [0, 0, 0, 0], material: 1 }], { origin: { clientId, editId } });
    for (let client = 0; client < CLIENT_EDITS_MAX; client++) await editOf(BigInt(client));
    await editOf(0n, 2);
    await editOf(1n, 1);
    await editOf(9_999n);
    // Client 0 edited again meanwhile; a repeated edit of client 1 was none.
    expect([0n, 1n, 2n, 9_999n].map((client) => world.lastEditOf(client))).toEqual([2, 0, 1, 1]);
    await world.close();
    const save = await openSave(disk);
    expect(save.global.description.edits).toHaveLength(CLIENT_EDITS_MAX);
    await save.close();
  });

  test("and its origin are in the same save, at whichever moment of the edit the save begins", async () => {
    const outcomes = new Set<number>();
    for (let turns = 0; turns < 60; turns++) {
      const disk = new MemoryDisk();
      const world = await newWorld(disk);
      await numbered(world, 1);
      world.upsertPlayer({ playerId: 1n });
      const editing = numbered(world, 2);
      for (let turn = 0; turn < turns; turn++) await undefined;
      await world.whenDurable();
      const saved = await openWorld(new MemoryDisk(disk.image()), quiet);
      const last = saved.lastEditOf(CLIENT);
      expect(await saved.get([0, 0, 0, 0]), `after ${turns} turns`).toBe(last);
      outcomes.add(last);
      await saved.close();
      await editing;
      await world.close();
    }
    expect([...outcomes].sort(), "the save must come before the edit and after it").toEqual([1, 2]);
  });

  test("and its origin are saved together or not at all, wherever the power is cut", async () => {
    const recorder = new CrashDisk();
    const world = await createWorld(recorder, {}, quiet);
    const made = recorder.log.length;
    const durable: { readonly at: number; readonly editId: number }[] = [];
    for (let editId = 1; editId <= 4; editId += 2) {
      await numbered(world, editId);
      const saving = world.whenDurable();
      // This one is made while the save runs, or just before it takes what there is to save.
      const meanwhile = numbered(world, editId + 1);
      await saving;
      durable.push({ at: recorder.log.length, editId });
      await meanwhile;
    }
    await world.save();
    durable.push({ at: recorder.log.length, editId: 4 });
    const outcomes = new Set<number>();
    await explorePowerCuts(recorder, { disksPerCut: 5, seed: 9 }, async ({ disk, cutAt }) => {
      if (cutAt < made) return;
      const survivor = await openWorld(disk, quiet);
      const last = survivor.lastEditOf(CLIENT);
      expect(await survivor.get([0, 0, 0, 0])).toBe(last);
      expect(await survivor.get([600_000, 0, 0, 0])).toBe(last);
      for (const { at, editId } of durable) if (cutAt >= at) expect(last).toBeGreaterThanOrEqual(editId);
      outcomes.add(last);
      // The client sends all that it has no answer for again: each edit is made once.
      const again = [];
      for (let editId = 1; editId <= 4; editId++) again.push((await numbered(survivor, editId)).repeated);
      expect(again).toEqual(again.map((_, index) => index < last));
      expect(await survivor.get([0, 0, 0, 0])).toBe(4);
      await survivor.close();
    });
    expect(outcomes.has(0) && outcomes.has(4) && outcomes.size >= 3).toBe(true);
    await world.close();
  });
});
