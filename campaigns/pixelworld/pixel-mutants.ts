import { type Mutant, mutant } from "../proof/mutants.ts";

/** Mutants that each omit one durability step of the writer everywhere. */
export const PIXEL_STEP_MUTANTS: readonly Mutant[] = [
  mutant("both syncs of a save", { operation: "sync", path: /^world\.pxsw$/, nth: 1, sticky: true }),
  mutant("the sync of a new file", {
    operation: "sync",
    path: /^world\.pxsw\..*\.tmp$/,
    nth: 1,
    sticky: true,
  }),
  mutant("the sync of the folder", { operation: "syncDirectory", path: /^$/, nth: 1, sticky: true }),
  mutant("the removal of an unfinished file", { operation: "remove", path: /\.tmp$/, nth: 1, sticky: true }),
  mutant("the cut behind the last save", {
    operation: "truncate",
    path: /^world\.pxsw$/,
    nth: 1,
    sticky: true,
  }),
];
