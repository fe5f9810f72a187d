import { type DataCodec, isOrthantError, type Position } from "@orthant/core";
import { bytesEqual, encodeUtf8 } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { verifySave } from "@orthant/save";
import { STORE_BYTES_MAX, STORE_VALUE_BYTES_MAX } from "@orthant/save/content";
import {
  CrashDisk,
  codeOfRejection,
  explorePowerCuts,
  FakeTime,
  FaultDisk,
  Prng,
  type Survivor,
} from "@orthant/testkit";
import { createWorld, type KeyValueView, openWorld, type World } from "@orthant/world";
import {
  createWorldEngine,
  type EngineOptions,
  openSaveWithJournal,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { describe, expect, onTestFinished, test } from "vitest";

const quiet: EngineOptions = { time: new FakeTime(), autosave: false };
const journaled: EngineOptions = { ...quiet, durability: "journal" };
const PLACE: Position<3> = [3, 64, -2];

async function newWorld(disk = new MemoryDisk(), options: EngineOptions = quiet): Promise<World<3>> {
  const { generators: _, ...own } = options;
  const world = await createWorld(disk, { dimensions: 3 }, own);
  onTestFinished(() => world.close());
  return world;
}

describe("the store of a world", () => {
  test("has what was set, until it is deleted", async () => {
    const { store } = await newWorld();
    expect([await store.get("time"), await store.delete("time")]).toEqual([undefined, false]);
    for (const value of [7, null, "text", { day: [1, 2] }, Uint8Array.of(1, 2), ""]) {
      await store.set("time", value);
      expect(await store.get("time")).toEqual(value);
    }
    expect([await store.delete("time"), await store.get("time")]).toEqual([true, undefined]);
  });

  test("lists keys by prefix in order, saved or not", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    for (const key of ["quest/b", "quest/a", "que", "quest0", "ban/x", "quest/c"])
      await world.store.set(key, key);
    await world.save();
    await world.store.delete("quest/b");
    await world.store.set("quest/aa", "new");
    expect(await listed(world.store, "quest/")).toEqual(["quest/a", "quest/aa", "quest/c"]);
    expect(await listed(world.store)).toEqual(["ban/x", "que", "quest/a", "quest/aa", "quest/c", "quest0"]);
    expect(await listed(world.store, "z")).toEqual([]);
    const entries: unknown[] = [];
    for await (const entry of world.store.entries("quest/a")) entries.push(entry);
    expect(entries).toEqual([
      ["quest/a", "quest/a"],
      ["quest/aa", "new"],
    ]);
  });

  test("is the same as a map over saves, openings and copies", async () => {
    const random = new Prng(4);
    const model = new Map<string, unknown>();
    let disk = new MemoryDisk();
    let world: World = await createWorld(disk, { dimensions: 2 }, quiet);
    for (let step = 0; step < 600; step++) {
      const key = `${["a/", "b/", "ö"][random.below(3)]}${random.below(80)}`;
      const action = random.below(40);
      if (action < 12) expect(await world.store.delete(key)).toBe(model.delete(key));
      else if (action < 36) {
        const value = { step, text: "y".repeat(random.below(2_000)) };
        await world.store.set(key, value);
        model.set(key, value);
      } else if (action < 38) await world.save();
      else {
        const copy = new MemoryDisk();
        if (action === 38) await world.saveAs(copy);
        await world.close();
        if (action === 38) disk = copy;
        world = await openWorld(disk, quiet);
      }
      expect(await world.store.get(key)).toEqual(model.get(key));
    }
    expect(await listed(world.store)).toEqual([...model.keys()].sort());
    await world.close();
    expect(await verifySave(disk)).toEqual([]);
  });

  test("uses the codec of the game", async () => {
    const storeCodec: DataCodec = {
      encode: (value) => encodeUtf8(`<${String(value)}>`),
      decode: (bytes) => new TextDecoder().decode(bytes).slice(1, -1),
    };
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, { ...quiet, storeCodec });
    await world.store.set("k", 12);
    expect(await world.store.get("k")).toBe("12");
    await world.close();
    const plain = await openWorld(disk, quiet);
    expect(await codeOfRejection(plain.store.get("k"))).toBe("ORT_STORE");
    await plain.close();
    const wrong = { encode: () => "text", decode: () => 1 } as unknown as DataCodec;
    const third = await openWorld(disk, { ...quiet, storeCodec: wrong });
    await expect(third.store.set("k", 1)).rejects.toThrow("storeCodec.encode");
    await third.close();
  });

  test("refuses keys and values that it cannot hold, and names the argument", async () => {
    const { store } = await newWorld();
    for (const key of ["", "x".repeat(257), "ü".repeat(129), 7, null, undefined, "\ud800"]) {
      await expect(store.set(key as string, 1)).rejects.toThrow(/^ORT_ARGUMENT: key is/);
      await expect(store.get(key as string)).rejects.toThrow(/^ORT_ARGUMENT: key is/);
      await expect(store.delete(key as string)).rejects.toThrow(/^ORT_ARGUMENT: key is/);
    }
    await store.set("ü".repeat(128), 1);
    await expect(store.set("k", undefined)).rejects.toThrow(
      "value is undefined; to remove a key, call delete",
    );
    await expect(store.set("k", { now: new Date() })).rejects.toThrow("value.now");
    await expect(listed(store, 7 as unknown as string)).rejects.toThrow("prefix is 7");
    await expect(store.set("k", new Uint8Array(STORE_VALUE_BYTES_MAX + 1))).rejects.toThrow(
      'ORT_LIMIT: the value of "k" has 1048577 bytes, which exceed the limit of 1048576: spread it over several keys',
    );
  });

  test("has values of exactly 1,048,576 bytes at most, also after a crash", async () => {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3 }, journaled);
    const most = new Uint8Array(1_048_576).fill(7);
    await world.store.set("k", most);
    await world.store.set("text", "x".repeat(1_048_574));
    const crashed = new MemoryDisk(disk.image());
    await world.close();
    for (const left of [crashed, disk]) {
      const found = await openWorld<3>(left, journaled);
      expect(bytesEqual((await found.store.get("k")) as Uint8Array, most)).toBe(true);
      expect(((await found.store.get("text")) as string).length).toBe(1_048_574);
      await found.close();
      expect(await verifySave(left)).toEqual([]);
    }
  });

  test("never has more than 64 MiB, saved or not", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    const value = new Uint8Array(STORE_VALUE_BYTES_MAX - 1);
    const count = Math.floor(STORE_BYTES_MAX / STORE_VALUE_BYTES_MAX);
    for (let index = 0; index < count - 1; index++) await world.store.set(`k${index}`, value);
    await world.save();
    expect(await codeOfRejection(world.store.set("more", value))).toBe("ORT_LIMIT");
    expect(await world.store.get("more")).toBeUndefined();
    await world.store.set("k0", value.fill(7));
    await world.store.delete("k1");
    await world.store.set("more", value);
    await world.save();
    expect(await codeOfRejection(world.store.set("k1", value))).toBe("ORT_LIMIT");
    await world.store.set("k1", "small");
  });

  test("sets what it has already without a save", async () => {
    const world = await newWorld();
    await world.store.set("k", { a: 1 });
    const generation = await world.save();
    await world.store.set("k", { a: 1 });
    await world.store.delete("other");
    expect(await world.save()).toBe(generation);
  });

  test("is fixed in a snapshot, and in a kept generation", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.store.set("saved", 1);
    const generation = await world.save();
    await world.store.set("unsaved", 1);
    const snapshot = world.snapshot();
    await world.store.set("saved", 2);
    await world.store.set("unsaved", 2);
    await world.store.set("later", 2);
    await world.save();
    expect([await snapshot.store.get("saved"), await snapshot.store.get("unsaved")]).toEqual([1, 1]);
    expect(await listed(snapshot.store)).toEqual(["saved", "unsaved"]);
    await snapshot.close();
    const past = await openWorld(disk, { ...quiet, at: generation });
    expect(await listed(past.store)).toEqual(["saved"]);
    expect(await past.store.get("saved")).toBe(1);
    expect(await codeOfRejection(past.store.set("saved", 3))).toBe("ORT_READ_ONLY");
    await past.close();
  });

  test("is not there any more in a closed world", async () => {
    const world = await newWorld();
    await world.close();
    for (const call of [
      world.store.get("k"),
      world.store.set("k", 1),
      world.store.delete("k"),
      listed(world.store),
    ])
      expect(await codeOfRejection(call)).toBe("ORT_CLOSED");
  });

  test("iterates over one moment, whatever happens meanwhile", async () => {
    // A compaction waits between its slices, which fake time never ends.
    const world = await newWorld(new MemoryDisk(), { autosave: false });
    for (let index = 0; index < 100; index++) await world.store.set(`k${index}`, "z".repeat(2_000));
    await world.save();
    const seen: string[] = [];
    for await (const key of world.store.keys()) {
      seen.push(key);
      if (seen.length % 10 !== 0) continue;
      for (let index = 0; index < 100; index += 7) await world.store.delete(`k${index}`);
      await world.store.set(`new ${seen.length}`, 1);
      await world.save();
      await world.compact();
    }
    expect(seen.length).toBe(100);
  });

  test("a damaged page of the store is refused, and the rest of the world is not", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk);
    await world.set(PLACE, 3);
    await world.store.set("k", "text");
    await world.close();
    const file = await disk.open("data/dt-000001.v4dt", "write");
    await file.writeAt((await file.size()) - 3, Uint8Array.of(0xff, 0xff));
    const again = await openWorld(disk, quiet);
    expect(await codeOfRejection(again.store.get("k"))).toBe("ORT_CHECKSUM");
    expect(await codeOfRejection(again.store.set("k", 1))).toBe("ORT_CHECKSUM");
    expect(await again.get(PLACE)).toBe(3);
    await again.close();
  });
});

