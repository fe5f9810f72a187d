import { expect, test } from "vitest";
import { ARENAS, runTree } from "./model.ts";

const STEPS = 800;

test.each(ARENAS.flatMap(({ name, arenas }) => arenas.map((arena, index) => [name, index, arena] as const)))(
  "a %s tree equals a flat map after each of 800 random edits (arena %i)",
  (_name, index, arena) => {
    expect(runTree(arena, 100 + index, STEPS)).toBeUndefined();
  },
);
