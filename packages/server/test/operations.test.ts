import type { ClientWorld } from "@orthant/client";
import { connect } from "@orthant/client/node";
import { box, isOrthantError, type Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer, type ServerOptions } from "@orthant/server";
import { createWorld, openWorld, type World } from "@orthant/world";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";

const SITE = box([0, 60, 0], [16, 70, 16]);
const CENTER: Position<3> = [8, 64, 8];

/** A server of an own world, where builders may do operations. */
async function served(
  options: Partial<ServerOptions<3>> = {},
  disk: MemoryDisk = new MemoryDisk(),
): Promise<{ readonly world: World<3>; readonly server: OrthantServer<3>; readonly disk: MemoryDisk }> {
  const world = await createWorld(disk, { dimensions: 3 }, { autosave: false });
  onTestFinished(() => world.close());
  return { world, server: await serve(world, options), disk };
}

async function serve(world: World<3>, options: Partial<ServerOptions<3>> = {}): Promise<OrthantServer<3>> {
  const server = await createServer<3>({
    tickMs: 10,
    logger: false,
    operations: { builder: {} },
    authorize: ({ token }) => ({ playerId: BigInt(token === "" ? 7 : token), role: "builder", name: "Ada" }),
    ...options,
    world,
  });
  onTestFinished(() => server.close());
  return server;
}

async function joined({ url }: OrthantServer<3>, token = ""): Promise<ClientWorld<3>> {
  const client = await connect(url, { dimensions: 3, token });
  onTestFinished(() => client.close());
  await client.setInterest({ center: CENTER, radius: 64 });
  return client;
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return isOrthantError(error) ? `${error.code}: ${error.detail}` : String(error);
  }
}

