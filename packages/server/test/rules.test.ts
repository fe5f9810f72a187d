import { setImmediate } from "node:timers/promises";
import { connectReplica } from "@orthant/client/node";
import { type BlockChange, type Position, systemTime } from "@orthant/core";
import { WorldState } from "@orthant/core/tree";
import { PLAIN_DATA } from "@orthant/core/world";
import type { GameRules, OrthantServer, PlayerEditEvent, ServerOptions } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { World } from "@orthant/world";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { flatWorld, metric, serve, until } from "./served-world.ts";

const VOXEL: Position = [3, 40, 3, 0];
const STONE = 1;
const AIR = 0;
const FAST: NonNullable<ServerOptions["limits"]> = {
  editsPerSecond: 1e6,
  editsBurst: 1e6,
  editChunksPerSecond: 1e6,
  framesPerSecond: 1e6,
  framesBurst: 1e6,
};

async function join(url: string, name = "Ada") {
  const client = connectReplica(url, { name });
  onTestFinished(() => client.close());
  await client.ready;
  return client;
}

/** Serves a flat world of three dimensions, with lines of its log. */
async function ruled(rules: GameRules<3>, options: Partial<ServerOptions<3>> = {}) {
  const world = await flatWorld();
  const lines: string[] = [];
  const streamWrite = (line: string): string => {
    lines.push(line);
    return "";
  };
  const logger = { level: "error", hooks: { streamWrite } };
  const server = await serve({ world, limits: FAST, logger, ...options, rules } as Partial<ServerOptions>);
  return { world, server, lines };
}

test("two players who break one block at the same time get one drop, with rules that take their time", async () => {
  const ROUNDS = 500;
  const prng = new Prng(500);
  const drops: string[] = [];
  let running = 0;
  const pause = async (): Promise<void> => {
    expect(++running, "rules about one voxel never overlap").toBe(1);
    for (let turns = prng.below(6); turns > 0; turns--) await setImmediate();
    running--;
  };
  const { world, server } = await ruled(
    {
      beforeEdit: async ({ changes }) => {
        await pause();
        return changes.some(({ before }) => before === AIR) ? { reject: "It is gone." } : undefined;
      },
      afterEdit: async ({ player, changes }) => {
        await pause();
        expect([...changes]).toEqual([{ position: [3, 40, 3], block: AIR, before: STONE }]);
        drops.push(player.name);
      },
    },
    { tickMs: 2 },
  );
  const clients = [await join(server.url, "Ada"), await join(server.url, "Bob")];
  let rejected = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    await world.set(VOXEL, STONE);
    const turn = prng.chance(0.5) ? clients : [...clients].reverse();
    const results = await Promise.all(turn.map((client) => client.setVoxel(VOXEL, AIR)));
    expect(results.map(({ status }) => status).sort()).toEqual(["applied", "rejected"]);
    rejected += results.filter((result) => "detail" in result && result.detail === "It is gone.").length;
    await until(() => drops.length === round);
  }
  expect([drops.length, rejected]).toEqual([ROUNDS, ROUNDS]);
}, 120_000);

test("players who build at the same moment pay for it, each edit once, or it is not made", async () => {
  const [PRICE, COINS] = [3, 20];
  let failures = 0;
  const { world, server } = await ruled({
    beforeEdit: () => ({
      with: async ({ store }, changes) => {
        if (changes.some(({ before }) => before !== AIR)) return { reject: "It is taken." };
        const coins = (await store.get("coins")) as number;
        // Another player may pay meanwhile.
        await setImmediate();
        if (coins < PRICE) return { reject: "There are no more coins." };
        store.set("coins", coins - PRICE);
        if (failures++ === 2) throw new Error("a bug in the game");
        return undefined;
      },
    }),
  });
  const shown = new World<3>(world);
  await shown.store.set("coins", COINS);
  const clients = await Promise.all(["Ada", "Bob", "Cid"].map((name) => join(server.url, name)));
  const sets = Array.from({ length: 30 }, (_, edit) =>
    clients[edit % 3]?.setVoxel([edit >> 1, 60, 3, 0], STONE),
  );
  const results = await Promise.all(sets);
  const details = results.map((result) => (result && "detail" in result ? result.detail : result?.status));
  const built = await Promise.all(Array.from({ length: 15 }, (_, x) => world.get([x, 60, 3, 0])));
  const stones = built.filter((block) => block === STONE).length;
  expect(stones).toBe(6);
  expect(details.filter((detail) => detail === "applied")).toHaveLength(6);
  expect(details.filter((detail) => detail === "the rules of the game failed")).toHaveLength(1);
  expect(await shown.store.get("coins")).toBe(COINS - stones * PRICE);
  expect(new Set(details)).toEqual(
    new Set(["applied", "It is taken.", "There are no more coins.", "the rules of the game failed"]),
  );
});

