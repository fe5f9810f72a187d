import {
  box,
  type ClientWorld,
  connect,
  createServer,
  createWorld,
  type GameRules,
  hashKey,
  hashPosition,
  MemoryDisk,
  OrthantError,
  type OrthantServer,
  type World,
} from "orthant";
import { expect, onTestFinished, test } from "vitest";

/** Shares an empty world. */
async function shared(rules: GameRules<3> = {}): Promise<{ world: World<3>; server: OrthantServer }> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  const server = await createServer({ world, tickMs: 10, logger: false, rules, closeWorld: true });
  onTestFinished(() => server.close());
  return { world, server };
}

async function joined({ url }: OrthantServer, name: string): Promise<ClientWorld<3>> {
  const client = await connect(url, { name, dimensions: 3 });
  onTestFinished(() => client.close());
  return client;
}

test("a world's players say who of them is connected to a server that shares it", async () => {
  const { world, server } = await shared();
  const ada = await joined(server, "Ada");
  // The world stores an anonymous player after an edit, when they move or leave.
  world.upsertPlayer({ playerId: ada.playerId, name: "Ada" });
  world.upsertPlayer({ playerId: 1n, name: "Bob" });
  const online = (): unknown =>
    Object.fromEntries(world.players.map(({ name, isOnline }) => [name, isOnline]));
  await expect.poll(online).toEqual({ Ada: true, Bob: false });
  expect([world.player(ada.playerId)?.isOnline, world.player(1n)?.isOnline]).toEqual([true, false]);
  await ada.close();
  await expect.poll(online).toEqual({ Ada: false, Bob: false });
});

test("a wrong interest rejects, as other promises of a client do", async () => {
  const { server } = await shared();
  const ada = await joined(server, "Ada");
  const around = (center: readonly number[]): Promise<unknown> =>
    ada.setInterest({ center: center as [number, number, number], radius: 8 }).catch(String);
  expect(await around([1, 2])).toMatch(
    /ORT_ARGUMENT: center is \[1, 2\]; it is \[x, y, z\], 3 finite numbers/,
  );
  expect(await around([1, 2, 3])).toBe(undefined);
  const interest = { center: [1, 2] as never, radius: 8 };
  await expect(connect(server.url, { dimensions: 3, interest })).rejects.toThrow("center is [1, 2]");
});

test("a world and its clients refuse positions with too few or too many coordinates, and count those they have", async () => {
  const { world, server } = await shared();
  const ada = await joined(server, "Ada");
  await ada.setInterest({ center: [0, 0, 0], radius: 8 });
  const asIn = "it is [x, y, z], 3 whole numbers, in this world of 3 dimensions";
  const { unit } = box([0, 0, 0], [1, 1, 1]);
  for (const voxels of [world, ada]) {
    for (const position of [[1, 2], [1, 2, 3, 4], []] as unknown as [number, number, number][]) {
      const list = `[${position.join(", ")}]`;
      const refused = new OrthantError("ORT_ARGUMENT", `position is ${list}; ${asIn}`);
      expect(() => voxels.voxelAt(position)).toThrow(refused);
      await expect(voxels.get(position)).rejects.toThrow(refused);
      await expect(voxels.set(position, 1)).rejects.toThrow(refused);
      await expect(voxels.edit([{ position, block: 1 }])).rejects.toThrow(
        `placements[0].position is ${list}`,
      );
      const corners = { unit, min: position, max: position };
      await expect(voxels.fill(corners, 1)).rejects.toThrow(`box.min is ${list}; ${asIn}`);
      const cut = { unit, min: [0, 0, 0] as const, max: position };
      await expect(voxels.fill(cut, 1)).rejects.toThrow(`box.max is ${list}; ${asIn}`);
    }
  }
  expect(() => world.setNow([1, 2] as never, 1)).toThrow(`position is [1, 2]; ${asIn}`);
});

test("rules and hashes are there for a game that imports orthant alone", async () => {
  const key = hashKey(7n, 1);
  const isLucky = (position: readonly [number, number, number]): boolean =>
    hashPosition(key, ...position, 0) % 2 === 0;
  const rules: GameRules<3> = {
    beforeEdit: ({ changes }) =>
      changes.every(({ position }) => isLucky(position)) ? undefined : { reject: "no luck" },
  };
  const { server } = await shared(rules);
  const ada = await joined(server, "Ada");
  await ada.setInterest({ center: [0, 0, 0], radius: 16 });
  for (const x of [0, 1, 2, 3]) {
    const { status } = await ada.set([x, 0, 0], 1);
    expect(status).toBe(isLucky([x, 0, 0]) ? "applied" : "rejected");
  }
});
