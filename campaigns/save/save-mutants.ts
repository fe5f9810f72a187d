import { type Mutant, mutant } from "../proof/mutants.ts";
import { FORGETFUL_WRITER } from "./named-packs.ts";

/** Mutants that each omit one durability step of the writer everywhere. */
export const STEP_MUTANTS: readonly Mutant[] = [
  mutant("the sync of the packs", { operation: "sync", path: /^data\//, nth: 1, sticky: true }),
  mutant("the sync of an index or its root", {
    operation: "sync",
    path: /^index\/ix-main/,
    nth: 1,
    sticky: true,
  }),
  mutant("the sync of pages", { operation: "sync", path: /^index\/ix-\d/, nth: 1, sticky: true }),
  mutant("the sync of the global file", { operation: "sync", path: /^global/, nth: 1, sticky: true }),
  mutant("the sync of the players", { operation: "sync", path: /^players/, nth: 1, sticky: true }),
  mutant("the sync of the manifest", { operation: "sync", path: /^manifest/, nth: 1, sticky: true }),
  mutant("the sync of data/", { operation: "syncDirectory", path: /^data$/, nth: 1, sticky: true }),
  mutant("the sync of index/", { operation: "syncDirectory", path: /^index$/, nth: 1, sticky: true }),
  mutant("every sync of the root", { operation: "syncDirectory", path: /^$/, nth: 1, sticky: true }),
  ...["index/ix-main", "index/ix-\\d", "global", "players", "manifest"].map((name) =>
    mutant(`the removal of a stale temporary ${name}`, {
      operation: "remove",
      path: new RegExp(`^${name}.*\\.tmp$`),
      nth: 1,
      sticky: true,
    }),
  ),
  FORGETFUL_WRITER,
];
