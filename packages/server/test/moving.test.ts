import { connectReplica } from "@orthant/client/node";
import type { Placed } from "@orthant/protocol";
import type { OrthantServer } from "@orthant/server";
import { expect, onTestFinished, test } from "vitest";
import { PlainClient } from "./plain-client.ts";
import { serve, until } from "./served-world.ts";

async function join(server: OrthantServer) {
  const client = connectReplica(server.url, { name: "Ada", random: () => 0n });
  onTestFinished(() => client.close());
  const placed: Placed[] = [];
  client.onPlaced((event) => placed.push(event));
  await client.ready;
  return { client, placed };
}

const at = (x: number) => ({ position: [x, 40, 0, 0] as const, orientation: [0, 0, 0, 1] as const });

test("a player whom the server moves learns it once, and moves on from there", async () => {
  const server = await serve();
  const { client, placed } = await join(server);
  client.move(at(5));
  await until(() => server.players[0]?.position[0] === 5);
  client.move(at(6));
  expect(server.movePlayer(client.playerId, { position: [100, 70, 3] }, "respawn")).toBe(true);
  expect(server.players[0]?.position).toEqual([100, 70, 3]);
  await until(() => placed.length > 0);
  expect(placed).toMatchObject([{ position: [100, 70, 3, 0], orientation: [0, 0, 0, 1], reason: "respawn" }]);
  expect(client.pose.position).toEqual([100, 70, 3, 0]);
  client.move(at(101));
  await until(() => server.players[0]?.position[0] === 101);
  expect(placed.length).toBe(1);
  expect(server.movePlayer(77n, { position: [1, 1, 1] })).toBe(false);
});

test("moves that were on the way do not undo it, also across a reconnect", async () => {
  const server = await serve();
  const client = await PlainClient.join(server.url, { clientId: 5n });
  const { playerId } = await client.next("welcome");
  server.movePlayer(playerId, { position: [100, 70, 3] });
  client.say({ kind: "move", timeMs: 5, ...at(5) });
  const { number } = await client.next("placed");
  client.socket.close();
  await until(() => server.connectionCount === 0);
  const again = await PlainClient.join(server.url, { clientId: 5n });
  expect((await again.next("welcome")).position).toEqual([100, 70, 3, 0]);
  again.say({ kind: "move", timeMs: 5, ...at(5) });
  expect((await again.next("placed")).number).toBe(number);
  expect(server.players[0]?.position).toEqual([100, 70, 3]);
  again.say({ kind: "placedSeen", number }, { kind: "move", timeMs: 5, ...at(8) });
  await until(() => server.players[0]?.position[0] === 8);
});

test("a rule that rejects or replaces a move tells the client where its player is", async () => {
  const server = await serve({
    rules: {
      beforeMove: ({ to: { position } }) => {
        if (position[0] > 10) return { reject: "The wall is high." };
        return position[0] > 5 ? { replace: { position: [5, 40, 0] } } : undefined;
      },
    },
  });
  const { client, placed } = await join(server);
  client.move(at(3));
  await until(() => server.players[0]?.position[0] === 3);
  client.move(at(20));
  await until(() => placed.length === 1);
  expect(placed[0]).toMatchObject({ position: [3, 40, 0, 0], reason: "The wall is high." });
  client.move(at(7));
  await until(() => placed.length === 2);
  expect(placed[1]).toMatchObject({ position: [5, 40, 0, 0], reason: "" });
  expect(server.players[0]?.position).toEqual([5, 40, 0]);
});

test("a rule that moves the player itself is not undone by the move that it decides about", async () => {
  const server: OrthantServer = await serve({
    rules: {
      beforeMove: ({ player, to }) => {
        if (to.position[0] === 9) server.movePlayer(player.playerId, { position: [100, 70, 3] }, "a portal");
        return undefined;
      },
    },
  });
  const { client, placed } = await join(server);
  client.move(at(9));
  await until(() => placed.length === 1);
  expect(placed[0]).toMatchObject({ position: [100, 70, 3, 0], reason: "a portal" });
  expect(server.players[0]?.position).toEqual([100, 70, 3]);
});

test("wrong arguments are refused", async () => {
  const server = await serve();
  const move =
    (...given: readonly unknown[]) =>
    () =>
      server.movePlayer(...(given as [bigint, never]));
  expect(move(7, { position: [0, 0, 0] })).toThrow("playerId is 7 (a number)");
  expect(move(7n, undefined)).toThrow("pose is undefined; it is a pose such as");
  expect(move(7n, { position: [0, 0] })).toThrow("pose.position is");
  expect(move(7n, { position: [0, 0, 0], orientation: [2, 0, 0, 0] })).toThrow("four numbers from -1 to 1");
  expect(move(7n, { position: [1e300, 0, 0] })).toThrow("is outside the world");
  expect(move(7n, { position: [0, 0, 0] }, 5)).toThrow("reason is 5 (a number); it is a string");
});
