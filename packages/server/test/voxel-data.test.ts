import { type ClientWorld, EditHistory } from "@orthant/client";
import { connect } from "@orthant/client/node";
import type { BlockChange, Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer } from "@orthant/server";
import { createWorld, openWorld, type World } from "@orthant/world";
import { expect, onTestFinished, test } from "vitest";

const PLACE: Position<3> = [3, 64, -2];
const NEXT: Position<3> = [13, 64, -2];
const ITEMS = { items: ["x".repeat(2_000)] };

/** A server whose rule refuses locked chests, and notes what players did. */
async function served(
  disk: MemoryDisk,
): Promise<{ readonly world: World<3>; readonly server: OrthantServer<3>; readonly seen: BlockChange<3>[] }> {
  const world = await createWorld(disk, { dimensions: 3 }, { durability: "journal", autosave: false });
  onTestFinished(() => world.close());
  const seen: BlockChange<3>[] = [];
  const server = await createServer<3>({
    world,
    tickMs: 20,
    logger: false,
    acknowledge: "durable",
    rules: {
      data: "any",
      beforeEdit: ({ changes }) =>
        changes.some(({ dataBefore }) => dataBefore === "locked") ? { reject: "It is locked." } : undefined,
      afterEdit: ({ changes }) => {
        seen.push(...changes);
      },
    },
  });
  onTestFinished(() => server.close());
  return { world, server, seen };
}

async function joined({ url }: OrthantServer<3>): Promise<ClientWorld<3>> {
  const client = await connect(url, { dimensions: 3 });
  onTestFinished(() => client.close());
  await client.setInterest({ center: PLACE, radius: 32 });
  return client;
}

test("a client may set exactly 32,768 bytes of data, and others and the disk get all of them", async () => {
  const disk = new MemoryDisk();
  const { world, server } = await served(disk);
  const [ada, bob] = [await joined(server), await joined(server)];
  const most = new Uint8Array(32_768).fill(7);
  expect(await ada.set(PLACE, world.blocks.id("wood"), { data: most })).toEqual({ status: "applied" });
  await expect.poll(() => bob.dataAt(PLACE)).toEqual(most);
  await expect(ada.setData(PLACE, new Uint8Array(32_769))).rejects.toThrow(
    "data has 32769 bytes, which exceed the limit of 32768 for a voxel",
  );
  const found = await openWorld<3>(new MemoryDisk(disk.image()), { readOnly: true });
  expect(await found.data(PLACE)).toEqual(most);
  await found.close();
});

test("data that a client sets is seen by rules and by other clients, copied, undone, and there after a crash", async () => {
  const disk = new MemoryDisk();
  const { world, server, seen } = await served(disk);
  const [ada, bob] = [await joined(server), await joined(server)];
  const chest = world.blocks.id("wood");
  const setting = ada.set(PLACE, chest, { data: ITEMS });
  expect(ada.dataAt(PLACE), "before the server answers").toEqual(ITEMS);
  expect(await setting).toEqual({ status: "applied" });
  await expect.poll(() => bob.dataAt(PLACE)).toEqual(ITEMS);
  expect(seen).toEqual([{ position: PLACE, block: chest, before: 0, data: ITEMS }]);

  const [x, y, z] = PLACE;
  await ada.copy({ unit: "voxels", min: PLACE, max: [x + 1, y + 1, z + 1] }, NEXT);
  await expect.poll(() => bob.dataAt(NEXT)).toEqual(ITEMS);
  const found = await openWorld<3>(new MemoryDisk(disk.image()), { readOnly: true });
  expect([await found.get(NEXT), await found.data(NEXT)]).toEqual([chest, ITEMS]);
  await found.close();

  const history = new EditHistory(ada);
  await history.edit([{ position: PLACE, data: "open" }]);
  await history.edit([{ position: PLACE, block: 0 }]);
  await expect.poll(() => [bob.voxelAt(PLACE), bob.dataAt(PLACE)]).toEqual([0, undefined]);
  await history.undo();
  await expect.poll(() => [bob.voxelAt(PLACE), bob.dataAt(PLACE)]).toEqual([chest, "open"]);
  await history.undo();
  await expect.poll(() => bob.dataAt(PLACE)).toEqual(ITEMS);
  await history.redo();
  expect(await bob.data(PLACE)).toBeDefined();
  await expect.poll(() => bob.dataAt(PLACE)).toBe("open");

  await ada.setData(PLACE, "locked");
  expect(await bob.setData(PLACE, null)).toEqual({
    status: "rejected",
    reason: "vetoed",
    detail: "It is locked.",
  });
  expect([await world.data(PLACE), bob.dataAt(PLACE)]).toEqual(["locked", "locked"]);
});

test("data that the game cannot read is rejected", async () => {
  const { world, server } = await served(new MemoryDisk());
  const ada = await joined(server);
  const voxel = [...PLACE, 0] as const;
  const result = await ada.replica.setVoxels([{ voxel, block: 1, data: Uint8Array.of(1, 0x7b) }]);
  expect(result).toMatchObject({ status: "rejected", reason: "data" });
  expect([await world.get(PLACE), ada.voxelAt(PLACE)]).toEqual([0, 0]);
});
