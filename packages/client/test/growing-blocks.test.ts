import { connectReplica } from "@orthant/client/node";
import { memoryCache, type WorldReplica } from "@orthant/client/replica";
import { MemoryDisk } from "@orthant/disk";
import { createWorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";
import { countingSockets, serve } from "./served-world.ts";

const CLIENTS = 100;
const PLACED_WITHIN_MS = 1_000;
const FACING = ["north", "east", "south", "west"] as const;

/** Returns how long the slowest of some promises takes from now on. */
async function slowestMs(promises: readonly Promise<unknown>[]): Promise<number> {
  const startMs = performance.now();
  await Promise.all(promises);
  return performance.now() - startMs;
}

/** Places a block in the voxel of a client, or throws. */
async function place(client: WorldReplica, number: number, block: number): Promise<void> {
  const { status } = await client.setVoxel([number * 8, 0, 0, 0], block);
  if (status !== "applied") throw new Error(`the edit of client ${number} is ${status}`);
}

test("100 clients place a block of a new type within a second, on the connections that they have", async () => {
  const world = await createWorldEngine(new MemoryDisk());
  // All of them come from one network.
  const limits = {
    connectionsPerAddress: CLIENTS,
    httpSocketsPerAddress: CLIENTS,
    httpRequestsBurst: 2 * CLIENTS,
    budgetsPerNetwork: CLIENTS,
  };
  const server = await serve(world, { limits, tickMs: 50 });
  const clients = Array.from({ length: CLIENTS }, (_, number) =>
    connectReplica(server.url, { name: `player ${number}`, timeoutMs: 60_000 }),
  );
  try {
    const statuses = new Set<string>();
    await Promise.all(clients.map(({ ready }) => ready));
    for (const client of clients) client.onStatus((status) => statuses.add(status));
    const before = new Set(clients.map(({ catalog }) => catalog.endId));
    expect(before).toEqual(new Set([16]));

    // What placing takes on this machine while other programs run, so that only the new type is measured.
    const usualMs = await slowestMs(clients.map((client, number) => place(client, number, 1)));
    const addType = (name: string): Promise<number> => {
      const placing = clients.map(
        (client, number) =>
          new Promise<void>((resolve, reject) => {
            const end = client.onBlocks((blocks) => {
              end();
              const block = blocks.id(name, { facing: FACING[number % 4] as string });
              place(client, number, block).then(resolve, reject);
            });
          }),
      );
      return slowestMs([world.blocks.define({ [name]: { properties: { facing: FACING } } }), ...placing]);
    };
    // The best of three, because another program may take the processor for a second.
    const tookMs = [await addType("crate"), await addType("barrel"), await addType("chest")];
    expect(Math.min(...tookMs) - usualMs).toBeLessThan(PLACED_WITHIN_MS);
    expect(statuses, "no connection was lost").toEqual(new Set());
    for (let number = 0; number < CLIENTS; number++) {
      const found = world.catalog.describe(await world.get([number * 8, 0, 0, 0]));
      expect(found).toEqual({ type: "chest", properties: { facing: FACING[number % 4] } });
    }
    expect(await clients[0]?.setVoxel([1, 0, 0, 0], world.catalog.endId)).toMatchObject({
      status: "rejected",
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await server.close();
    await world.close();
  }
}, 120_000);

test("a client that kept a large catalog does not get it again, and gets one that grew meanwhile", async () => {
  const world = await createWorldEngine(new MemoryDisk());
  const names = Array.from({ length: 1_000 }, (_, number) => [`game:block number ${number}`, {}] as const);
  await world.blocks.define(Object.fromEntries(names));
  const server = await serve(world);
  const cache = memoryCache();
  const join = async (): Promise<{ readonly bytes: number; readonly types: number }> => {
    const { socket, bytes } = countingSockets();
    const client = connectReplica(server.url, { socket, cache });
    await client.ready;
    const received = { bytes: bytes(), types: client.catalog.types.length };
    await client.close();
    return received;
  };
  try {
    const first = await join();
    const again = await join();
    await world.blocks.define({ copper: {} });
    const grown = await join();
    expect([first.types, again.types, grown.types]).toEqual([1_016, 1_016, 1_017]);
    expect(first.bytes).toBeGreaterThan(20_000);
    expect(again.bytes).toBeLessThan(500);
    expect(grown.bytes).toBeGreaterThan(20_000);
  } finally {
    await server.close();
    await world.close();
  }
}, 60_000);

test("a type that changes is changed at connected clients at once, and at one that returns with its cache", async () => {
  const world = await createWorldEngine(new MemoryDisk());
  await world.blocks.define({ copper: { colour: 0xb8_73_33 } });
  const server = await serve(world);
  const cache = memoryCache();
  const join = async (): Promise<WorldReplica> => {
    const client = connectReplica(server.url, { cache });
    await client.ready;
    return client;
  };
  try {
    const before = await join();
    expect(before.catalog.byName("copper")).toMatchObject({ colour: 0xb8_73_33, solid: true, light: 0 });
    await before.close();
    const client = await join();
    const seen = new Promise<void>((resolve) => {
      client.onBlocks((blocks) => blocks.lightOf(16) === 3 && resolve());
    });
    await world.blocks.change("copper", { colour: 0x6f_a2_87, light: 3, opacity: 4, solid: false });
    await seen;
    expect(client.catalog.types).toEqual(world.catalog.types);
    await client.close();
    await world.blocks.change("copper", { tags: ["green"] });
    const after = await join();
    expect(after.catalog.types).toEqual(world.catalog.types);
    await after.close();
  } finally {
    await server.close();
    await world.close();
  }
});
