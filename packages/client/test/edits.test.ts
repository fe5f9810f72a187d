import { boxBetween } from "@orthant/core/lattice";
import type { NumberedEditResult } from "@orthant/protocol";
import type { ClientMessage } from "@orthant/protocol/internal";
import { codeOf, codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { ScriptedServer, settled } from "./scripted-server.ts";

const INTEREST = { boxes: [boxBetween([0, 0, 0, 0], [4, 4, 4, 4])] };

async function joined(): Promise<ScriptedServer> {
  const server = new ScriptedServer({ interest: INTEREST });
  await server.join();
  await server.pass(50);
  server.sayGenerated([[0, 0, 0, 0]]);
  server.received();
  return server;
}

function editIds(messages: readonly ClientMessage[]): readonly number[] {
  return messages.flatMap((message) => (message.kind === "voxels" ? [message.editId] : []));
}

/** The id and the number of voxels of each edit. */
function sizes(messages: readonly ClientMessage[]): readonly (readonly [editId: number, voxels: number])[] {
  return messages.flatMap((message) =>
    message.kind === "voxels" ? [[message.editId, message.placements.length] as const] : [],
  );
}

function results(...list: readonly NumberedEditResult[]): {
  kind: "editResults";
  results: readonly NumberedEditResult[];
} {
  return { kind: "editResults", results: list };
}

describe("an edit", () => {
  test("leaves after the current task, together with all others of the task, when no frame has just left", async () => {
    const server = await joined();
    await server.pass(50);
    const frames = server.socket.sent.length;
    const edits = [7, 8, 9].map((block) => server.world.setVoxel([1, 20, 1, 1], block));
    expect(server.received(), "the task goes on").toEqual([]);
    await settled();
    expect(editIds(server.received())).toEqual([1, 2, 3]);
    expect(server.socket.sent.length).toBe(frames + 1);
    server.say(results(...[1, 2, 3].map((editId) => ({ editId, status: "applied" }) as const)));
    expect(await Promise.all(edits)).toEqual([1, 2, 3].map(() => ({ status: "applied" })));
  });

  test("never leads to more frames than there are ticks", async () => {
    const server = await joined();
    await server.pass(50);
    const before = server.socket.sent.length;
    for (let ms = 0; ms < 1_000; ms += 10) {
      void server.world.setVoxel([1, 20, 1, 1], 1 + (ms % 7)).catch(() => undefined);
      server.time.advance(10);
      await settled();
    }
    const frames = server.socket.sent.length - before;
    expect(frames).toBeGreaterThan(5);
    expect(frames).toBeLessThanOrEqual(21);
    await server.world.close();
  });

  test("shows at once, is sent with the next tick after a frame, and resolves with its result", async () => {
    const server = await joined();
    const edit = server.world.setVoxel([1, 20, 1, 1], 7);
    expect(server.world.voxelAt([1, 20, 1, 1])).toBe(7);
    await server.pass(50);
    expect(server.received()).toEqual([
      { kind: "voxels", editId: 1, placements: [{ voxel: [1, 20, 1, 1], block: 7 }] },
    ]);
    server.say(results({ editId: 1, status: "applied" }));
    expect(await edit).toEqual({ status: "applied" });
  });

  test("an edit that is refused resolves with the reason and is undone", async () => {
    const server = await joined();
    const changes: unknown[] = [];
    server.world.onChange((boxes, isOwn) => changes.push([boxes, isOwn]));
    const edit = server.world.setVoxel([1, 20, 1, 1], 7);
    await server.pass(50);
    server.say(results({ editId: 1, status: "rejected", reason: "vetoed", detail: "not your land" }));
    expect(await edit).toEqual({ status: "rejected", reason: "vetoed", detail: "not your land" });
    expect(server.world.voxelAt([1, 20, 1, 1])).toBe(0);
    const chunk = boxBetween([0, 2, 0, 0], [1, 3, 1, 1]);
    expect(changes, "its own edit, and what the server made of it").toEqual([
      [[chunk], true],
      [[chunk], false],
    ]);
  });

  test("outlives the connection and is resent under the same id", async () => {
    const server = await joined();
    const edit = server.world.setVoxel([1, 20, 1, 1], 7);
    await server.pass(50);
    server.socket.lose();
    expect(server.world.voxelAt([1, 20, 1, 1])).toBe(7);
    await server.pass(250);
    await server.join({ resumed: true });
    await server.pass(50);
    const received = server.received();
    expect(received[0]).toMatchObject({ kind: "hello", openEditId: 1 });
    expect(editIds(received)).toEqual([1]);
    server.say(results({ editId: 1, status: "duplicate" }));
    expect(await edit).toEqual({ status: "duplicate" });
  });

  test("made before the client joined is sent afterwards, before those that listeners make then", async () => {
    const server = new ScriptedServer({ interest: INTEREST });
    const first = server.world.setVoxel([1, 20, 1, 1], 7);
    server.world.onStatus((status) => {
      if (status === "joined") server.world.setVoxel([2, 20, 1, 1], 7);
    });
    await server.join();
    await server.pass(50);
    const sent = server
      .received()
      .flatMap((message) => (message.kind === "voxels" ? message.placements : []));
    expect(sent.map(({ voxel }) => voxel[0])).toEqual([1, 2]);
    server.say(results({ editId: 1, status: "unchanged" }));
    expect(await first).toEqual({ status: "unchanged" });
  });

  test("travels with others when there are more than the server takes now, and each gets its result", async () => {
    const server = await joined();
    const edits = Array.from({ length: 2_000 }, (_, x) =>
      server.world.setVoxel([x % 16, 20 + (x >> 4), 1, 1], 7),
    );
    await server.pass(50);
    const [message, ...others] = server.received().filter(({ kind }) => kind === "voxels");
    expect(message).toMatchObject({ kind: "voxels", editId: 1 });
    expect(others).toEqual([]);
    expect(message?.kind === "voxels" && message.placements.length).toBe(2_000);
    server.say(results({ editId: 1, status: "applied" }));
    expect(new Set((await Promise.all(edits)).map(({ status }) => status))).toEqual(new Set(["applied"]));
  });

  test("an edit that is rejected together with others is sent again in halves, before all later ones", async () => {
    const server = await joined();
    const rejected = (editId: number) =>
      ({ editId, status: "rejected", reason: "vetoed", detail: "no" }) as const;
    const edits = Array.from({ length: 100 }, (_, x) =>
      server.world.setVoxel([x % 16, 20 + (x >> 4), 1, 1], 7),
    );
    await server.pass(50);
    const later = server.world.setVoxel([0, 90, 0, 0], 7);
    await server.pass(50);
    expect(sizes(server.received())).toEqual([[1, 100]]);
    server.say(results(rejected(1)));
    await server.pass(50);
    expect(sizes(server.received())).toEqual([[2, 50]]);
    server.say(results({ editId: 2, status: "applied" }));
    await server.pass(50);
    // Voxel 99 alone is the fault.
    for (const [editId, size] of [
      [3, 50],
      [4, 25],
      [5, 25],
      [6, 13],
      [7, 12],
      [8, 6],
      [9, 6],
      [10, 3],
      [11, 3],
    ] as const) {
      expect(sizes(server.received())[0]).toEqual([editId, size]);
      server.say(results(editId % 2 === 1 ? rejected(editId) : { editId, status: "applied" }));
      await server.pass(50);
    }
    expect(sizes(server.received())).toEqual([[12, 2]]);
    server.say(results({ editId: 12, status: "applied" }));
    await server.pass(50);
    expect(sizes(server.received())).toEqual([
      [13, 1],
      [14, 1],
    ]);
    server.say(results(rejected(13), { editId: 14, status: "applied" }));
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([
      ...new Array(99).fill("applied"),
      "rejected",
    ]);
    expect(await later).toEqual({ status: "applied" });
  });

  test("does not travel with another edit of the same voxel, so that the server sees both", async () => {
    const server = await joined();
    for (let block = 1; block <= 70; block++) server.world.setVoxel([1, 20, 1, 1], 1 + (block % 2));
    await server.pass(50);
    expect(sizes(server.received())[0]).toEqual([1, 1]);
    expect(server.world.voxelAt([1, 20, 1, 1])).toBe(1);
  });

  test("an edit that fills a box shows at once and is one message; a copy shows when the server has made it", async () => {
    const server = await joined();
    const box = boxBetween([0, 20, 0, 0], [16, 24, 16, 16]);
    const fill = server.world.fill(box, 7);
    const copy = server.world.copy(box, [0, 28, 0, 0]);
    expect(server.world.voxelAt([15, 23, 15, 15])).toBe(7);
    expect(server.world.voxelAt([15, 24, 15, 15])).toBe(0);
    expect(server.world.voxelAt([0, 28, 0, 0])).toBe(0);
    await server.pass(50);
    expect(server.received()).toEqual([
      { kind: "fill", editId: 1, box, block: 7 },
      { kind: "copy", editId: 2, box, to: [0, 28, 0, 0] },
    ]);
    server.say(
      results(
        { editId: 1, status: "rejected", reason: "reach", detail: "far" },
        { editId: 2, status: "unchanged" },
      ),
    );
    expect(await fill).toEqual({ status: "rejected", reason: "reach", detail: "far" });
    expect(await copy).toEqual({ status: "unchanged" });
    expect(server.world.voxelAt([15, 23, 15, 15])).toBe(0);
  });

  test("an edit that no server accepts is refused by the client and does not block the next one", async () => {
    const server = await joined();
    const { world } = server;
    expect(await codeOfRejection(world.setVoxels([]))).toBe("ORT_LIMIT");
    const many = Array.from({ length: 4097 }, () => ({ voxel: [0, 0, 0, 0] as const, block: 1 }));
    expect(await codeOfRejection(world.setVoxels(many))).toBe("ORT_LIMIT");
    expect(await codeOfRejection(world.setVoxel([0.5, 0, 0, 0], 1))).not.toBe("no error");
    expect(await codeOfRejection(world.setVoxel([0, 0, 0, 0], 70_000))).not.toBe("no error");
    world.setVoxel([0, 20, 0, 0], 1);
    await server.pass(50);
    expect(editIds(server.received())).toEqual([1]);
  });

  test("does not change when the caller modifies its arguments", async () => {
    const server = new ScriptedServer();
    const voxel: [number, number, number, number] = [1, 20, 1, 1];
    server.world.setVoxels([{ voxel, block: 7 }]);
    voxel[0] = 9;
    await server.join();
    await server.pass(50);
    expect(server.received().find(({ kind }) => kind === "voxels")).toMatchObject({
      placements: [{ voxel: [1, 20, 1, 1] }],
    });
  });
});

describe("other messages", () => {
  test("only the newest pose is sent, once that is possible", async () => {
    const server = new ScriptedServer();
    server.world.move({ position: [1, 1, 1, 1], orientation: [0, 0, 0, 1] });
    server.world.move({ position: [2, 1, 1, 1], orientation: [0, 0, 0, 1] });
    await server.join();
    await server.pass(50);
    const moves = server.received().filter(({ kind }) => kind === "move");
    expect(moves).toMatchObject([{ position: [2, 1, 1, 1] }]);
  });

  test("an invalid pose is refused at once, even before there is a connection", () => {
    const { world } = new ScriptedServer();
    const move = (x: number): unknown =>
      codeOf(() => world.move({ position: [x, 0, 0, 0], orientation: [0, 0, 0, 1] }));
    expect(move(Number.NaN)).toBe("ORT_ARGUMENT");
    expect(move(1)).toBe("no error");
  });

  test("a pose is sent again on a new connection", async () => {
    const server = await joined();
    server.world.move({ position: [3, 1, 1, 1], orientation: [0, 0, 0, 1] });
    await server.pass(50);
    server.socket.lose();
    await server.pass(250);
    await server.join({ resumed: true });
    await server.pass(50);
    expect(server.received().filter(({ kind }) => kind === "move")).toMatchObject([
      { position: [3, 1, 1, 1] },
    ]);
  });

  test("a game message is sent if the client is joined, and dropped otherwise", async () => {
    const server = new ScriptedServer();
    await settled();
    expect(server.world.send(new Uint8Array([1]))).toBe("offline");
    await server.join();
    expect(server.world.send(new Uint8Array([2]))).toBe("sent");
    await server.pass(50);
    expect(server.received().filter(({ kind }) => kind === "game")).toEqual([
      { kind: "game", payload: new Uint8Array([0, 2]) },
    ]);
  });
});