test("what a rule changes with an edit follows what the world is when the edit is made", async () => {
  const { world, server } = await ruled({
    beforeEdit: () => ({
      with: async (transaction, changes) => {
        const [{ before } = { before: AIR }] = changes;
        transaction.store.set("drop", before);
        // A system of the game changes the block meanwhile, the first time.
        if (before === STONE) await world.set(VOXEL, 9);
        return undefined;
      },
    }),
    afterEdit: ({ changes }) => void drops.push(...Array.from(changes, ({ before }) => before)),
  });
  const drops: number[] = [];
  const shown = new World<3>(world);
  await world.set(VOXEL, STONE);
  const client = await join(server.url);
  expect(await client.setVoxel(VOXEL, AIR)).toEqual({ status: "applied" });
  expect([await shown.store.get("drop"), await world.get(VOXEL)]).toEqual([9, AIR]);
  await until(() => drops.length === 1);
  expect(drops).toEqual([9]);
});

test("a function with an edit that never ends rejects it after `ruleMs`, and later edits are made", async () => {
  let calls = 0;
  const { world, server, lines } = await ruled(
    { beforeEdit: () => ({ with: () => (calls++ === 0 ? new Promise(() => undefined) : undefined) }) },
    { limits: { ...FAST, ruleMs: 50 } },
  );
  const client = await join(server.url);
  const results = await Promise.all([client.setVoxel(VOXEL, STONE), client.setVoxel(VOXEL, 9)]);
  expect(results).toEqual([
    { status: "rejected", reason: "vetoed", detail: "the game did not decide within 50 ms" },
    { status: "applied" },
  ]);
  expect(await world.get(VOXEL)).toBe(9);
  expect(lines.join("")).toContain("ORT_TIMEOUT");
});

