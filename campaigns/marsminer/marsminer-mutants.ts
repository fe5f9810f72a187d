import { isCaughtBy, type Mutant, mutant, singleSyncMutants } from "../proof/mutants.ts";
import { playHistory, SHORT_HISTORY } from "./marsminer-history.ts";
import { proveMarsMiner } from "./prove-marsminer.ts";

/** Mutants that each omit one durability step of the writer everywhere. */
export const STEP_MUTANTS: readonly Mutant[] = [
  mutant("the sync of the blobs", { operation: "sync", path: /^blob/, nth: 1, sticky: true }),
  mutant("the sync of blobs behind the first", {
    operation: "sync",
    path: /^blob[1-9]/,
    nth: 1,
    sticky: true,
  }),
  mutant("the sync of the strings", { operation: "sync", path: /^strings$/, nth: 1, sticky: true }),
  mutant("the sync of the pointers", { operation: "sync", path: /^pointers$/, nth: 1, sticky: true }),
  mutant("the sync of the folder", { operation: "syncDirectory", nth: 1, sticky: true }),
];

/** Creates a mutant for each single sync of the short history, which it omits once. */
export function syncMutants(): Promise<readonly Mutant[]> {
  return singleSyncMutants((disk) => playHistory(disk, SHORT_HISTORY, () => undefined));
}

/** Returns whether the proof detects that a step is missing. */
export function isCaught(writer: Mutant, seed: number): Promise<boolean> {
  return isCaughtBy((options, mutant) => proveMarsMiner(SHORT_HISTORY, options, mutant), writer, seed);
}
