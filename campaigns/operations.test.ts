import { expect, test } from "vitest";
import { cutPowerInOperations, faultOfOperations } from "./operations/faults-of-operations.ts";
import { OPERATIONS_MUTANTS } from "./operations/operations-mutants.ts";
import { faultOfOperationsMutant } from "./operations.ts";

const TIMEOUT_MS = 240_000;

test.each([1, 2, 3])(
  "operations do what a plain model does, seed %i",
  async (seed) => {
    expect(await faultOfOperations(seed, seed % 3 === 2 ? 30 : 100)).toBeUndefined();
  },
  TIMEOUT_MS,
);

test.each(["journal", "snapshot"] as const)(
  "a power cut at any operation of the disk leaves each change of many voxels whole (%s)",
  async (durability) => {
    await cutPowerInOperations(durability, 3, { disksPerCut: 1, seed: 3 });
  },
  TIMEOUT_MS,
);

test.each(OPERATIONS_MUTANTS.map(({ fault }) => fault))(
  "operations differ from a plain model if %s",
  async (fault) => {
    expect(await faultOfOperationsMutant(fault)).toBeDefined();
  },
  TIMEOUT_MS,
);