describe("a rule", () => {
  test("sees who edits what, and what was there, in the coordinates of the world", async () => {
    const asked: PlayerEditEvent<3>[] = [];
    const made: PlayerEditEvent<3>[] = [];
    const { world, server } = await ruled({
      beforeEdit: (edit) => void asked.push(edit),
      afterEdit: (edit) => void made.push(edit),
    });
    await world.set(VOXEL, STONE);
    const client = await join(server.url);
    await client.setVoxels([
      { voxel: [3, 40, 3, 0], block: STONE },
      { voxel: [4, 40, 3, 0], block: 2 },
      { voxel: [4, 40, 3, 0], block: 5 },
    ]);
    await until(() => made.length === 1);
    const moved = { position: [4, 40, 3], block: 5, before: AIR };
    expect(asked[0]?.count).toBe(2);
    expect([...(asked[0]?.changes ?? [])]).toEqual([
      { position: [3, 40, 3], block: STONE, before: STONE },
      moved,
    ]);
    expect(asked[0]?.box).toEqual({ unit: "voxels", min: [3, 40, 3], max: [5, 41, 4] });
    expect([...(made[0]?.changes ?? [])], "only what changed").toEqual([moved]);
    expect(made[0]?.player).toMatchObject({ name: "Ada", role: "builder", position: expect.any(Array) });
    expect(made[0]?.player.position.length).toBe(3);
  });

  test("sees the box, the source and the count of a million voxels without reading one of them", async () => {
    const reads = vi.spyOn(WorldState.prototype, "voxelAt");
    onTestFinished(() => reads.mockRestore());
    const seen: unknown[] = [];
    const look = ({ box, source, count, changes }: PlayerEditEvent<3>): undefined => {
      seen.push([box, source, count, changes.some(() => true), changes.every(() => false)]);
    };
    const voxels = 2 ** 20;
    const limits = { ...FAST, ruleVoxelsMax: voxels, ruleVoxelsPerSecond: 1e9 };
    const { server } = await ruled({ beforeEdit: look, afterEdit: look }, { limits });
    const client = await join(server.url);
    const min: Position = [0, 64, 0, 0];
    expect(await client.fill({ min, max: [64, 128, 256, 1] }, STONE)).toEqual({ status: "applied" });
    await until(() => seen.length === 2);
    const box = { unit: "voxels", min: [0, 64, 0], max: [64, 128, 256] };
    expect(seen).toEqual(Array(2).fill([box, undefined, voxels, true, false]));
    expect(reads.mock.calls, "one voxel for each `some` and `every`").toEqual(Array(4).fill(min));
    const source = { min, max: [2, 66, 2, 1] } as const;
    expect(await client.copy(source, [5, 10, 15, 0])).toEqual({ status: "applied" });
    await until(() => seen.length === 4);
    const target = { unit: "voxels", min: [5, 10, 15], max: [7, 12, 17] };
    const shown = { unit: "voxels", min: [0, 64, 0], max: [2, 66, 2] };
    expect(seen.slice(2)).toEqual(Array(2).fill([target, shown, 8, true, false]));
  });

  test("is asked about at most 4,096 voxels of an edit, unless the game allows more", async () => {
    const counts: number[] = [];
    const { server } = await ruled({ beforeEdit: ({ count }) => void counts.push(count) });
    const client = await join(server.url);
    const [min, max]: [Position, Position] = [
      [0, 64, 0, 0],
      [16, 80, 16, 1],
    ];
    expect(await client.fill({ min, max: [16, 80, 17, 1] }, STONE)).toEqual({
      status: "rejected",
      reason: "tooLarge",
      detail: "4352 voxels for the rules of the game to check, the limit is 4096",
    });
    expect(await client.fill({ min, max }, STONE)).toEqual({ status: "applied" });
    expect(counts).toEqual([4_096]);
  });

  test("sees each voxel of a list once, with what all placements leave there", async () => {
    const seen: (readonly BlockChange<3>[])[] = [];
    const { world, server } = await ruled({
      data: "any",
      beforeEdit: ({ changes }) => void seen.push([...changes]),
      afterEdit: ({ changes }) => void seen.push([...changes]),
    });
    await world.edit([{ voxel: VOXEL, block: STONE, data: PLAIN_DATA.encode("a") }]);
    const client = await join(server.url);
    await client.setVoxels([
      { voxel: VOXEL, block: AIR },
      { voxel: VOXEL, block: STONE },
    ]);
    await client.setVoxels([
      { voxel: VOXEL, data: PLAIN_DATA.encode("b") },
      { voxel: VOXEL, block: STONE },
    ]);
    await until(() => seen.length === 4);
    const [gone, goneToo, other, otherToo] = seen;
    expect(gone).toEqual([{ position: [3, 40, 3], block: STONE, before: STONE, dataBefore: "a" }]);
    expect(other).toEqual([{ position: [3, 40, 3], block: STONE, before: STONE, data: "b" }]);
    expect([goneToo, otherToo], "and the same after it").toEqual([gone, other]);
  });

  test("may replace an edit, and edit the world itself before and after, without waiting for itself", async () => {
    const { world, server } = await ruled({
      beforeEdit: async () => {
        await world.set([5, 40, 5, 0], 7);
        return { replace: [{ position: [3, 41, 3], block: 9 }] };
      },
      afterEdit: async () => void (await world.set(VOXEL, 8)),
    });
    const client = await join(server.url);
    expect(await client.setVoxel(VOXEL, STONE)).toEqual({ status: "applied" });
    await until(() => world.state.voxelAt(...VOXEL) === 8);
    expect(await world.get([3, 41, 3, 0])).toBe(9);
    expect(await world.get([5, 40, 5, 0])).toBe(7);
  });

  test("a rule that waits does not hold up edits elsewhere", async () => {
    let release: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server } = await ruled({
      beforeEdit: async ({ box }) => void (box.min[0] === 3 && (await waiting)),
    });
    const [ada, bob] = [await join(server.url), await join(server.url, "Bob")];
    const slow = ada.setVoxel(VOXEL, STONE);
    expect(await bob.setVoxel([300, 40, 3, 0], STONE)).toEqual({ status: "applied" });
    release();
    expect(await slow).toEqual({ status: "applied" });
  });

  test("a rule that never answers rejects the edit after `ruleMs`, and the log says so", async () => {
    const { server, lines } = await ruled(
      { beforeEdit: () => new Promise(() => undefined) },
      { limits: { ...FAST, ruleMs: 50 } },
    );
    const client = await join(server.url);
    expect(await client.setVoxel(VOXEL, STONE)).toEqual({
      status: "rejected",
      reason: "vetoed",
      detail: "the game did not decide within 50 ms",
    });
    expect(lines.join("")).toContain("ORT_TIMEOUT");
  });

  test.each<[answer: unknown, problem: string]>([
    ["no", 'the result of beforeEdit is \\"no\\" (a string); it must return undefined'],
    [null, "the result of beforeEdit is null; it must return undefined"],
    [false, "the result of beforeEdit is false (a boolean)"],
    [{}, "the result of beforeEdit is an object; it must return undefined"],
    [{ reject: 5 }, "the reject that beforeEdit returned is 5 (a number); it is a string"],
    [{ replace: 5 }, "the replace that beforeEdit returned is 5 (a number); it is a list"],
    [{ replace: [{ position: [1, 2, 3, 4], block: 1 }] }, "3 whole numbers"],
    [{ replace: [{ position: [1, 2, 3], block: "stone" }] }, "it is the id of a block"],
    [{ replace: [{ position: [1, 2, 3], block: 60_000 }] }, "this world has no block 60000"],
    [{ replace: [undefined] }, "it is { position, block }"],
    [{ with: 5 }, "the with that beforeEdit returned is 5 (a number); it is a function"],
    [
      { with: () => "no" },
      'the result of the with of beforeEdit is \\"no\\" (a string); it must return undefined',
    ],
    [{ with: () => ({ replace: [] }) }, 'it must return undefined or { reject: \\"text\\" }'],
  ])(
    "a rule that answers %o before an edit rejects it, and the log says what is wrong",
    async (answer, problem) => {
      const { server, lines } = await ruled({ beforeEdit: () => answer as never });
      const client = await join(server.url);
      expect(await client.setVoxel(VOXEL, STONE)).toEqual({
        status: "rejected",
        reason: "vetoed",
        detail: "the rules of the game failed",
      });
      expect(lines.join("")).toContain(problem);
      expect(await metric(server, "orthant_errors_total")).toBe(1);
    },
  );

  test("a rule that rejects a promise where none is awaited is logged, and the process lives", async () => {
    const fail = async (): Promise<never> => Promise.reject(new Error("a bug in the game"));
    const { server, lines } = await ruled({ onJoin: fail, onMessage: fail, onLeave: fail, afterEdit: fail });
    const client = await join(server.url);
    client.send(new Uint8Array(1));
    await client.setVoxel(VOXEL, STONE);
    await client.close();
    await until(() => lines.length === 4);
    expect(lines.every((line) => line.includes("a bug in the game"))).toBe(true);
  });

  test("a rule that throws is on standard error with its stack even without a log, once a second", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    let nowMs = 0;
    const beforeEdit = ({ changes }: PlayerEditEvent<3>): never => {
      const [{ block } = { block: AIR }] = changes;
      throw new Error(`no rule for\u001b[2J block ${block}`);
    };
    const { server } = await ruled(
      { beforeEdit },
      { logger: false, time: { ...systemTime, nowMs: () => nowMs } },
    );
    const client = await join(server.url);
    const edit = (block: number) => client.setVoxel(VOXEL, block);
    const refused = { status: "rejected", reason: "vetoed", detail: "the rules of the game failed" };
    for (const block of [AIR, AIR, STONE, STONE]) expect(await edit(block)).toEqual(refused);
    const texts = (): string[] => written.mock.calls.map(([text]) => String(text));
    expect(texts()).toHaveLength(2);
    expect(texts()[0]).toMatch(
      /^a rule of the game failed: beforeEdit: Error: no rule for\\u001b\[2J block 0\n +at .*rules\.test\.ts/,
    );
    nowMs += 1_000;
    await edit(AIR);
    expect(texts()).toHaveLength(3);
    expect(await metric(server, "orthant_errors_total")).toBe(5);
  });

  test("an error of authorize is on standard error without a log, but not beside one", async () => {
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const authorize = async (): Promise<never> => Promise.reject(new Error("a bug in the game"));
    const knock = async (server: OrthantServer): Promise<void> => {
      const client = connectReplica(server.url, { name: "Ada" });
      onTestFinished(() => client.close());
      await expect(client.ready).rejects.toThrow();
    };
    const logged = await ruled({}, { authorize });
    await knock(logged.server);
    expect(logged.lines.join("")).toContain("a bug in the game");
    expect(written).not.toHaveBeenCalled();
    await knock(await serve({ authorize }));
    expect(written).toHaveBeenCalledWith(
      expect.stringContaining("authorize failed: Error: a bug in the game"),
    );
  });
});