describe("operations of a client", () => {
  test("change the world at once, are seen by others, and are taken back and done again", async () => {
    const { world, server } = await served();
    const [ada, bob] = [await joined(server), await joined(server, "8")];
    const brick = world.blocks.id("brick");
    const made = await ada.apply("set brick", { in: SITE });
    expect(made).toMatchObject({ status: "applied", count: 2_560, kept: 0, box: SITE, canUndo: true });
    expect(ada.voxelAt(CENTER)).toBe(brick);
    await expect.poll(() => bob.voxelAt(CENTER)).toBe(brick);
    await bob.set([1, 61, 1], world.blocks.id("stone"));
    const undone = await made.undo();
    expect(undone).toMatchObject({ status: "applied", count: 2_559, kept: 1 });
    expect(await world.countBlocks(SITE, "brick")).toEqual(new Map());
    const again = await undone.undo();
    expect(again).toMatchObject({ status: "applied", count: 2_559 });
    expect(await world.countBlocks(SITE, "brick")).toEqual(new Map([[brick, 2_559]]));
  });

  test("paste a turned clipboard that the server keeps, as the world itself does", async () => {
    const { world, server } = await served();
    const client = await joined(server);
    await client.apply("set 50%brick,30%glass,20%stone", { in: SITE });
    const house = await client.clipboard(SITE);
    expect(house.size).toEqual([16, 10, 16]);
    const turned = house.rotate("xz", 1).mirror("x").rotate("xy", 3);
    expect(turned.size).toEqual([10, 16, 16]);
    const at: Position<3> = [100, 70, 0];
    expect((await client.apply({ paste: turned, at })).count).toBe(2_560);
    const own = (await world.clipboard(SITE)).rotate("xz", 1).mirror("x").rotate("xy", 3);
    const place = box(at, [110, 86, 16]);
    // Pasting the same once more changes nothing.
    expect((await world.apply({ paste: own, at })).count).toBe(0);
    await client.apply({ set: { repeated: house }, in: place });
    await client.operations.release(house);
    expect(await codeOf(client.apply({ paste: turned, at }))).toBe(
      "ORT_ARGUMENT: the server does not have the clipboard any more: copy again",
    );
    await expect(world.apply({ paste: turned, at })).rejects.toThrow("this clipboard is on the server");
    expect(await codeOf(client.apply({ paste: own, at }))).toBe(
      "ORT_ARGUMENT: a client pastes what its own method clipboard has copied",
    );
  });

  test("tell what they would change in a dry run, and change nothing", async () => {
    const { world, server } = await served({
      operations: { builder: { voxelsMax: 1_000, workMax: 10_000 } },
    });
    const client = await joined(server);
    const planned = await client.apply("set brick", { in: SITE, dryRun: true });
    expect(planned).toMatchObject({
      status: "planned",
      count: 2_560,
      box: SITE,
      work: 5_120,
      exceeded: [{ limit: "voxelsMax", value: 2_560, max: 1_000 }],
    });
    const large = await client.apply("set brick", { in: box([0, 0, 0], [100, 100, 100]), dryRun: true });
    expect(large).toMatchObject({
      status: "planned",
      count: 0,
      box: undefined,
      exceeded: [{ limit: "workMax", value: 2_000_000, max: 10_000 }],
    });
    expect(await world.countBlocks(SITE, "brick")).toEqual(new Map());
    expect(await codeOf(client.apply("set brick", { in: SITE }))).toBe(
      "ORT_LIMIT: 1024 voxels, the limit voxelsMax is 1000",
    );
  });

  test("are refused with the reason: role, confirmation, a wrong name, a limit", async () => {
    const { world, server } = await served({
      operations: {
        builder: {
          confirmVoxels: 100,
          voxelsPerMinute: 3_000,
          clipboardsMax: 1,
          clipboardBytesMax: 6_000,
          listedVoxelsMax: 50,
          voxelWorkMax: 100,
        },
      },
    });
    const client = await joined(server);
    expect(client.operations.limits).toMatchObject({ confirmVoxels: 100, voxelsMax: 1_048_576 });
    expect(await codeOf(client.apply("set brick", { in: SITE }))).toBe(
      "ORT_CONFIRM: it changes 2560 voxels, which is more than 100: confirm it",
    );
    expect((await client.apply("set brick", { in: SITE, confirm: true })).count).toBe(2_560);
    expect(await codeOf(client.apply("set glass", { in: SITE, confirm: true }))).toMatch(
      /^ORT_LIMIT: \d+ voxels in a minute.*voxelsPerMinute is 3000$/,
    );
    expect(await codeOf(client.apply("set brik", { in: SITE }))).toMatch(/^ORT_ARGUMENT: .*brik/);
    expect(await codeOf(client.apply("set brick"))).toMatch(/^ORT_ARGUMENT: operation.in/);
    expect(await codeOf(client.apply("set stone in connected(0,60,0,brick,1000)"))).toBe(
      "ORT_LIMIT: 51 connected or drawn voxels, the limit listedVoxelsMax is 50",
    );
    expect(await codeOf(client.apply("hollow air 200", { in: SITE }))).toBe(
      "ORT_LIMIT: 1202 comparisons and reads for one voxel, the limit voxelWorkMax is 100",
    );
    await client.clipboard(SITE);
    expect(await codeOf(client.clipboard(SITE))).toBe(
      "ORT_LIMIT: 2 clipboards; release some, the limit clipboardsMax is 1",
    );
    await expect(client.apply({ set: () => 1, in: SITE })).rejects.toThrow("operation.set is a function");

    const other = await serve(world, { operations: { admin: {} } });
    const builder = await joined(other);
    expect(builder.operations.limits).toBeUndefined();
    expect(await codeOf(builder.apply("set stone", { in: SITE }))).toBe(
      "ORT_REFUSED: your role may not use operations here",
    );
    const byDefault = await createServer<3>({
      world,
      logger: false,
      readOnly: true,
      operations: { viewer: {} },
    });
    onTestFinished(() => byDefault.close());
    expect(await codeOf((await joined(byDefault)).apply("set stone", { in: SITE }))).toBe(
      "ORT_REFUSED: this world is served read-only",
    );
  });

  test("are cancelled by a signal, and then nothing is changed", async () => {
    const { world, server } = await served();
    const client = await joined(server);
    const site = box([0, 0, 0], [96, 96, 96]);
    const abort = new AbortController();
    const applied = client.apply("set 50%brick,50%glass", {
      in: site,
      confirm: true,
      signal: abort.signal,
      onProgress: () => abort.abort(new Error("enough")),
    });
    await expect(applied).rejects.toThrow("enough");
    expect(await world.countBlocks(site, "brick")).toEqual(new Map());
    await expect(client.apply("set brick", { in: SITE, signal: abort.signal })).rejects.toThrow("enough");
  });

  test("ask the rules of the game: about the box, or voxel by voxel in a game that has no rule about boxes", async () => {
    const boxes: unknown[] = [];
    const { world, server } = await served({
      rules: {
        beforeOperation: ({ player, text, box: changed, count }) => {
          boxes.push([player.playerId, text, changed, count]);
          return text.includes("glass") ? { reject: "No glass here." } : undefined;
        },
        beforeEdit: () => ({ reject: "No edits." }),
      },
    });
    const client = await joined(server);
    expect((await client.apply("set brick", { in: SITE })).count).toBe(2_560);
    expect(boxes).toEqual([[7n, "set brick in box(0,60,0,16,70,16)", SITE, 2_560]]);
    expect(await codeOf(client.apply("set glass", { in: SITE }))).toBe("ORT_REFUSED: No glass here.");
    await client.operations.undo();
    expect(boxes.length).toBe(3);

    const made: number[] = [];
    const spawn = await serve(world, {
      rules: {
        beforeEdit: ({ changes }) =>
          changes.some(({ position }) => position[0] === 3) ? { reject: "Spawn is protected." } : undefined,
        afterEdit: ({ count }) => {
          made.push(count);
        },
      },
    });
    const bob = await joined(spawn);
    const near = box([0, 90, 0], [3, 93, 3]);
    expect((await bob.apply("set brick", { in: near })).count).toBe(27);
    expect(made).toEqual([27]);
    expect(await codeOf(bob.apply("set brick", { in: box([0, 90, 0], [4, 93, 3]) }))).toBe(
      "ORT_REFUSED: Spawn is protected.",
    );
    expect(await codeOf(bob.apply("set brick", { in: box([10, 90, 0], [30, 110, 20]) }))).toBe(
      "ORT_REFUSED: 8000 voxels for the rules of the game to check, the limit is 4096",
    );
  });

  test("bring no data that players may not give", async () => {
    const { world, server } = await served();
    const client = await joined(server);
    await world.set([0, 60, 0], world.blocks.id("wood"), { data: { items: 64 } });
    const chest = await client.clipboard(SITE);
    expect(await codeOf(client.apply({ paste: chest, at: [0, 90, 0] }))).toBe(
      "ORT_REFUSED: the data of a voxel: players give none to wood",
    );
  });
});

