import type { EditOrigin } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { openSave } from "@orthant/save";
import { CLIENT_EDITS_MAX } from "@orthant/save/content";
import { CrashDisk, codeOfRejection, explorePowerCuts, FakeTime, FaultDisk } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineEdit,
  openWorldEngine,
  PLAYER_CLIENTS_MAX,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const CLIENT = 0xfeed_0000_0000_0001n;
const quiet = { time: new FakeTime(), autosave: false };

async function newWorld(disk = new MemoryDisk()): Promise<WorldEngine> {
  return createWorldEngine(disk, {}, quiet);
}

/** Sets two voxels to the number of the edit, too far apart to share a leaf. */
async function numbered(world: WorldEngine, editId: number, clientId = CLIENT): Promise<EngineEdit> {
  return world.edit(
    [
      { voxel: [0, 0, 0, 0], block: editId },
      { voxel: [600_000, 0, 0, 0], block: editId },
    ],
    { origin: { clientId, editId } },
  );
}

/** Sets one voxel as an edit of a client, by default edit 1. */
function editOf(
  world: WorldEngine,
  origin: Partial<EditOrigin> & Pick<EditOrigin, "clientId">,
): Promise<EngineEdit> {
  return world.edit([{ voxel: [0, 0, 0, 0], block: 1 }], { origin: { editId: 1, ...origin } });
}

