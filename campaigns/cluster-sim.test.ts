import { describe, expect, test } from "vitest";
import { faultOfClusterCase } from "./cluster-sim/cluster-simulation.ts";

const SEEDS = Array.from({ length: 12 }, (_, index) => 1 + index);
const STEPS = 100;
const TIMEOUT_MS = 60_000;

describe("owners, gateways and clients of a cluster under faults", () => {
  test.each(SEEDS)(
    "[K9] [K20] lose nothing that was acknowledged, and come to agree: seed %i",
    async (seed) => {
      expect(await faultOfClusterCase(seed, STEPS)).toBeUndefined();
    },
    TIMEOUT_MS,
  );
});
