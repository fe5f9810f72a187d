import type { Vector } from "@orthant/core";
import type { MovementLimits } from "@orthant/protocol";
import { MoveCheck } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const LIMITS: MovementLimits = { speedMax: 6, riseSpeedMax: 10, fallSpeedMax: 60 };
/** Between two moves of a client. */
const MOVE_MS = 50;

/** A player who goes along x. Counts what was refused, and knows how far the server let them go. */
class Runner {
  readonly #check = new MoveCheck(LIMITS, 0);
  position: Vector = [0, 0, 0, 0];
  readonly refused: number[] = [];

  /** The server receives at `nowMs` that the player went `distance` until `timeMs` of the client. */
  go(distance: number, timeMs: number, nowMs: number): void {
    const [x, y, z, w] = this.position;
    const to: Vector = [x + distance, y, z, w];
    this.#check.startTick();
    if (this.#check.refusal(this.position, { position: to, timeMs }, nowMs) === undefined) this.position = to;
    else this.refused.push(nowMs);
  }
}

describe("[N55] the time in moves", () => {
  test("lets an honest player run at the limit, however unevenly packets arrive", () => {
    for (let seed = 0; seed < 50; seed++) {
      const prng = new Prng(seed);
      const runner = new Runner();
      let arrivedMs = 0;
      for (let timeMs = 1_000; timeMs < 60_000; timeMs += MOVE_MS) {
        // One in fifty is lost, and holds up those behind it until it is sent again.
        const delayMs = 75 + prng.between(0, 10) + (prng.chance(0.02) ? 250 : 0);
        arrivedMs = Math.max(arrivedMs, timeMs + delayMs);
        runner.go((LIMITS.speedMax * MOVE_MS) / 1_000, timeMs, arrivedMs);
      }
      expect(runner.refused, `seed ${seed}`).toEqual([]);
    }
  });

  test("refuses a player who is twice as fast within two moves", () => {
    const runner = new Runner();
    for (let timeMs = 50; timeMs <= 5_000; timeMs += MOVE_MS) runner.go(0.3, timeMs, timeMs);
    runner.go(0.6, 5_050, 5_050);
    runner.go(0.6, 5_100, 5_100);
    expect(runner.refused[0]).toBeLessThanOrEqual(5_100);
    expect(runner.position[0]).toBeLessThan(31);
  });

  test("refuses within 200 ms a client whose clock runs twice as fast", () => {
    const runner = new Runner();
    for (let timeMs = 50; timeMs <= 5_000; timeMs += MOVE_MS) runner.go(0.3, timeMs, timeMs);
    for (let nowMs = 5_025; nowMs <= 6_000; nowMs += MOVE_MS / 2)
      runner.go(0.3, 5_000 + 2 * (nowMs - 5_000), nowMs);
    expect(runner.refused[0]).toBeLessThanOrEqual(5_200);
  });

  test("lets no client save up motion: neither by standing, nor by silence, nor with any clock", () => {
    for (let seed = 0; seed < 200; seed++) {
      const prng = new Prng(seed);
      const runner = new Runner();
      let timeMs = 0;
      let nowMs = 0;
      while (nowMs < 30_000) {
        nowMs += prng.pick([0, 1, 10, 50, 400, 5_000]);
        timeMs += prng.pick([0, 1, 50, 100, 5_000, 1e9]);
        runner.go(prng.pick([0, 0.01, 0.3, 0.6, 1, 5, 6]), timeMs, nowMs);
        const [x] = runner.position;
        // A second of silence may be made up for once; rounding of positions adds a little for each move.
        expect(x, `seed ${seed}`).toBeLessThanOrEqual((LIMITS.speedMax * (nowMs + 1_100)) / 1_000);
      }
    }
  });

  test("lets a client that was silent for long go no farther than in a second", () => {
    const runner = new Runner();
    runner.go(0, 1_000, 1_000);
    runner.go(8, 61_000, 61_000);
    expect(runner.refused).toEqual([61_000]);
    runner.go(0, 121_000, 121_000);
    runner.go(6.2, 181_000, 181_000);
    expect(runner.refused.length).toBe(1);
  });
});

test("a movement check has limits for rising and falling of their own", () => {
  const check = new MoveCheck(LIMITS, 0);
  const at = (y: number): Vector => [0, y, 0, 0];
  const step = (from: number, to: number, ms: number) =>
    check.refusal(at(from), { position: at(to), timeMs: ms }, ms);
  step(0, 0, 1_000);
  expect(step(0, 0.9, 1_100)).toBeUndefined();
  expect(step(0.9, -4, 1_200)).toBeUndefined();
  expect(step(-4, -2, 1_300)).toBe("too fast");
  expect(step(-4, -14, 1_400)).toBe("too fast");
});

test("a movement check looks at no more moves in a tick than a client makes", () => {
  let asked = 0;
  const canPass = (): boolean => ++asked > 0;
  const check = new MoveCheck({ ...LIMITS, canPass }, 0);
  const here = { position: [0, 0, 0, 0], timeMs: 1 } as const;
  for (let count = 0; count < 1_000; count++) check.refusal(here.position, here, 10);
  expect(asked).toBe(32);
  check.startTick();
  expect(check.refusal(here.position, here, 20)).toBeUndefined();
});