describe("the store and the journal", () => {
  test("[J37] bring back each value after a crash, in the order of the edits", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, journaled);
    await world.store.set("gone", 1);
    await world.store.set("k", 1);
    await Promise.all([world.set(PLACE, 5), world.store.set("k", 5), world.store.delete("gone")]);
    await world.store.set("large", new Uint8Array(700_000).fill(9));
    for (const options of [quiet, { ...quiet, readOnly: true }]) {
      const found = await openWorld(new MemoryDisk(disk.image()), options);
      expect(await listed(found.store)).toEqual(["k", "large"]);
      expect([await found.store.get("k"), await found.get(PLACE as never)]).toEqual([5, 5]);
      await found.close();
    }
    const { save, journal } = await openSaveWithJournal(new MemoryDisk(disk.image()));
    expect([save.global.records?.store?.keys, journal.loss]).toEqual([2, undefined]);
    await save.close();
  });

  test("are copied by a reader", async () => {
    const disk = new MemoryDisk();
    const world = await newWorld(disk, journaled);
    await world.store.set("saved", 1);
    await world.save();
    await world.store.set("logged", 1);
    const reader = await openWorld(new MemoryDisk(disk.image()), { ...quiet, readOnly: true });
    const copy = new MemoryDisk();
    await reader.saveAs(copy);
    await reader.close();
    const found = await openWorld(copy, quiet);
    expect(await listed(found.store)).toEqual(["logged", "saved"]);
    await found.close();
  });

  test("keep what was acknowledged when the disk fails", async () => {
    let strikes = 0;
    for (let nth = 1; ; nth++) {
      const behind = new MemoryDisk();
      const disk = new FaultDisk(behind, { operation: "sync", kind: "io", nth });
      let kept = 0;
      try {
        const world = await createWorld(disk, { dimensions: 3 }, journaled);
        for (let step = 1; step <= 4; step++) {
          await world.store.set("k", step);
          kept = step;
        }
        await world.close();
      } catch (error) {
        expect(isOrthantError(error)).toBe(true);
      }
      if (!disk.struck) break;
      strikes++;
      if (kept === 0) continue;
      const found = await openWorld(new MemoryDisk(behind.image()), quiet);
      expect(await found.store.get("k")).toBeGreaterThanOrEqual(kept);
      await found.close();
    }
    expect(strikes).toBeGreaterThan(8);
  });
});

