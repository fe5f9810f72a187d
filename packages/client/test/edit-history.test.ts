import { type ClientWorld, EditHistory, sphereBrush } from "@orthant/client";
import { connect } from "@orthant/client/node";
import { isOrthantError, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type GameRules } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { createWorld, openWorld, type World } from "@orthant/world";
import { describe, expect, onTestFinished, test } from "vitest";

const APPLIED = { status: "applied" } as const;
const PLACE: Position<3> = [3, 64, -2];

async function emptyWorld(): Promise<World<3>> {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  onTestFinished(() => world.close());
  return world;
}

/** Serves a world whose rule refuses lava, and joins it. */
async function joined(world: World<3>): Promise<ClientWorld<3>> {
  const lava = world.blocks.id("lava");
  const rules: GameRules<3> = {
    beforeEdit: ({ changes }) =>
      changes.some(({ block }) => block === lava) ? { reject: "no lava here" } : undefined,
  };
  const server = await createServer({ world, tickMs: 20, logger: false, rules });
  onTestFinished(() => server.close());
  const client = await connect(server.url, { dimensions: 3 });
  onTestFinished(() => client.close());
  await client.setInterest({ center: PLACE, radius: 32 });
  return client;
}

describe("an edit history", () => {
  test("undoes and redoes edits in order", async () => {
    const world = await emptyWorld();
    const history = new EditHistory(world);
    expect([history.canUndo, await history.undo(), await history.redo()]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    for (const block of [1, 2, 3]) await history.edit([{ position: PLACE, block }]);
    const seen: number[] = [];
    for (const step of ["undo", "undo", "redo", "undo", "undo", "undo", "redo"] as const) {
      await history[step]();
      seen.push(await world.get(PLACE));
    }
    expect(seen).toEqual([2, 1, 2, 1, 0, 0, 1]);
    await history.edit([{ position: PLACE, block: 9 }]);
    expect(history.canRedo, "after another edit").toBe(false);
    await history.undo();
    expect(await world.get(PLACE)).toBe(1);
  });

  test("brings any sequence of edits back to the start, also without waiting for results", async () => {
    const prng = new Prng(3);
    const world = await emptyWorld();
    const history = new EditHistory(world, { editsMax: 500 });
    const states: string[] = [];
    const cells = Array.from(
      { length: 27 },
      (_, cell): Position<3> => [cell % 3, Math.floor(cell / 3) % 3, Math.floor(cell / 9)],
    );
    const state = async (): Promise<string> =>
      String(await Promise.all(cells.map((cell) => world.get(cell))));
    for (let round = 0; round < 100; round++) {
      states.push(await state());
      const edits = Array.from({ length: 1 + prng.below(3) }, () =>
        Array.from({ length: 1 + prng.below(6) }, () => ({
          position: prng.pick(cells),
          block: prng.below(4),
        })),
      );
      // A round's edits are sent together, and each reads what the one before it leaves.
      await Promise.all(edits.map((placements) => history.edit(placements)));
    }
    const last = await state();
    for (;;) {
      const now = await state();
      while (states.at(-1) === now) states.pop();
      if ((await history.undo()) === undefined) break;
    }
    expect(states.length, "every round's start came back, in order").toBe(0);
    while (history.canRedo) await history.redo();
    expect(await state()).toBe(last);
  });

  test("keeps the order of what it is asked while blocks are not in memory", async () => {
    const disk = new MemoryDisk();
    const first = await createWorld(disk, { dimensions: 3 });
    await first.set(PLACE, 4);
    await first.close();
    const world = await openWorld<3>(disk);
    onTestFinished(() => world.close());
    const history = new EditHistory(world);
    expect(world.voxelAt(PLACE)).toBeUndefined();
    const place = (block: number): Promise<unknown> => history.edit([{ position: PLACE, block }]);
    await Promise.all([place(1), place(2), history.undo(), place(3), history.undo(), history.redo()]);
    expect(await world.get(PLACE)).toBe(3);
    await Promise.all([history.undo(), history.undo()]);
    expect([await world.get(PLACE), history.canUndo]).toEqual([4, false]);
  });

  test("leaves what another player changed since", async () => {
    const world = await emptyWorld();
    const history = new EditHistory(world);
    await history.edit(sphereBrush(PLACE, 1, 1));
    await world.set(PLACE, 5);
    expect(await history.undo()).toEqual(APPLIED);
    expect(await world.get(PLACE)).toBe(5);
    expect(await world.get([4, 64, -2])).toBe(0);
    await history.edit([{ position: PLACE, block: 2 }]);
    await world.set(PLACE, 7);
    expect(await history.undo()).toEqual({ status: "unchanged" });
    expect(await world.get(PLACE)).toBe(7);
  });

  test("shows a client's edit and its undo at once, and forgets what the server rejects", async () => {
    const world = await emptyWorld();
    const client = await joined(world);
    const history = new EditHistory(client);
    const edit = history.edit([{ position: PLACE, block: 1 }]);
    expect(client.voxelAt(PLACE)).toBe(1);
    expect(await edit).toEqual(APPLIED);
    const lava = client.blocks.id("lava");
    expect(await history.edit([{ position: PLACE, block: lava }])).toMatchObject({
      status: "rejected",
      detail: "no lava here",
    });
    const undo = history.undo();
    expect(client.voxelAt(PLACE)).toBe(0);
    expect(await undo).toEqual(APPLIED);
    expect([history.canUndo, history.canRedo, await world.get(PLACE)]).toEqual([false, true, 0]);
    // The rejected undo of a removal that the server would not allow again.
    await world.set(PLACE, lava);
    await expect.poll(() => client.voxelAt(PLACE)).toBe(lava);
    await history.edit([{ position: PLACE, block: 0 }]);
    expect(await history.undo()).toMatchObject({ status: "rejected" });
    expect([history.canUndo, history.canRedo, client.voxelAt(PLACE)]).toEqual([false, false, 0]);
  });

  test("keeps a bounded number of edits, and none that change nothing", async () => {
    const world = await emptyWorld();
    const history = new EditHistory(world, { editsMax: 3 });
    for (let block = 1; block <= 9; block++) await history.edit([{ position: PLACE, block }]);
    expect(await history.edit([{ position: PLACE, block: 9 }])).toEqual({ status: "unchanged" });
    let count = 0;
    for (; history.canUndo; count++) await history.undo();
    expect([count, await world.get(PLACE)]).toEqual([3, 6]);
  });

  test("refuses wrong arguments", async () => {
    const world = await emptyWorld();
    const history = new EditHistory(world);
    const calls: readonly [argument: string, call: () => unknown][] = [
      ["world is undefined", async () => new EditHistory(undefined as never)],
      ["world.voxelAt is undefined", async () => new EditHistory({} as never)],
      ["editsMx", async () => new EditHistory(world, { editsMx: 3 } as never)],
      ["0", async () => new EditHistory(world, { editsMax: 0 })],
      ["placements is 3", () => history.edit(3 as never)],
      ["placements[0] is null", () => history.edit([null] as never)],
      ["position is [1, 2]", () => history.edit([{ position: [1, 2], block: 1 }] as never)],
      ["placements[0].block is NaN", () => history.edit([{ position: PLACE, block: Number.NaN }])],
    ];
    for (const [argument, call] of calls) {
      await expect(call()).rejects.toThrow(argument);
      await expect(call()).rejects.toSatisfy((error) => isOrthantError(error, "ORT_ARGUMENT"));
    }
    expect(history.canUndo).toBe(false);
  });
});
