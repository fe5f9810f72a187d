import { describe, expect, test } from "vitest";
import { faultOfCase } from "./sim/simulation.ts";

const SEEDS = Array.from({ length: 8 }, (_, index) => 1 + index);
const STEPS = 300;
const TIMEOUT_MS = 60_000;

describe("a server and its clients on a lossy network", () => {
  test.each(SEEDS)(
    "converge, and never disagree about a region at the same clock (seed %i)",
    async (seed) => {
      expect(await faultOfCase(seed, STEPS)).toBeUndefined();
    },
    TIMEOUT_MS,
  );
});
