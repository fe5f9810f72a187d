import type { Vector } from "@orthant/core";
import { MoveCheck } from "@orthant/protocol/internal";
import type { MovementLimits } from "@orthant/protocol/server";
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

/** How a player runs, and how their moves get to the server. */
interface Run {
  readonly speedMax?: number;
  readonly frameMs?: readonly number[];
  /** The player moves in whole steps of this length. */
  readonly stepMs?: number;
  /** The player runs and rests in turns of this length. */
  readonly restMs?: number;
  readonly jitterMs?: number;
  readonly loss?: number;
  readonly clockRate?: number;
  /** How much faster than the limit the player is, or their clock, from `CHEATING_MS` on. */
  readonly factor?: number;
  readonly clockFactor?: number;
}

const RUN_MS = 60_000;
const CHEATING_MS = 30_000;
/** Between a move and its arrival, at the least. */
const ONE_WAY_MS = 75;

/** Returns when moves of a player who runs at the limit are refused, after their arrival at the earliest and `CHEATING_MS`. */
function refusedRunner(seed: number, run: Run): readonly number[] {
  const { speedMax = 6, frameMs = [1_000 / 60], stepMs, jitterMs = 8, loss = 0.02, clockRate = 1 } = run;
  const { factor = 1, clockFactor = 1, restMs = Number.POSITIVE_INFINITY } = run;
  const prng = new Prng(seed);
  const check = new MoveCheck({ ...LIMITS, speedMax }, 0);
  const heading = prng.below(628) / 100;
  let [at, refused]: [Vector, number[]] = [[0, 0, 0, 0], []];
  let [passedMs, ranMs, clockMs, sentMs, arrivedMs] = [0, 0, 1, 0, 0];
  while (passedMs < RUN_MS) {
    const frame = prng.pick(frameMs);
    const isCheating = passedMs >= CHEATING_MS;
    passedMs += frame;
    clockMs += frame * clockRate * (isCheating ? clockFactor : 1);
    // The client of a player who rests sends no moves.
    if (Math.floor(passedMs / restMs) % 2 === 1) continue;
    ranMs += frame * clockRate * (isCheating ? factor * clockFactor : 1);
    // The client sends its newest pose 20 times a second.
    if (passedMs - sentMs < MOVE_MS) continue;
    sentMs = passedMs;
    const moved = stepMs === undefined ? ranMs : Math.floor(ranMs / stepMs) * stepMs;
    const way = (moved * speedMax) / 1_000;
    const to: Vector = [rounded(way * Math.cos(heading)), 0, rounded(way * Math.sin(heading)), 0];
    const delayMs = ONE_WAY_MS + prng.below(jitterMs + 1) + (prng.chance(loss) ? 2 * ONE_WAY_MS : 0);
    arrivedMs = Math.max(arrivedMs, passedMs + delayMs);
    check.startTick();
    const timeMs = Math.round(clockMs);
    if (check.refusal(at, { position: to, timeMs }, arrivedMs) === undefined) at = to;
    else refused.push(arrivedMs - ONE_WAY_MS - CHEATING_MS);
  }
  return refused;
}

/** Moves have positions in 64ths of a voxel. */
function rounded(coordinate: number): number {
  return Math.round(coordinate * 64) / 64;
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

  test.each([
    ["on a path with much jitter", { jitterMs: 60, loss: 0 }],
    ["with many lost packets", { jitterMs: 10, loss: 0.1 }],
    ["with a clock that is too fast by 2 in 1,000", { clockRate: 1.002 }],
    ["in frames of 8 to 120 ms", { frameMs: [8, 17, 17, 17, 33, 120] }],
    ["in steps of 50 ms, each in the first frame of 33 ms after it", { frameMs: [33], stepMs: 50 }],
    ["slowly and aslant", { speedMax: 0.5 }],
    ["with rests, after which packets are lost", { restMs: 2_000, loss: 0.1 }],
  ] as const)("lets an honest player run at the limit %s", (_how, conditions) => {
    for (let seed = 0; seed < 30; seed++)
      expect(refusedRunner(seed, conditions)[0], `seed ${seed}`).toBeUndefined();
  });

  test.each([
    [1.25, 260],
    [1.5, 150],
    [2, 100],
  ])("refuses a player who is %f times as fast within %i ms", (factor, withinMs) => {
    for (let seed = 0; seed < 30; seed++) {
      const [first = Number.POSITIVE_INFINITY] = refusedRunner(seed, { factor, jitterMs: 0, loss: 0 });
      expect(first, `seed ${seed}`).toBeGreaterThan(0);
      expect(first, `seed ${seed}`).toBeLessThanOrEqual(withinMs);
    }
  });

  test.each([
    [1.5, 200],
    [2, 150],
  ])("refuses a client whose clock runs %f times as fast within %i ms", (factor, withinMs) => {
    for (let seed = 0; seed < 30; seed++) {
      const [first = Number.POSITIVE_INFINITY] = refusedRunner(seed, {
        clockFactor: factor,
        jitterMs: 0,
        loss: 0,
      });
      expect(first, `seed ${seed}`).toBeGreaterThan(0);
      expect(first, `seed ${seed}`).toBeLessThanOrEqual(withinMs);
    }
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
