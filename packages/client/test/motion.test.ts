import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { NetworkGame, randomKeys } from "./network-game.ts";

const PLAYERS = 4;
const PLAY_MS = 20_000;
/** Frames until the clients know the delays of the network. */
const FIRST_FRAME = 120;

test("at a round trip of 150 ms and 2 % loss, own players are never corrected and others move as on the server", async () => {
  const game = await NetworkGame.start(1, { oneWayMs: 75, jitterMs: 8, loss: 0.02, resend: "roundTrip" });
  for (let count = 0; count < PLAYERS; count++) await game.join();
  const prng = new Prng(8);
  const keys = game.players.map(() => randomKeys(new Prng(prng.u32())));
  const errors: number[] = [];
  let corrected = 0;
  let frame = 0;
  await game.play(PLAY_MS, (nowMs) => {
    frame++;
    for (const [index, player] of game.players.entries()) {
      const next = keys[index];
      if (next !== undefined) game.move(player, next(player.own.state));
    }
    for (const { client, own, alone } of game.players) {
      corrected = Math.max(corrected, distance(own.position, alone.position));
      if (frame < FIRST_FRAME) continue;
      for (const { id, position } of client.entitiesAt()) {
        const truth = game.positionAt(id, nowMs - 200);
        if (truth !== undefined) errors.push(distance(position, truth));
      }
    }
  });
  await game.close();
  errors.sort((a, b) => a - b);
  const share = (part: number): number => errors[Math.floor((errors.length - 1) * part)] ?? Infinity;
  expect(game.players.flatMap(({ reasons }) => reasons)).toEqual([]);
  expect(corrected).toBeLessThanOrEqual(0.05);
  expect(share(0.98), `p99 ${share(0.99)}, largest ${share(1)}`).toBeLessThanOrEqual(0.1);
}, 120_000);

function distance(one: readonly number[], other: readonly number[]): number {
  return Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)));
}
