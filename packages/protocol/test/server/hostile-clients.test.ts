import type { Box, Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { type ClientMessage, clientFrameCodec } from "@orthant/protocol/internal";
import { describe, expect, test, vi } from "vitest";
import { boxesOf, type SampleClient, Stage, settle, tileIn } from "./sample-session.ts";

const A: Position = [0, 0, 0, 0];
const B: Position = [1, 0, 0, 0];
const FAR: Position = [500, 0, 0, 0];

/** Chunks of 64 x 64 regions: the maximum for a client. */
const WIDE: Box = { min: [0, 0, 0, 0], max: [256, 256, 1, 1] };

/** Sends messages of a client that acknowledges every frame but confirms no stream items. */
function sendUnconfirmed(client: SampleClient, ...messages: ClientMessage[]): void {
  const { acknowledged } = client;
  client.session.receive(encode(clientFrameCodec, { acknowledged, applied: 0, messages }));
}

function interestIn(interestId: number, boxes: readonly Box[]): ClientMessage {
  const still = [0, 0, 0, 0] as const;
  return { kind: "interest", interestId, center: still, motion: still, boxes, held: [], heldBlank: [] };
}

describe("a client that", () => {
  test("confirms nothing and keeps changing its interest is not remembered forever", async () => {
    const stage = new Stage({ limits: { resyncRegionsBurst: 100_000 } });
    const client = await stage.join();
    sendUnconfirmed(client, interestIn(1, boxesOf(FAR)));
    await stage.tick();
    for (let interestId = 2; interestId < 30; interestId++) {
      sendUnconfirmed(client, interestIn(interestId, interestId % 2 === 0 ? [WIDE] : boxesOf(A)));
      for (let tick = 0; tick < 8; tick++) await stage.tick();
    }
    client.take();
    sendUnconfirmed(client, { kind: "resync", expected: 1, regions: [] });
    await stage.tick();
    const messages = client.take();
    // The far region was forgotten long ago, so only the held region is sent again.
    expect(messages.filter(({ kind }) => kind === "forget")).toEqual([]);
    expect(messages).toMatchObject([{ kind: "reset" }, { kind: "blank", mask: { regions: [A] } }]);
  });

  test("asks for results and takes none gets at most 1,024", async () => {
    const stage = new Stage({ limits: { inFlightBytesMax: 1, bytesPerSecond: 1e9, bytesBurst: 1e9 } });
    const client = await stage.join({ openEditId: 1_000_000 });
    const placements = [tileIn(A, 9)];
    for (let start = 1; start <= 5_000; start += 1_000) {
      const again = Array.from({ length: 1_000 }, (_, index) => start + index);
      client.session.receive(
        encode(clientFrameCodec, {
          acknowledged: 0,
          applied: 0,
          messages: again.map((editId) => ({ kind: "voxels", editId, placements }) as const),
        }),
      );
    }
    client.take();
    client.send();
    await stage.tick();
    expect(client.takeAll("editResults").flatMap(({ results }) => results)).toHaveLength(1_024);
  });

  test("sends several resyncs at once gets one", async () => {
    const resyncs: number[] = [];
    const stage = new Stage({ events: { onResync: (regions) => resyncs.push(regions) } });
    const client = await stage.joinAt(boxesOf(A, B));
    const { expected } = client;
    client.send(
      { kind: "resync", expected, regions: [{ region: A, clock: 0 }] },
      { kind: "resync", expected, regions: [{ region: B, clock: 0 }] },
    );
    await stage.tick();
    expect(resyncs).toEqual([1]);
  });

  test("wants regions that take long to make does not delay the tick", async () => {
    const stage = new Stage();
    const client = await stage.join();
    let nowMs = stage.time.nowMs();
    // Every reading of the clock takes a millisecond, and so does everything that is timed.
    vi.spyOn(stage.time, "nowMs").mockImplementation(() => nowMs++);
    client.want([{ min: [0, 0, 0, 0], max: [400, 4, 1, 1] }]);
    stage.sync.tick();
    const counts: number[] = [];
    for (let tick = 0; tick < 4; tick++) {
      counts.push(client.takeAll("blank").reduce((sum, { mask }) => sum + mask.regions.length, 0));
      client.send();
      stage.sync.tick();
    }
    expect(counts).toEqual([17, 17, 17, 17]);
    nowMs = 0;
  });

  test("jumps back and forth has to wait, and then gets its latest interest", async () => {
    const stage = new Stage({ limits: { interestRegionsPerSecond: 2 } });
    const client = await stage.joinAt(boxesOf(A, B));
    client.want(boxesOf(FAR, [501, 0, 0, 0]));
    await stage.ticks(1);
    client.want(boxesOf(A, B));
    client.want(boxesOf(B));
    const heldFirst = (): readonly (number | undefined)[] =>
      client.replica.held().map(({ region }) => region[0]);
    // The rate allows two regions per second, and the second jump was ahead of it.
    await stage.ticks(5);
    expect(heldFirst()).toEqual([500, 501]);
    await stage.ticks(4);
    expect(heldFirst()).toEqual([1]);
    expect(client.isClosed).toBe(false);
  });

  test("cannot be stored when it leaves is gone anyway", async () => {
    const failures: unknown[] = [];
    const stage = new Stage({ events: { onFailure: (error) => failures.push(error) } });
    const client = await stage.join();
    const failure = new TypeError("no room");
    stage.world.storePlayer = () => {
      throw failure;
    };
    client.session.disconnected();
    expect(stage.sync.sessionCount).toBe(0);
    expect(stage.sync.players).toEqual([]);
    expect(failures).toEqual([failure]);
  });

  test.each<[what: string, account: unknown]>([
    ["no account", undefined],
    ["an id that is too large", { playerId: 1n << 64n, role: "builder", name: "Ada" }],
    ["an id that is a number", { playerId: 7, role: "builder", name: "Ada" }],
  ])("the game gives %s is disconnected alone", async (_what, account) => {
    const failures: unknown[] = [];
    const stage = new Stage({
      authorize: async () => account as never,
      events: { onFailure: (error) => failures.push(error) },
    });
    const client = stage.connect();
    client.hello();
    await settle();
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "failure" }]);
    expect(failures).toHaveLength(1);
  });
});

describe("an edit that touches many chunks", () => {
  const line = (chunks: number): ClientMessage & { readonly kind: "voxels" } => ({
    kind: "voxels",
    editId: 1,
    placements: Array.from({ length: chunks }, (_, index) => ({
      voxel: [index * 32, 70, 0, 0],
      block: 9,
    })),
  });

  test("is refused beyond editChunksMax", async () => {
    const stage = new Stage({ limits: { editChunksMax: 3 } });
    const client = await stage.join();
    client.send(line(4), { ...line(3), editId: 2 });
    await settle();
    await stage.tick();
    expect(client.takeAll("editResults")[0]?.results).toMatchObject([
      { reason: "tooLarge", detail: "4 chunks, the limit is 3" },
      { status: "applied" },
    ]);
  });

  test("counts each chunk against the rate", async () => {
    const stage = new Stage({ limits: { editChunksMax: 4, editChunksPerSecond: 4 } });
    const client = await stage.join();
    client.send(line(3), { ...line(3), editId: 2 });
    await settle();
    await stage.ticks(10);
    client.send({ ...line(3), editId: 2 });
    await settle();
    await stage.tick();
    client.send({ ...line(4), editId: 3 });
    await settle();
    await stage.tick();
    expect(client.takeAll("editResults").flatMap(({ results }) => results)).toMatchObject([
      { editId: 1, status: "applied" },
      { editId: 2, status: "unchanged" },
    ]);
  });
});
