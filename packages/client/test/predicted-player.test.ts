import { type PlayerState, PredictedPlayer } from "@orthant/client";
import type { Vector } from "@orthant/core";
import { expect, test } from "vitest";

interface Walker extends PlayerState<2> {
  readonly position: Vector<2>;
  readonly speed: number;
}

interface Placement {
  readonly position: Vector<2>;
  readonly orientation: Vector;
}

/** A client of which the test is the server. */
class TestLink {
  timeMs = 1_000;
  readonly sent: Vector<2>[] = [];
  #listener: ((pose: Placement, moveMs: number | undefined) => void) | undefined;

  nowMs(): number {
    return this.timeMs;
  }

  requirePose(name: string, { position }: PlayerState<2>): Placement {
    if (!Array.isArray(position)) throw new TypeError(`${name} has no position`);
    return { position, orientation: [0, 0, 0, 1] };
  }

  move({ position }: PlayerState<2>): void {
    this.sent.push(position);
  }

  onPlaced(listener: (pose: Placement, moveMs: number | undefined) => void): () => void {
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }

  place(x: number, moveMs: number | undefined): void {
    this.#listener?.({ position: [x, 0], orientation: [0, 0, 0, 1] }, moveMs);
  }
}

/** Walks 0.5 voxels in each of `steps` steps, 100 ms apart. */
function walkerAfter(steps: number): [TestLink, PredictedPlayer<2, Walker, number>] {
  const link = new TestLink();
  const player = new PredictedPlayer<2, Walker, number>(link, {
    state: { position: [0, 0], speed: 5 },
    step: (state, direction, seconds) => ({
      ...state,
      position: [state.position[0] + direction * state.speed * seconds, 0],
    }),
  });
  for (let step = 0; step < steps; step++) {
    link.timeMs += 100;
    player.move(1, 0.1);
  }
  return [link, player];
}

test("a predicted player moves at once and tells the server", () => {
  const [link, player] = walkerAfter(4);
  expect(player.state.position[0]).toBeCloseTo(2);
  expect(player.position).toEqual(player.state.position);
  expect(link.sent.map(([x]) => x)).toEqual([0.5, 1, 1.5, 2]);
});

test("a correction keeps the inputs that the server did not know", () => {
  const [link, player] = walkerAfter(4);
  // The server had taken the second move, and a wall at 0.25 stopped the player there.
  link.place(0.25, 1_200);
  expect(player.state.position[0]).toBeCloseTo(0.25 + 2 * 0.5);
  expect(link.sent.at(-1)?.[0]).toBeCloseTo(1.25);
});

test("a correction fades on the screen", () => {
  const [link, player] = walkerAfter(4);
  link.place(0.25, 1_200);
  expect(player.position[0]).toBeCloseTo(2);
  link.timeMs += 50;
  expect(player.position[0]).toBeCloseTo(1.25 + 0.75 / 2);
  link.timeMs += 950;
  expect(player.position[0]).toBeCloseTo(1.25, 3);
});

test("a pose that differs only by rounding changes nothing", () => {
  const [link, player] = walkerAfter(4);
  link.place(1 + 1 / 64, 1_200);
  expect(player.state.position[0]).toBeCloseTo(2);
  expect(player.position[0]).toBeCloseTo(2);
});

test("a player who is moved far away is there at once, without the inputs before", () => {
  const [link, player] = walkerAfter(4);
  link.place(100, 1_200);
  expect(player.state.position).toEqual([100, 0]);
  expect(player.position).toEqual([100, 0]);
  link.timeMs += 100;
  player.move(1, 0.1);
  expect(player.state.position[0]).toBeCloseTo(100.5);
});

test("a stopped prediction no longer follows the server", () => {
  const [link, player] = walkerAfter(2);
  player.stop();
  link.place(0.25, 1_100);
  expect(player.state.position[0]).toBeCloseTo(1);
});

test("a step that returns no position changes nothing", () => {
  const link = new TestLink();
  const player = new PredictedPlayer<2, Walker, number>(link, {
    state: { position: [1, 0], speed: 5 },
    step: (_state, input) => ({ position: input === 0 ? [2, 0] : undefined, speed: 5 }) as Walker,
  });
  player.move(0, 0.1);
  expect(() => player.move(1, 0.1)).toThrow("what step returns has no position");
  expect(player.state.position).toEqual([2, 0]);
  expect(link.sent).toEqual([[2, 0]]);
});