/** Pages of this size are cut and joined by the steps below. */
const FILLING = "f".repeat(12_000);

/** Writes a number into a voxel and, before and behind it, into the store. */
async function number(world: WorldEngine, step: number): Promise<void> {
  const bytes = Uint8Array.of(step);
  await Promise.all([
    world.store.change("first", bytes),
    world.set([0, 0, 0, 0], step),
    world.store.change(`page ${step}`, encodeUtf8(`${step}${FILLING}`)),
    world.store.change("last", bytes),
  ]);
}

/** Returns the numbers in the order in which they are written. */
async function numbers(world: WorldEngine): Promise<readonly number[]> {
  const stored = async (key: string): Promise<number> => (await world.store.get(key))?.[0] ?? 0;
  const pages: number[] = [];
  for await (const { key } of world.store.entries("page ")) pages.push(Number(key.slice(5)));
  return [await stored("first"), await world.get([0, 0, 0, 0]), Math.max(0, ...pages), await stored("last")];
}

describe("a power cut", () => {
  test.each<[name: string, options: EngineOptions]>([
    ["a journal", journaled],
    ["snapshots alone", quiet],
  ])(
    "a power cut at any operation leaves store and voxels of one moment, with %s",
    async (_name, options) => {
      const recorder = new CrashDisk();
      const world = await createWorldEngine(recorder, {}, options);
      const made = recorder.log.length;
      const durable: { readonly at: number; readonly step: number }[] = [];
      for (let step = 1; step <= 5; step++) {
        await number(world, step);
        if (options.durability !== "journal" || step % 2 === 0) await world.save();
        durable.push({ at: recorder.log.length, step });
      }
      const found = new Set<string>();
      const check = async ({ disk, cutAt }: Survivor): Promise<void> => {
        if (cutAt < made) return;
        const survivor = await openWorldEngine(disk, quiet);
        const [first = 0, voxel = 0, page = 0, last = 0] = await numbers(survivor);
        const isOrdered = first >= voxel && voxel >= page && page >= last && first - last <= 1;
        expect(isOrdered, `the order ${[first, voxel, page, last]}`).toBe(true);
        for (const { at, step } of durable) if (cutAt >= at) expect(last).toBeGreaterThanOrEqual(step);
        found.add([first, voxel, page, last].join());
        await number(survivor, 9);
        await survivor.close();
        expect((await verifySave(disk)).filter(({ severity }) => severity === "damage")).toEqual([]);
      };
      const expectedAt = (cutAt: number): string =>
        `${cutAt >= made} ${durable.filter(({ at }) => cutAt >= at).length}`;
      await explorePowerCuts(recorder, { disksPerCut: 3, seed: 5 }, check, expectedAt);
      expect(found.has("0,0,0,0") && found.has("5,5,5,5") && found.size >= 4).toBe(true);
      await world.close();
    },
  );
});

async function listed(store: KeyValueView, prefix?: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of store.keys(prefix)) keys.push(key);
  return keys;
}
