import type { Position } from "@orthant/core";
import { boxBetween, cubeAt, positionsLexicographic, regionBox } from "@orthant/core/lattice";
import { describe, expect, test } from "vitest";
import { boxesOf, type SampleClient, Stage, settle, tileIn } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const A: Position = [0, 0, 0, 0];
const B: Position = [1, 0, 0, 0];
const C: Position = [2, 0, 0, 0];
const KEPT = { worldId: 0x0123_4567n, epoch: { number: 3, id: 33n } };

/** Returns the regions of each patch, in order of arrival. */
function regionsIn(client: SampleClient): readonly (readonly Position[])[] {
  return client.takeAll("patch").map(({ patch }) => patch.changes.map(({ region }) => region));
}

/** A promise with a function that resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("an interest", () => {
  test("is rounded out to whole regions, and untouched ones are sent in one mask", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.want([boxBetween([3, 3, 0, 0], [5, 4, 1, 1])]);
    await stage.tick();
    expect(client.takeAll("blank")).toMatchObject([
      { streamNumber: 1, content: "generated", mask: { regions: [A, B] } },
    ]);
    expect(client.replica.held()).toEqual([
      { region: A, clock: 0 },
      { region: B, clock: 0 },
    ]);
  });

  test("[N40] leaves out regions on axes that the world does not have", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.want([boxBetween([0, 0, -4, 0], [4, 4, 8, 9]), boxBetween([4, 0, 4, 0], [8, 4, 8, 4])]);
    await stage.tick();
    expect(client.replica.held()).toEqual([{ region: A, clock: 0 }]);
    expect(stage.world.loads.every(({ min }) => min[2] === 0 && min[3] === 0)).toBe(true);
  });

  test("brings edits over generated space, several regions in one patch", async () => {
    const stage = new Stage();
    stage.world.change([tileIn(A, 9), tileIn(B, 8)]);
    const client = await stage.join();
    client.want(boxesOf(A, B));
    await stage.tick();
    const [message] = client.takeAll("patch");
    expect(message?.patch.changes.map(({ region, base, next }) => [region, base, next])).toEqual([
      [A, "generated", stage.world.clockOf(A)],
      [B, "generated", stage.world.clockOf(B)],
    ]);
    expect(client.agrees(A) && client.agrees(B)).toBe(true);
  });

  test("brings content that never had a clock as a patch, not as blank", async () => {
    const stage = new Stage();
    stage.world.import([tileIn(A, 9)]);
    const client = await stage.joinAt(boxesOf(A));
    expect(client.takeAll("patch").map(({ patch }) => patch.changes[0]?.next)).toEqual([0]);
    expect(client.agrees(A)).toBe(true);
  });

  test("is served nearest first, as seen from where the client will be", async () => {
    const world = new SampleWorld();
    const regions = [...positionsLexicographic(boxBetween([-3, 0, 0, 0], [4, 1, 1, 1]))];
    world.change(regions.map((region) => tileIn(region, 9)));
    // One byte per tick allows one region per tick.
    const stage = new Stage({ world, limits: { wholeRegionBytesPerTick: 1 } });
    const still = await stage.join({ clientId: 1n });
    const quick = await stage.join({ clientId: 2n });
    const center = [70, 60, 0, 0] as const;
    still.want([boxBetween([-12, 0, 0, 0], [16, 4, 4, 4])], { center });
    quick.want([boxBetween([-12, 0, 0, 0], [16, 4, 4, 4])], { center, motion: [256, 0, 0, 0] });
    await stage.ticks(7);
    expect(regionsIn(still).map(([region]) => region?.[0])).toEqual([0, 1, -1, 2, -2, 3, -3]);
    expect(regionsIn(quick).map(([region]) => region?.[0])).toEqual([2, 3, 1, 0, -1, -2, -3]);
  });

  test("an interest that moves makes the client forget the old regions and get the new ones", async () => {
    const stage = new Stage();
    stage.world.change([tileIn(C, 9)]);
    const client = await stage.joinAt(boxesOf(A, B));
    client.take();
    client.want(boxesOf(B, C));
    await stage.tick();
    const messages = client.take();
    expect(messages.map(({ kind }) => kind)).toEqual([
      "forget",
      "patch",
      "clock",
      "allEntities",
      "heartbeat",
    ]);
    expect(messages[0]).toMatchObject({ mask: { regions: [A] } });
    expect(client.replica.held().map(({ region }) => region)).toEqual([B, C]);
  });

  test("an interest that was replaced before anything was sent needs no forget", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.want(boxesOf(A));
    client.want(boxesOf(B));
    await stage.tick();
    expect(client.take().map(({ kind }) => kind)).not.toContain("forget");
    expect(client.replica.held().map(({ region }) => region)).toEqual([B]);
  });

  test("an interest that is older than the current one changes nothing", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.want(boxesOf(A), { interestId: 5 });
    client.want(boxesOf(B), { interestId: 4 });
    client.want(boxesOf(B), { interestId: 5 });
    await stage.tick();
    expect(client.replica.held().map(({ region }) => region)).toEqual([A]);
    expect(client.takeAll("heartbeat")).toMatchObject([{ interestId: 5, complete: true, sent: 1 }]);
  });

  test("may be empty", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    client.want([]);
    await stage.tick();
    expect(client.takeAll("heartbeat")).toMatchObject([{ interestId: 2, complete: true }]);
    expect(client.replica.held()).toEqual([]);
  });

  test("an interest of overlapping boxes counts each region once", async () => {
    const stage = new Stage({ limits: { interestRegionsMax: 2 } });
    const client = await stage.join();
    client.want([...boxesOf(A, B), boxBetween([0, 0, 0, 0], [8, 4, 4, 4])]);
    await stage.tick();
    expect(client.replica.held().length).toBe(2);
  });

  test.each([
    ["one box", [cubeAt([0, 0, 0, 0], 8)]],
    ["many boxes", boxesOf(A, B, C)],
  ])("an interest of too many regions in %s ends the connection", async (_name, boxes) => {
    const stage = new Stage({ limits: { interestRegionsMax: 2 } });
    const client = await stage.join();
    client.want(boxes);
    expect(client.takeAll("goodbye")).toMatchObject([
      { reason: "limit", detail: "interestRegionsMax is 2", retryAfterMs: 5_000 },
    ]);
  });

  test("outside the world ends the connection", async () => {
    const stage = new Stage({ limits: { chunkCoordinateMax: 100 } });
    const client = await stage.join();
    client.want([cubeAt([100, 0, 0, 0], 2)]);
    expect(client.takeAll("goodbye")).toMatchObject([{ detail: "chunkCoordinateMax is 100" }]);
  });
});

describe("a region that is not loaded", () => {
  test("is loaded, and everything else does not wait for it", async () => {
    const world = new SampleWorld({ stored: [tileIn(A, 9)] });
    const { opened, open } = gate();
    world.loading = opened;
    const stage = new Stage({ world });
    const client = await stage.joinAt(boxesOf(A, B));
    expect(client.replica.held().map(({ region }) => region)).toEqual([B]);
    expect(client.takeAll("heartbeat").map(({ complete }) => complete)).toEqual([false]);
    open();
    await settle();
    await stage.tick();
    expect(client.agrees(A)).toBe(true);
    expect(world.loads).toEqual([regionBox(A)]);
    expect(client.takeAll("heartbeat").map(({ complete }) => complete)).toEqual([true]);
  });

  test("is one of at most 16 loaded at a time", async () => {
    const regions = [...positionsLexicographic(boxBetween([0, 0, 0, 0], [40, 1, 1, 1]))];
    const world = new SampleWorld({ stored: regions.map((region) => tileIn(region, 9)) });
    const { opened, open } = gate();
    world.loading = opened;
    const stage = new Stage({ world });
    const client = await stage.joinAt([boxBetween([0, 0, 0, 0], [160, 4, 4, 4])]);
    expect(world.loads.length).toBe(16);
    open();
    await settle();
    expect(world.loads.length).toBe(40);
    await stage.tick();
    expect(regions.every((region) => client.agrees(region))).toBe(true);
  });

  test("is tried again after a while if loading fails", async () => {
    const world = new SampleWorld({ stored: [tileIn(A, 9)] });
    world.loading = Promise.reject(new Error("a bad sector"));
    const stage = new Stage({ world });
    const client = await stage.joinAt(boxesOf(A, B));
    expect(world.loads.length).toBe(1);
    expect(client.replica.held().map(({ region }) => region)).toEqual([B]);
    world.loading = Promise.resolve();
    await stage.ticks(10);
    expect(client.agrees(A)).toBe(true);
  });
});

describe("a kept region", () => {
  test("is accepted if it matches the world, and otherwise sent again", async () => {
    const stage = new Stage();
    stage.world.change([tileIn(A, 9), tileIn(B, 9)]);
    const kept = await stage.joinAt(boxesOf(A, B, C));
    const held = kept.replica.held().filter(({ clock }) => clock > 0);
    kept.session.disconnected();
    stage.world.change([tileIn(B, 8)]);
    const client = await stage.join({ kept: KEPT });
    client.want(boxesOf(A, B, C), {
      held,
      heldBlank: [{ box: { min: C, max: [3, 1, 1, 1] }, regions: [C] }],
    });
    await stage.tick();
    expect(regionsIn(client)).toEqual([[B]]);
    expect(client.takeAll("blank")).toEqual([]);
    expect(client.agrees(B)).toBe(true);
  });

  test("is followed by later changes", async () => {
    const stage = new Stage();
    stage.world.change([tileIn(A, 9)]);
    const held = [{ region: A, clock: stage.world.clockOf(A) }];
    const client = await stage.join({ kept: KEPT });
    client.replica.hold([A], held[0]?.clock ?? 0, "generated");
    client.want(boxesOf(A), { held });
    await stage.tick();
    stage.world.change([tileIn(A, 8)]);
    await stage.tick();
    const [base, next] = [held[0]?.clock, stage.world.clockOf(A)];
    expect(client.takeAll("patch").map(({ patch }) => patch.changes[0])).toMatchObject([{ base, next }]);
  });

  test("is accepted in the middle of a tick, and changes it already includes are not sent again", async () => {
    const stage = new Stage();
    await stage.joinAt(boxesOf(A), { clientId: 9n });
    const client = await stage.join({ kept: KEPT });
    stage.world.change([tileIn(A, 9)]);
    client.want(boxesOf(A), { held: [{ region: A, clock: stage.world.clockOf(A) }] });
    await stage.tick();
    expect(client.takeAll("patch")).toEqual([]);
  });

  test("a kept region that was blank and no longer is gets sent again", async () => {
    const stage = new Stage();
    stage.world.import([tileIn(A, 9)]);
    stage.world.change([tileIn(B, 9)]);
    const client = await stage.join({ kept: KEPT });
    const heldBlank = [{ box: { min: A, max: [3, 1, 1, 1] as Position }, regions: [A, B, C] }];
    client.want(boxesOf(A, B, C), { heldBlank });
    await stage.tick();
    expect(regionsIn(client)).toEqual([[A, B]]);
  });

  test("is not accepted on a connection that does not resume", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.want(boxesOf(A), { heldBlank: [{ box: { min: A, max: [1, 1, 1, 1] }, regions: [A] }] });
    await stage.tick();
    expect(client.takeAll("blank").length).toBe(1);
  });

  test("is not accepted with a later interest", async () => {
    const stage = new Stage();
    const client = await stage.join({ kept: KEPT });
    client.want([]);
    client.want(boxesOf(A), { heldBlank: [{ box: { min: A, max: [1, 1, 1, 1] }, regions: [A] }] });
    await stage.tick();
    expect(client.takeAll("blank").length).toBe(1);
  });

  test("a kept region that changed a moment ago is brought up to date instead of sent again", async () => {
    const stage = new Stage();
    stage.world.change([tileIn(A, 9)]);
    await stage.joinAt(boxesOf(A), { clientId: 9n });
    const held = [{ region: A, clock: stage.world.clockOf(A) }];
    stage.world.change([tileIn(A, 8)]);
    await stage.tick();
    const client = await stage.join({ kept: KEPT });
    client.want(boxesOf(A), { held });
    client.replica.hold([A], held[0]?.clock ?? 0, "generated");
    await stage.tick();
    expect(client.takeAll("patch").map(({ patch }) => patch.changes[0]?.base)).toEqual([held[0]?.clock]);
  });
});