describe("an edit with an origin", () => {
  test("is applied once; repeated, it changes nothing, moves no clock and notifies no listener", async () => {
    const world = await newWorld();
    const heard: EngineEdit[] = [];
    world.onEdit((edit) => heard.push(edit));
    const first = await numbered(world, 1);
    expect(first.status).toBe("applied");
    await world.set([0, 0, 0, 0], 77);
    const clock = world.clockOf([0, 0, 0, 0]);
    await world.save();
    const generation = world.generation;
    expect(await numbered(world, 1)).toEqual({ chunks: [], clocks: [], status: "duplicate" });
    expect(await world.get([0, 0, 0, 0])).toBe(77);
    expect(world.clockOf([0, 0, 0, 0])).toBe(clock);
    expect(heard).toHaveLength(2);
    expect(await world.save()).toBe(generation);
    await world.close();
  });

  test("is recognized as a repeat of an edit that is still queued", async () => {
    const world = await newWorld();
    const edits = await Promise.all([numbered(world, 1), numbered(world, 1), numbered(world, 2)]);
    expect(edits.map(({ status, chunks }) => [status, chunks.length])).toEqual([
      ["applied", 2],
      ["duplicate", 0],
      ["applied", 2],
    ]);
    await world.close();
  });

  test("counts as a repeat after a later edit of the same client, but not of another client", async () => {
    const world = await newWorld();
    await numbered(world, 5);
    expect((await numbered(world, 4)).status).toBe("duplicate");
    expect((await numbered(world, 4, CLIENT + 1n)).status).toBe("applied");
    expect([world.lastEditOf(CLIENT), world.lastEditOf(CLIENT + 1n), world.lastEditOf(9n)]).toEqual([
      5, 4, 0,
    ]);
    await world.close();
  });

  test("is remembered and saved even if it changed nothing", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await numbered(world, 1);
    const generation = await world.save();
    const origin: EditOrigin = { clientId: CLIENT, editId: 2 };
    const edit = await world.edit([{ voxel: [0, 0, 0, 0], block: 1 }], { origin });
    expect(edit).toEqual({ chunks: [], clocks: [], status: "unchanged" });
    expect(await world.save()).toBe(generation + 1);
    await world.close();
    const again = await openWorldEngine(disk, quiet);
    expect(again.lastEditOf(CLIENT)).toBe(2);
    await again.close();
  });

  test("is not remembered when it fails, and can be retried", async () => {
    const behind = new MemoryDisk();
    const first = await newWorld(behind);
    await first.set([0, 0, 0, 0], 9);
    await first.close();
    // Opening needs the first read.
    const disk = new FaultDisk(behind, { operation: "readAt", path: /^data/, kind: "io", nth: 2 });
    const world = await openWorldEngine(disk, quiet);
    expect(await codeOfRejection(numbered(world, 1))).toBe("ORT_DISK_IO");
    expect(world.lastEditOf(CLIENT)).toBe(0);
    expect((await numbered(world, 1)).status).toBe("applied");
    await world.close();
  });

  test("stands, with its origin, when a listener throws", async () => {
    const world = await newWorld();
    world.onEdit(() => {
      throw new Error("a listener's own");
    });
    await expect(numbered(world, 1)).rejects.toThrow("a listener's own");
    expect(world.lastEditOf(CLIENT)).toBe(1);
    expect((await numbered(world, 1)).status).toBe("duplicate");
    await world.close();
  });

  test.each<[name: string, origin: EditOrigin]>([
    ["an edit 0", { clientId: 1n, editId: 0 }],
    ["half an edit", { clientId: 1n, editId: 1.5 }],
    ["an edit above all safe integers", { clientId: 1n, editId: 2 ** 53 }],
    ["a negative client", { clientId: -1n, editId: 1 }],
    ["a client of 65 bits", { clientId: 2n ** 64n, editId: 1 }],
    ["a player of 65 bits", { clientId: 1n, editId: 1, playerId: 2n ** 64n }],
    ["a player who is a number", { clientId: 1n, editId: 1, playerId: 7 as never }],
  ])("is rejected with %s", async (_name, origin) => {
    const world = await newWorld();
    const edit = world.edit([{ voxel: [0, 0, 0, 0], block: 1 }], { origin });
    expect(await codeOfRejection(edit)).toBe("ORT_ARGUMENT");
    expect(await world.get([0, 0, 0, 0])).toBe(0);
    await world.close();
  });

  test("is forgotten after 4,096 other clients have edited, and not before", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    for (let client = 0; client < CLIENT_EDITS_MAX; client++)
      await editOf(world, { clientId: BigInt(client) });
    await editOf(world, { clientId: 0n, editId: 2 });
    await editOf(world, { clientId: 1n });
    await editOf(world, { clientId: 9_999n });
    // Client 0 edited again meanwhile; a repeated edit of client 1 does not count.
    expect([0n, 1n, 2n, 9_999n].map((client) => world.lastEditOf(client))).toEqual([2, 0, 1, 1]);
    await world.close();
    const save = await openSave(disk);
    expect(save.global.description.edits).toHaveLength(CLIENT_EDITS_MAX);
    await save.close();
  });

  test.each(["snapshot", "journal"] as const)(
    "is forgotten in order of use after reopening, with durability %s",
    async (durability) => {
      const disk = new MemoryDisk();
      const options = { ...quiet, durability };
      const first = await createWorldEngine(disk, {}, options);
      // The largest id edits first: if ids decided, it would be forgotten last.
      for (let client = CLIENT_EDITS_MAX; client > 0; client--)
        void editOf(first, { clientId: BigInt(client) });
      await editOf(first, { clientId: BigInt(CLIENT_EDITS_MAX - 1), editId: 2 });
      // A power cut: only the save or the journal remains.
      if (durability === "snapshot") await first.save();
      const world = await openWorldEngine(new MemoryDisk(disk.image()), {
        ...options,
        damagedJournal: "cut",
      });
      await editOf(world, { clientId: 9_998n });
      await editOf(world, { clientId: 9_999n });
      const asked = [4_096n, 4_095n, 4_094n, 4_093n, 1n, 9_998n];
      expect(asked.map((client) => world.lastEditOf(client))).toEqual([0, 2, 0, 1, 1, 1]);
      await world.close();
    },
  );

  test("is not forgotten because of another player, whatever ids that player's clients choose", async () => {
    const disk = new MemoryDisk();
    const before = await newWorld(disk);
    await editOf(before, { clientId: 1n << 40n, playerId: 1n });
    for (let client = 0; client < 5_000; client++)
      void editOf(before, { clientId: BigInt(client), playerId: 2n });
    await before.close();
    const world = await openWorldEngine(disk, quiet);
    for (let client = 0; client < 5_000; client++)
      void editOf(world, { clientId: (1n << 50n) + BigInt(client), playerId: 2n });
    await editOf(world, { clientId: 1n << 40n, editId: 1, playerId: 1n });
    expect(world.lastEditOf(1n << 40n)).toBe(1);
    expect([world.mayHaveForgotten(1n), world.mayHaveForgotten(2n), world.mayHaveForgotten()]).toEqual([
      false,
      true,
      false,
    ]);
    await world.close();
    const save = await openSave(disk);
    expect(save.global.description.edits).toHaveLength(1 + PLAYER_CLIENTS_MAX);
    await save.close();
  });

  test("is forgotten first for the players with the most clients when there are too many in total", async () => {
    const world = await newWorld();
    await editOf(world, { clientId: 1n, playerId: 1n });
    for (let client = 2; client <= CLIENT_EDITS_MAX; client++)
      void editOf(world, { clientId: BigInt(client) });
    for (let client = 0; client < PLAYER_CLIENTS_MAX; client++)
      void editOf(world, { clientId: 5_000n + BigInt(client), playerId: 2n });
    await editOf(world, { clientId: 6_000n, playerId: 3n });
    const asked = [1n, 2n, 18n, 19n, 5_000n, 6_000n];
    expect(asked.map((client) => world.lastEditOf(client))).toEqual([1, 0, 0, 1, 1, 1]);
    // All entries are in use, so a client of any player may have been forgotten.
    expect(world.mayHaveForgotten(7n)).toBe(true);
    await world.close();
  });

  test("[J7] is remembered with its player after a crash", async () => {
    const disk = new MemoryDisk();
    const world = await createWorldEngine(disk, {}, { ...quiet, durability: "journal" });
    for (let client = 0; client < PLAYER_CLIENTS_MAX; client++)
      await editOf(world, { clientId: BigInt(client), playerId: 7n });
    const again = await openWorldEngine(new MemoryDisk(disk.image()), { ...quiet, durability: "journal" });
    expect(again.mayHaveForgotten(7n)).toBe(true);
    await editOf(again, { clientId: 99n, playerId: 7n });
    expect([0n, 1n, 99n].map((client) => again.lastEditOf(client))).toEqual([0, 1, 1]);
    await again.close();
    await world.close();
  });

  test("is in the same save as its origin, whenever the save begins during the edit", async () => {
    const outcomes = new Set<number>();
    for (let turns = 0; turns < 60; turns++) {
      const disk = new MemoryDisk();
      const world = await newWorld(disk);
      await numbered(world, 1);
      world.upsertPlayer({ playerId: 1n });
      // An edit takes few turns, so one save begins before it.
      const saving = turns === 0 ? world.whenDurable() : undefined;
      const editing = numbered(world, 2);
      for (let turn = 0; turn < turns; turn++) await undefined;
      await (saving ?? world.whenDurable());
      const saved = await openWorldEngine(new MemoryDisk(disk.image()), quiet);
      const last = saved.lastEditOf(CLIENT);
      expect(await saved.get([0, 0, 0, 0]), `after ${turns} turns`).toBe(last);
      outcomes.add(last);
      await saved.close();
      await editing;
      await world.close();
    }
    expect([...outcomes].sort(), "the save must come before the edit and after it").toEqual([1, 2]);
  });

  test("is saved together with its origin or not at all, wherever the power is cut", async () => {
    const recorder = new CrashDisk();
    const world = await createWorldEngine(recorder, {}, quiet);
    const made = recorder.log.length;
    const durable: { readonly at: number; readonly editId: number }[] = [];
    for (let editId = 1; editId <= 4; editId += 2) {
      await numbered(world, editId);
      const saving = world.whenDurable();
      // This edit happens while the save runs, or just before it takes its changes.
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
      const survivor = await openWorldEngine(disk, quiet);
      const last = survivor.lastEditOf(CLIENT);
      expect(await survivor.get([0, 0, 0, 0])).toBe(last);
      expect(await survivor.get([600_000, 0, 0, 0])).toBe(last);
      for (const { at, editId } of durable) if (cutAt >= at) expect(last).toBeGreaterThanOrEqual(editId);
      outcomes.add(last);
      // The client resends everything without an answer: each edit is applied once.
      const again = [];
      for (let editId = 1; editId <= 4; editId++) again.push((await numbered(survivor, editId)).status);
      expect(again).toEqual(again.map((_, index) => (index < last ? "duplicate" : "applied")));
      expect(await survivor.get([0, 0, 0, 0])).toBe(4);
      await survivor.close();
    });
    expect(outcomes.has(0) && outcomes.has(4) && outcomes.size >= 3).toBe(true);
    await world.close();
  });
});
