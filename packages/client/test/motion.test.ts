import type { Vector } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { type GamePlayer, NetworkGame, randomKeys } from "./network-game.ts";
import type { TcpConditions } from "./tcp-link.ts";

const CONDITIONS: TcpConditions = { oneWayMs: 75, jitterMs: 8, loss: 0.02, resend: "roundTrip" };
const WITHOUT_LOSS: TcpConditions = { ...CONDITIONS, loss: 0 };
/** Together: what a lost packet hides differs by half from one game to the next. */
const SEEDS = [1, 2, 3, 4, 5];
const PLAYERS = 4;
const PLAY_MS = 60_000;
/** Frames until the clients know the delays of the network. */
const FIRST_FRAME = 120;
/** A speed hack lasts this long. */
const HACK_MS = 1_000;

describe("at a round trip of 150 ms and 2 % loss", () => {
  test("own players are never corrected and others are where they were 200 ms before", async () => {
    const games: PlayedGame[] = [];
    for (const seed of SEEDS) games.push(await playedGame(seed));
    for (const { reasons, corrected } of games) {
      expect(reasons).toEqual([]);
      expect(corrected).toBeLessThanOrEqual(0.05);
    }
    const shown = games.flatMap((game) => game.shown).sort(ascending);
    const newest = games.flatMap((game) => game.newest).sort(ascending);
    const figures = `p98 ${part(shown, 0.98)}, p995 ${part(shown, 0.995)}, largest ${part(shown, 1)}`;
    // What changes its motion behind a lost packet is shown wrong until the packet arrives again.
    expect(part(shown, 0.99), figures).toBeLessThanOrEqual(0.1);
    expect(part(shown, 0.98), figures).toBeLessThanOrEqual(0.03);
    expect(part(newest, 0.5), "without a clock that follows the server's, all jump").toBeGreaterThan(0.1);
  }, 240_000);

  test("a correction keeps the inputs since, which the server did not know", async () => {
    const game = await NetworkGame.start(6, WITHOUT_LOSS, Number.POSITIVE_INFINITY);
    const player = await game.join();
    // A client that takes the poses of the server as they are.
    const naive = { error: 0 };
    player.client.onMoved(({ position }) => {
      naive.error = Math.abs(position[0] - player.alone.position[0] - 0.5);
    });
    const east = { heading: 0, jumps: false };
    await game.play(1_000, () => game.move(player, east));
    const [playerState] = game.sync.players;
    const [x, y, z, w] = playerState?.position ?? [0, 0, 0, 0];
    game.sync.movePlayer(player.client.playerId, { position: [x + 0.5, y, z, w] }, "push");
    await game.play(1_000, () => game.move(player, east));
    const gained = player.own.state.position[0] - player.alone.position[0];
    await game.close();
    expect(Math.abs(gained - 0.5)).toBeLessThanOrEqual(0.05);
    expect(naive.error, "without the inputs since, the player is set back").toBeGreaterThan(0.3);
  }, 60_000);
});

test("entities are shown better between late poses if the game states their velocity", async () => {
  const wrongBy = async (isStated: boolean): Promise<number> => {
    const game = await NetworkGame.start(9, { ...CONDITIONS, loss: 0.1 });
    const { client } = await game.join();
    // A ball that flies to and fro, and turns at every fourth tick.
    const xAt = (tick: number): number => [0, 1, 2, 1][tick % 4] as number;
    const ball = game.world.entities.spawn({ kind: 1, position: [0, 5, 0, 0] });
    const ticks: number[] = [];
    game.beforeTick = (nowMs) => {
      const x = xAt(ticks.length);
      const velocity: Vector = [(xAt(ticks.length + 1) - x) * 10, 0, 0, 0];
      game.world.entities.change(ball.entityId, { position: [x, 5, 0, 0], ...(isStated && { velocity }) });
      ticks.push(nowMs);
    };
    const errors: number[] = [];
    await game.play(20_000, (nowMs) => {
      const next = ticks.findIndex((tickMs) => tickMs > nowMs - 200);
      const [shown] = client.entitiesAt();
      if (next < 1 || ticks.length < 20 || shown === undefined) return;
      const share = (nowMs - 200 - (ticks[next - 1] as number)) / 100;
      errors.push(Math.abs(shown.position[0] - (xAt(next - 1) * (1 - share) + xAt(next) * share)));
    });
    await game.close();
    return part(
      errors.sort((a, b) => a - b),
      0.95,
    );
  };
  expect(await wrongBy(true)).toBeLessThan((await wrongBy(false)) / 2);
}, 60_000);

