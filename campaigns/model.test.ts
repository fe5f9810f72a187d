import { expect, test } from "vitest";
import { faultOfEdits } from "./in-place/edited-world.ts";
import { IN_PLACE_MUTANTS } from "./in-place/in-place-mutants.ts";
import { ARENAS, faultOfInPlaceMutant, runTree } from "./model.ts";

const STEPS = 800;
const OPERATIONS = 1_200;
const TIMEOUT_MS = 120_000;

test.each(ARENAS.flatMap(({ name, arenas }) => arenas.map((arena, index) => [name, index, arena] as const)))(
  "a %s tree equals a flat map after each of 800 random edits (arena %i)",
  (_name, index, arena) => {
    expect(runTree(arena, 100 + index, STEPS)).toBeUndefined();
  },
);

test.each([1, 2])(
  "edits in place show in the world, in later snapshots and after a restart, and in no earlier snapshot, seed %i",
  async (seed) => {
    expect(await faultOfEdits(seed, OPERATIONS)).toBeUndefined();
  },
  TIMEOUT_MS,
);

test.each(IN_PLACE_MUTANTS.map(({ fault }) => fault))(
  "edits in place are not those of a plain map if %s",
  async (fault) => {
    expect(await faultOfInPlaceMutant(fault)).toBeDefined();
  },
  TIMEOUT_MS,
);
