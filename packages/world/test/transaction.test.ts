import { box, isOrthantError, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { codeOfRejection, FakeTime } from "@orthant/testkit";
import { createWorld, openWorld, type Transaction, type World, type WorldOptions } from "@orthant/world";
import { describe, expect, onTestFinished, test } from "vitest";

const CHEST: Position<3> = [3, 64, -2];
const [CRATE, BARREL] = [7, 8];
const quiet: WorldOptions<3> = { time: new FakeTime(), autosave: false };
const journaled: WorldOptions<3> = { ...quiet, durability: "journal" };

async function newWorld(disk = new MemoryDisk(), options = quiet): Promise<World<3>> {
  const world = await createWorld(disk, { dimensions: 3 }, options);
  onTestFinished(() => world.close());
  return world;
}

/** Moves coins from the chest to a purse, as many as there are. Returns how many. */
async function take(transaction: Transaction<3>, count: number, purse: string): Promise<number> {
  const coins = (await transaction.data(CHEST)) as number;
  const taken = Math.min(count, coins);
  transaction.setData(CHEST, coins - taken);
  transaction.store.set(purse, (((await transaction.store.get(purse)) as number | undefined) ?? 0) + taken);
  return taken;
}

describe("a transaction", () => {
  test("changes voxels, players and the store together, and returns what its function does", async () => {
    const world = await newWorld();
    await world.set(CHEST, CRATE, { data: 10 });
    const taken = await world.transaction(async (transaction) => {
      transaction.set([0, 0, 0], BARREL, { data: "full" });
      transaction.upsertPlayer({ playerId: 1n, name: "Ada", inventory: Uint8Array.of(4) });
      return take(transaction, 4, "purse");
    });
    expect([taken, await world.data(CHEST), await world.store.get("purse")]).toEqual([4, 6, 4]);
    expect([await world.get([0, 0, 0]), await world.data([0, 0, 0])]).toEqual([BARREL, "full"]);
    expect(world.player(1n)).toMatchObject({ name: "Ada", inventory: Uint8Array.of(4) });
  });

  test("is one edit for those who listen", async () => {
    const world = await newWorld();
    const edits: number[] = [];
    world.onEdit(({ changes }) => edits.push([...changes].length));
    await world.transaction((transaction) => {
      transaction.set([0, 0, 0], BARREL);
      transaction.set([500, 0, 0], CRATE);
    });
    await world.transaction((transaction) => transaction.store.set("a", 1));
    expect(edits).toEqual([2]);
  });

  test("reads what it has changed itself, and others do not before it ends", async () => {
    const world = await newWorld();
    await world.set(CHEST, CRATE, { data: 10 });
    await world.store.set("key", 1);
    await world.transaction(async (transaction) => {
      transaction.setData(CHEST, 9);
      expect([await transaction.get(CHEST), await transaction.data(CHEST)]).toEqual([CRATE, 9]);
      transaction.set(CHEST, BARREL);
      // Another block has no data of the earlier one.
      expect([await transaction.get(CHEST), await transaction.data(CHEST)]).toEqual([BARREL, undefined]);
      transaction.upsertPlayer({ playerId: 5n, name: "Bob" });
      transaction.upsertPlayer({ playerId: 5n, tags: ["guest"] });
      expect(transaction.player(5n)).toMatchObject({ name: "Bob", tags: ["guest"], isOnline: false });
      transaction.store.delete("key");
      transaction.store.set("other", [2]);
      expect([await transaction.store.get("key"), await transaction.store.get("other")]).toEqual([
        undefined,
        [2],
      ]);
      expect([await world.get(CHEST), await world.data(CHEST)]).toEqual([CRATE, 10]);
      expect([await world.store.get("key"), world.player(5n)]).toEqual([1, undefined]);
    });
    expect([await world.get(CHEST), await world.data(CHEST)]).toEqual([BARREL, undefined]);
    expect([await world.store.get("key"), await world.store.get("other")]).toEqual([undefined, [2]]);
    expect(world.player(5n)).toMatchObject({ name: "Bob", tags: ["guest"] });
  });

  test("changes nothing if its function throws", async () => {
    const world = await newWorld();
    await world.set(CHEST, CRATE, { data: 10 });
    const failing = world.transaction(async (transaction) => {
      await take(transaction, 3, "purse");
      transaction.upsertPlayer({ playerId: 5n });
      throw new Error("The chest is locked.");
    });
    await expect(failing).rejects.toThrow("The chest is locked.");
    expect([await world.data(CHEST), await world.store.get("purse"), world.player(5n)]).toEqual([
      10,
      undefined,
      undefined,
    ]);
  });

  test("changes nothing if one of its changes cannot be made", async () => {
    const world = await newWorld();
    await world.set(CHEST, CRATE, { data: 10 });
    const { generation } = world;
    for (const tooMuch of [
      (transaction: Transaction<3>) => {
        for (let index = 0; index < 65; index++) transaction.store.set(`${index}`, new Uint8Array(1_048_576));
      },
      (transaction: Transaction<3>) => {
        for (let x = 0; x < 16; x++) transaction.set([x, 64, 0], CRATE, { data: "x".repeat(65_000) });
      },
    ]) {
      const code = await codeOfRejection(
        world.transaction(async (transaction) => {
          await take(transaction, 3, "purse");
          transaction.upsertPlayer({ playerId: 5n });
          tooMuch(transaction);
        }),
      );
      expect(code).toBe("ORT_LIMIT");
      expect([await world.data(CHEST), await world.store.get("purse"), world.player(5n)]).toEqual([
        10,
        undefined,
        undefined,
      ]);
    }
    expect([world.generation, world.failure]).toEqual([generation, undefined]);
  });

  test("runs again if a voxel, a player or a key that it read was changed meanwhile", async () => {
    const world = await newWorld();
    await world.set(CHEST, CRATE, { data: 10 });
    world.upsertPlayer({ playerId: 5n, name: "Bob" });
    const meanwhile: (() => unknown)[] = [
      () => world.setData(CHEST, 20),
      () => world.set(CHEST, BARREL, { data: 30 }),
      () => world.upsertPlayer({ playerId: 5n, name: "Eve" }),
      () => world.upsertPlayer({ playerId: 6n, name: "Ann" }),
      () => world.store.set("key", 1),
      () => world.store.delete("key"),
    ];
    const seen: unknown[] = [];
    await world.transaction(async (transaction) => {
      const { store } = transaction;
      seen.push([
        await transaction.get(CHEST),
        await transaction.data(CHEST),
        transaction.player(5n)?.name,
        transaction.player(6n)?.name,
        await store.get("key"),
      ]);
      await meanwhile.shift()?.();
    });
    expect(seen).toEqual([
      [CRATE, 10, "Bob", undefined, undefined],
      [CRATE, 20, "Bob", undefined, undefined],
      [BARREL, 30, "Bob", undefined, undefined],
      [BARREL, 30, "Eve", undefined, undefined],
      [BARREL, 30, "Eve", "Ann", undefined],
      [BARREL, 30, "Eve", "Ann", 1],
      [BARREL, 30, "Eve", "Ann", undefined],
    ]);
  });

  test("does not run again for what it did not read", async () => {
    const world = await newWorld();
    await world.set(CHEST, CRATE, { data: 10 });
    let runs = 0;
    await world.transaction(async (transaction) => {
      runs++;
      await take(transaction, 1, "purse");
      await world.set([4, 64, -2], BARREL);
      await world.store.set("key", runs);
      world.upsertPlayer({ playerId: 5n, name: "Bob" });
    });
    expect(runs).toBe(1);
    expect([await world.get([4, 64, -2]), await world.data(CHEST)]).toEqual([BARREL, 9]);
  });

  test("runs again where its function failed because it read of two times", async () => {
    const world = await newWorld();
    await world.store.set("left", 3);
    await world.store.set("right", 0);
    let runs = 0;
    const sum = await world.transaction(async ({ store }) => {
      const left = (await store.get("left")) as number;
      if (runs++ === 0)
        await world.transaction((other) => {
          other.store.set("left", 1);
          other.store.set("right", 2);
        });
      const right = (await store.get("right")) as number;
      if (left + right !== 3) throw new Error("a coin is missing");
      return left + right;
    });
    expect([sum, runs]).toEqual([3, 2]);
  });

  test("gives what is in a chest to one of two who empty it at the same moment", async () => {
    const world = await newWorld(new MemoryDisk(), journaled);
    await world.set(CHEST, CRATE, { data: 10 });
    const takes = Array.from({ length: 50 }, (_, index) =>
      world.transaction((transaction) => take(transaction, 3, `purse/${index % 7}`)),
    );
    const taken = await Promise.all(takes);
    expect(taken.filter((count) => count > 0).sort()).toEqual([1, 3, 3, 3]);
    let kept = (await world.data(CHEST)) as number;
    for await (const [, coins] of world.store.entries("purse/")) kept += coins as number;
    expect(kept).toBe(10);
  });

  test("[J41] is there after a crash, with a journal and without", async () => {
    for (const options of [journaled, quiet]) {
      const disk = new MemoryDisk();
      const world = await newWorld(disk, options);
      await world.set(CHEST, CRATE, { data: 10 });
      await world.transaction(async (transaction) => {
        transaction.upsertPlayer({ playerId: 5n, name: "Bob" });
        await take(transaction, 4, "purse");
      });
      if (options === quiet) await world.whenDurable();
      const found = await openWorld(new MemoryDisk(disk.image()), { ...quiet, dimensions: 3 });
      onTestFinished(() => found.close());
      expect([await found.data(CHEST), await found.store.get("purse")]).toEqual([6, 4]);
      expect(found.player(5n)?.name).toBe("Bob");
    }
  });

  test("can no longer be used when it is over", async () => {
    const world = await newWorld();
    let left: Transaction<3> | undefined;
    await world.transaction((transaction) => {
      left = transaction;
    });
    const uses: ((transaction: Transaction<3>) => unknown)[] = [
      (transaction) => transaction.get(CHEST),
      (transaction) => transaction.data(CHEST),
      (transaction) => transaction.set(CHEST, 1),
      (transaction) => transaction.setData(CHEST, 1),
      (transaction) => transaction.player(1n),
      (transaction) => transaction.upsertPlayer({ playerId: 1n }),
      (transaction) => transaction.store.get("key"),
      (transaction) => transaction.store.set("key", 1),
      (transaction) => transaction.store.delete("key"),
    ];
    for (const use of uses)
      await expect(async () => use(left as Transaction<3>)).rejects.toThrow("the transaction is over");
  });

  test("gives up when what it reads never stays the same", async () => {
    const world = await newWorld();
    let runs = 0;
    const endless = world.transaction(async ({ store }) => {
      await store.get("key");
      await world.store.set("key", runs++);
    });
    expect(await codeOfRejection(endless)).toBe("ORT_LIMIT");
    expect(runs).toBe(1_000);
  });

  test("is refused by a world that is closed or only read", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, quiet);
    await world.close();
    const nothing = (): undefined => undefined;
    expect(await codeOfRejection(world.transaction(nothing))).toBe("ORT_CLOSED");
    const reader = await openWorld(disk, { ...quiet, dimensions: 3, readOnly: true });
    onTestFinished(() => reader.close());
    expect(await codeOfRejection(reader.transaction(nothing))).toBe("ORT_READ_ONLY");
    await expect(reader.transaction("take" as never)).rejects.toSatisfy((error) =>
      isOrthantError(error, "ORT_ARGUMENT"),
    );
  });

  test("refuses voxels, blocks, keys and players that do not exist, at once", async () => {
    const world = await newWorld();
    await world.transaction(async (transaction) => {
      expect(() => transaction.set([0.5, 0, 0], 1)).toThrow("position is [0.5, 0, 0]");
      expect(() => transaction.set([0, 0, 0], -1)).toThrow("block is -1");
      expect(() => transaction.setData([0, 0] as never, 1)).toThrow("position is [0, 0]");
      expect(() => transaction.store.set("", 1)).toThrow("key is");
      expect(() => transaction.store.set("a", undefined)).toThrow("to remove a key, call delete");
      expect(() => transaction.upsertPlayer({ playerId: 1 as never })).toThrow("playerId is 1");
      expect(() => transaction.player(-1n)).toThrow("playerId is -1");
      await expect(transaction.get([0, 0, Number.NaN])).rejects.toThrow("position is");
    });
    expect([world.players, await world.get([0, 0, 0])]).toEqual([[], 0]);
  });
});