describe("a speed hack", () => {
  test.each([1.5, 2])(
    "a player at %f times the speed is corrected within 300 ms, unless a packet is lost just then",
    async (factor) => {
      for (let seed = 1; seed <= 10; seed++)
        expect(await correctedAfterMs(seed, factor, WITHOUT_LOSS), `seed ${seed}`).toBeLessThanOrEqual(300);
      const withLoss: number[] = [];
      for (let seed = 1; seed <= 10; seed++) withLoss.push(await correctedAfterMs(seed, factor, CONDITIONS));
      withLoss.sort((a, b) => a - b);
      expect(part(withLoss, 0.5)).toBeLessThanOrEqual(300);
      // A lost packet comes one round trip later, and perhaps once more.
      expect(part(withLoss, 1)).toBeLessThanOrEqual(300 + 2 * 150);
    },
    120_000,
  );

  test("is not corrected by a server that checks nothing", async () => {
    const afterMs = await correctedAfterMs(1, 2, WITHOUT_LOSS, Number.POSITIVE_INFINITY);
    expect(afterMs).toBe(Number.POSITIVE_INFINITY);
  }, 60_000);
});

/** What went wrong in a game. */
interface PlayedGame {
  /** How far others were from where the server had had them 200 ms before. */
  readonly shown: readonly number[];
  /** The same, by the newest poses that clients had. */
  readonly newest: readonly number[];
  /** How far the server's corrections moved a player. */
  readonly corrected: number;
  readonly reasons: readonly string[];
}

/** Plays a game of honest players. */
async function playedGame(seed: number): Promise<PlayedGame> {
  const game = await NetworkGame.start(seed, CONDITIONS);
  for (let count = 0; count < PLAYERS; count++) await game.join();
  const prng = new Prng(seed + 7);
  const keys = game.players.map(() => randomKeys(new Prng(prng.u32())));
  const [shown, newest]: [number[], number[]] = [[], []];
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
      const wrongBy = ({ id, position }: { id: bigint; position: readonly number[] }): readonly number[] => {
        const truth = game.positionAt(id, nowMs - 200);
        return truth === undefined ? [] : [distance(position, truth)];
      };
      shown.push(...client.entitiesAt().flatMap(wrongBy));
      newest.push(...client.entities.flatMap(wrongBy));
    }
  });
  await game.close();
  const reasons = game.players.flatMap((player) => player.reasons);
  return { shown, newest, corrected, reasons };
}

const ascending = (a: number, b: number): number => a - b;

/** Lets a player run honestly, and then too fast. Returns how long it takes until their client is corrected. */
async function correctedAfterMs(
  seed: number,
  factor: number,
  conditions: TcpConditions,
  speedMax?: number,
): Promise<number> {
  const game = await NetworkGame.start(seed, conditions, speedMax);
  const player: GamePlayer = await game.join();
  const isForth = (nowMs: number): boolean => Math.floor(nowMs / 1_000) % 2 === 0;
  const run = (nowMs: number) => ({ heading: isForth(nowMs) ? 0.7 : 0.7 + Math.PI, jumps: false });
  await game.play(4_000 + new Prng(seed).below(100), (nowMs) => game.move(player, run(nowMs)));
  expect(player.reasons, `seed ${seed}, before the hack`).toEqual([]);
  const startMs = game.time.nowMs();
  const keys = run(startMs);
  await game.play(HACK_MS, () => game.move(player, keys, factor));
  const correctedMs = player.corrections[0] ?? Number.POSITIVE_INFINITY;
  await game.close();
  return correctedMs - startMs;
}

/** Returns the value that a share of ascending ones do not exceed. */
function part(ascending: readonly number[], share: number): number {
  return ascending[Math.floor((ascending.length - 1) * share)] ?? Number.POSITIVE_INFINITY;
}

function distance(one: readonly number[], other: readonly number[]): number {
  return Math.hypot(...one.map((coordinate, axis) => coordinate - (other[axis] ?? 0)));
}
