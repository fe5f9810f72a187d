import { boxBetween } from "@orthant/core";
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
  return messages.flatMap((message) => (message.kind === "setVoxels" ? [message.editId] : []));
}

function results(...list: readonly NumberedEditResult[]): {
  kind: "editResults";
  results: readonly NumberedEditResult[];
} {
  return { kind: "editResults", results: list };
}

describe("an edit", () => {
  test("shows at once, is sent with the next tick, and resolves with its result", async () => {
    const server = await joined();
    const edit = server.world.setVoxel([1, 20, 1, 1], 7);
    expect(server.world.voxelAt([1, 20, 1, 1])).toBe(7);
    await server.pass(50);
    expect(server.received()).toEqual([
      { kind: "setVoxels", editId: 1, placements: [{ voxel: [1, 20, 1, 1], block: 7 }] },
    ]);
    server.say(results({ editId: 1, status: "applied" }));
    expect(await edit).toEqual({ status: "applied" });
  });

  test("that is refused resolves with the reason and is undone", async () => {
    const server = await joined();
    const changes: unknown[] = [];
    server.world.onChange((boxes) => changes.push(boxes));
    const edit = server.world.setVoxel([1, 20, 1, 1], 7);
    server.say(results({ editId: 1, status: "rejected", reason: "vetoed", detail: "not your land" }));
    expect(await edit).toEqual({ status: "rejected", reason: "vetoed", detail: "not your land" });
    expect(server.world.voxelAt([1, 20, 1, 1])).toBe(0);
    const chunk = boxBetween([0, 2, 0, 0], [1, 3, 1, 1]);
    expect(changes).toEqual([[chunk], [chunk]]);
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
      .flatMap((message) => (message.kind === "setVoxels" ? message.placements : []));
    expect(sent.map(({ voxel }) => voxel[0])).toEqual([1, 2]);
    server.say(results({ editId: 1, status: "unchanged" }));
    expect(await first).toEqual({ status: "unchanged" });
  });

  test("waits while 60 are in flight", async () => {
    const server = await joined();
    const edits = Array.from({ length: 70 }, (_, x) => server.world.setVoxel([x % 16, 20, 1, 1], 1 + x));
    await server.pass(50);
    expect(editIds(server.received())).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    server.say(results({ editId: 1, status: "applied" }, { editId: 2, status: "applied" }));
    expect(await Promise.all(edits.slice(0, 2))).toEqual([{ status: "applied" }, { status: "applied" }]);
    await server.pass(50);
    expect(editIds(server.received())).toEqual([61, 62]);
  });

  test("that no server accepts is refused by the client and does not block the next one", async () => {
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
    expect(server.received().find(({ kind }) => kind === "setVoxels")).toMatchObject({
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
    expect(server.world.send(new Uint8Array([1]))).toBe(false);
    await server.join();
    expect(server.world.send(new Uint8Array([2]))).toBe(true);
    await server.pass(50);
    expect(server.received().filter(({ kind }) => kind === "game")).toEqual([
      { kind: "game", payload: new Uint8Array([2]) },
    ]);
  });
});