describe("what a player can undo", () => {
  test("is listed, and is there for the player's other clients and after a restart of the server", async () => {
    const { world, server, disk } = await served();
    const ada = await joined(server);
    const places = [0, 20, 40].map((x) => box([x, 60, 0], [x + 4, 64, 4]));
    for (const place of places) await ada.apply("set brick", { in: place });
    const tablet = await joined(server);
    const { undo, redo } = await tablet.operations.list();
    expect(undo.map(({ text, count }) => [text, count])).toEqual([
      ["set brick in box(40,60,0,44,64,4)", 64],
      ["set brick in box(20,60,0,24,64,4)", 64],
      ["set brick in box(0,60,0,4,64,4)", 64],
    ]);
    expect(redo).toEqual([]);
    await tablet.operations.undo();
    expect(await codeOf((await joined(server, "8")).operations.undo())).toBe(
      "ORT_ARGUMENT: there is no operation that can be undone",
    );
    await server.close();
    await world.close();

    const reopened = await openWorld<3>(new MemoryDisk(disk.image()), { autosave: false });
    onTestFinished(() => reopened.close());
    const next = await joined(await serve(reopened));
    const list = await next.operations.list();
    expect([list.undo.length, list.redo.length]).toEqual([2, 1]);
    expect(await next.operations.redo()).toMatchObject({ count: 64, box: places[2] });
    expect(await list.undo[1]?.revert()).toMatchObject({ count: 64, box: places[0] });
    expect(await reopened.countBlocks(box([0, 60, 0], [50, 64, 4]), "brick")).toEqual(
      new Map([[reopened.blocks.id("brick"), 128]]),
    );
    for await (const key of reopened.store.keys()) expect(key, "the game's own").toBe("");
    await expect(reopened.store.get("\u0000operations/p7")).rejects.toThrow(
      "belong to histories of operations",
    );
  });

  test("is bounded by steps and bytes; what is too large is done and cannot be undone", async () => {
    const { server } = await served({
      operations: { builder: { undoStepsMax: 2, undoBytesMax: 600 } },
    });
    const client = await joined(server);
    for (const x of [0, 10, 20]) await client.apply("set brick", { in: box([x, 60, 0], [x + 2, 62, 2]) });
    expect((await client.operations.list()).undo.length).toBe(2);
    const large = await client.apply("set 50%brick,50%glass", { in: SITE });
    expect(large).toMatchObject({ status: "applied", canUndo: false });
    expect(await codeOf(large.undo())).toMatch(/^ORT_LIMIT: the operation was too large/);
  });
});

describe("an operation whose connection is lost while it runs", () => {
  /** A client whose connection can be cut. */
  async function cuttable(server: OrthantServer<3>): Promise<{ client: ClientWorld<3>; cut: () => void }> {
    let latest: WebSocket | undefined;
    const client = await connect(server.url, {
      dimensions: 3,
      socket(url) {
        latest = new WebSocket(url, ["orthant"]);
        return latest;
      },
    });
    onTestFinished(() => client.close());
    await client.setInterest({ center: CENTER, radius: 32 });
    return { client, cut: () => latest?.terminate() };
  }

  test("is done once, and its client gets the answer over the next connection", async () => {
    let asked = 0;
    let cutNow: () => void = () => undefined;
    const { world, server } = await served({
      rules: {
        beforeOperation: () => {
          asked++;
          cutNow();
          return undefined;
        },
      },
    });
    const { client, cut } = await cuttable(server);
    cutNow = cut;
    let edits = 0;
    world.onEdit(() => {
      edits++;
    });
    const made = await client.apply("set brick", { in: SITE });
    expect(made).toMatchObject({ status: "applied", count: 2_560, canUndo: true });
    expect([asked, edits]).toEqual([1, 1]);
  });

  test("is done once, although the server has restarted in between", async () => {
    let cutNow: () => void = () => undefined;
    const { world, server } = await served();
    const { client, cut } = await cuttable(server);
    cutNow = cut;
    let edits = 0;
    world.onEdit(() => {
      edits++;
      // Between the change and its answer.
      cutNow();
      void server.close();
    });
    const applied = client.apply("set brick", { in: SITE });
    await expect.poll(() => edits).toBe(1);
    await server.close();
    const again = await serve(world, { port: server.port });
    expect(await applied).toMatchObject({ status: "applied", count: 2_560, canUndo: true });
    expect(edits).toBe(1);
    expect((await (await joined(again)).operations.list()).undo.length).toBe(1);
  });
});