describe("an edit with other changes", () => {
  const VOXEL: Position = [3, 64, -2, 0];
  const origin = { clientId: 7n, editId: 1, playerId: 5n };

  test("[J41] is made once with them, also after a crash", async () => {
    const disk = new MemoryDisk();
    const { engine } = await newWorld(disk, journaled);
    const made: unknown[] = [];
    const edit = (of: World<3>["engine"]) =>
      of.edit([{ voxel: VOXEL, block: CRATE }], {
        origin,
        with: (transaction, before) => {
          made.push(before.voxelAt(...VOXEL));
          transaction.setKey("price", Uint8Array.of(made.length));
        },
      });
    expect((await edit(engine)).status).toBe("applied");
    const found = await openWorld(new MemoryDisk(disk.image()), { ...journaled, dimensions: 3 });
    onTestFinished(() => found.close());
    for (const again of [engine, found.engine]) {
      expect((await edit(again)).status).toBe("duplicate");
      expect(again.lastEditOf(7n)).toBe(1);
      expect([await again.get(VOXEL), await again.store.get("price")]).toEqual([CRATE, Uint8Array.of(1)]);
    }
    expect(made).toEqual([0, CRATE, CRATE]);
  });

  test("changes voxels of the edit again, and others, in all that logs and shows it", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, journaled);
    const voxels = box([0, 60, 0], [40, 61, 4]);
    await world.fill(voxels, CRATE);
    const edits: [author: bigint | undefined, count: number][] = [];
    world.onEdit(({ author, count }) => edits.push([author, count]));
    await world.engine.fill({ min: [0, 60, 0, 0], max: [40, 61, 4, 1] }, BARREL, {
      origin,
      with: (transaction) => {
        // All of the first chunk is as it was.
        for (let x = 0; x < 16; x++)
          for (let z = 0; z < 4; z++) transaction.edit({ voxel: [x, 60, z, 0], block: CRATE });
        transaction.edit({ voxel: [100, 60, 0, 0], block: BARREL });
      },
    });
    const found = await openWorld(new MemoryDisk(disk.image()), { ...quiet, dimensions: 3 });
    onTestFinished(() => found.close());
    for (const one of [world, found]) {
      const blocks = [0, 15, 16, 39, 40, 100].map((x) => one.get([x, 60, 0]));
      expect(await Promise.all(blocks)).toEqual([CRATE, CRATE, BARREL, BARREL, 0, BARREL]);
    }
    expect(edits).toEqual([[5n, 24 * 4 + 1]]);
  });

  test("is refused with what its function throws", async () => {
    const { engine } = await newWorld();
    const refused = engine.edit([{ voxel: VOXEL, block: CRATE }], {
      origin,
      with: (transaction) => {
        transaction.setKey("price", Uint8Array.of(1));
        throw new Error("too expensive");
      },
    });
    await expect(refused).rejects.toThrow("too expensive");
    expect([await engine.get(VOXEL), await engine.store.get("price"), engine.lastEditOf(7n)]).toEqual([
      0,
      undefined,
      0,
    ]);
  });
});
