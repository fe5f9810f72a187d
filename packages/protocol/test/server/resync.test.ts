import type { Position } from "@orthant/core";
import { describe, expect, test } from "vitest";
import { boxesOf, Stage, tileIn } from "./sample-session.ts";

const A: Position = [0, 0, 0, 0];
const B: Position = [1, 0, 0, 0];
const C: Position = [2, 0, 0, 0];

describe("a resync", () => {
  test("sends the regions of all lost items again, after a reset", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A, B, C));
    client.isDeaf = true;
    stage.world.change([tileIn(A, 9)]);
    await stage.tick();
    stage.world.change([tileIn(B, 9)]);
    await stage.tick();
    client.isDeaf = false;
    client.take();
    client.send({ kind: "resync", expected: client.expected, regions: [] });
    await stage.tick();
    const [reset, patch] = client.take();
    expect(reset).toEqual({ kind: "reset", streamNumber: 4 });
    expect(patch).toMatchObject({
      patch: {
        patchSeq: 4,
        changes: [
          { region: A, base: "generated" },
          { region: B, base: "generated" },
        ],
      },
    });
    expect([A, B, C].every((region) => client.agrees(region))).toBe(true);
  });

  test("sends the requested regions even if nothing was lost", async () => {
    const resyncs: number[] = [];
    const stage = new Stage({ events: { onResync: (regions) => resyncs.push(regions) } });
    const client = await stage.joinAt(boxesOf(A, B));
    client.take();
    client.send({ kind: "resync", expected: client.expected, regions: [{ region: B, clock: 0 }] });
    await stage.tick();
    expect(client.take()).toMatchObject([
      { kind: "reset", streamNumber: 2 },
      { kind: "blank", streamNumber: 2, mask: { regions: [B] } },
    ]);
    expect(resyncs).toEqual([1]);
  });

  test("is followed by a reset even when nothing has to be sent again", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    client.send({ kind: "resync", expected: client.expected, regions: [] });
    await stage.tick();
    expect(client.take()).toEqual([{ kind: "reset", streamNumber: 2 }]);
  });

  test("a resync that is older than a later confirmation sends only the requested regions", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A, B));
    stage.world.change([tileIn(A, 9)]);
    await stage.ticks(1);
    client.take();
    client.send({ kind: "resync", expected: 1, regions: [] });
    await stage.tick();
    expect(client.take()).toEqual([{ kind: "reset", streamNumber: 3 }]);
  });

  test("a resync of a region that is no longer wanted is answered with another forget", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A, B));
    client.isDeaf = true;
    client.want(boxesOf(B));
    await stage.tick();
    client.isDeaf = false;
    client.send({ kind: "resync", expected: client.expected, regions: [] });
    await stage.tick();
    expect(client.takeAll("forget")).toMatchObject([{ mask: { regions: [A] } }]);
    expect(client.replica.held().map(({ region }) => region)).toEqual([B]);
  });

  test("a resync that is repeated before its answer can have arrived changes nothing", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A, B));
    const again = { kind: "resync", expected: client.expected, regions: [{ region: A, clock: 0 }] } as const;
    client.send(again);
    client.isDeaf = true;
    await stage.tick();
    client.send(again);
    await stage.tick();
    client.isDeaf = false;
    client.take();
    // The answer was lost: later frames are acknowledged, and the next request counts.
    await stage.ticks(10);
    client.take();
    client.send(again);
    await stage.tick();
    expect(client.take()).toMatchObject([
      { kind: "reset", streamNumber: 3 },
      { kind: "blank", streamNumber: 3, mask: { regions: [A] } },
    ]);
  });

  test("a resync for more than may be sent is delayed, not refused", async () => {
    const stage = new Stage({ limits: { resyncRegionsPerSecond: 1, resyncRegionsBurst: 1 } });
    const client = await stage.joinAt(boxesOf(A, B));
    const regions = [A, B].map((region) => ({ region, clock: 0 }));
    client.send({ kind: "resync", expected: client.expected, regions });
    await stage.tick();
    client.take();
    await stage.ticks(8);
    expect(client.take().filter(({ kind }) => kind === "blank")).toEqual([]);
    await stage.ticks(2);
    expect(client.takeAll("blank").map(({ mask }) => mask.regions)).toEqual([[B]]);
    expect(client.isClosed).toBe(false);
  });

  test("behind more items than are remembered sends everything again", async () => {
    const stage = new Stage({ limits: { inFlightBytesMax: 100_000_000 } });
    const client = await stage.joinAt(boxesOf(A, B));
    const { expected } = client;
    client.take();
    client.isDeaf = true;
    for (let step = 0; step < 4_097; step++) {
      stage.world.change([tileIn(A, 1 + (step % 9))]);
      stage.time.advance(1);
      stage.sync.tick();
    }
    client.readFrames();
    client.isDeaf = false;
    client.send({ kind: "resync", expected, regions: [] });
    await stage.tick();
    client.send();
    // B was in none of the lost items.
    expect(client.takeAll("blank").map(({ mask }) => mask.regions)).toEqual([[B]]);
    expect(client.agrees(A)).toBe(true);
  });

  test("a resync with a future stream number is refused", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.send({ kind: "resync", expected: client.expected + 1, regions: [] });
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "malformed" }]);
  });
});
