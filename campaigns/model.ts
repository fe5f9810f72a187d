import { fileURLToPath } from "node:url";
import type { Box } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { OverrideTree } from "@orthant/core/tree";
import { Prng } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { faultOfEdits } from "./in-place/edited-world.ts";
import { IN_PLACE_MUTANTS } from "./in-place/in-place-mutants.ts";
import { faultOfMutant, tryMutants } from "./sim/case-process.ts";
import { TreeAndModel } from "./tree/tree-model.ts";

const STEPS = 600_000;
/** Edits to one tree before a fresh one replaces it, so that both early and late states are tested. */
const STEPS_PER_TREE = 500;
const STEPS_BETWEEN_REBUILDS = 50;

/** Operations on each of the open worlds of a round. */
const OPERATIONS = 50;
const BUILT = import.meta.url.endsWith(".ts") ? "../build/campaigns/" : "./";
/** A program that edits open worlds, as it was built. */
const IN_PLACE_PROGRAM: string = fileURLToPath(
  new URL(`${BUILT}in-place/in-place-process.js`, import.meta.url),
);
/** Seeds after which a mutant counts as not caught, and operations on each world. */
const [MUTANT_SEEDS, MUTANT_OPERATIONS] = [10, 500];

const LATTICE_MIN = -(2 ** 31);
const LATTICE_MAX = 2 ** 31;

/** Small boxes where arithmetic is most likely to fail: at the origin, and at both ends of the lattice. */
export const ARENAS: readonly { readonly name: string; readonly arenas: readonly Box[] }[] = [
  {
    name: "2D",
    arenas: [
      boxBetween([-7, -5, 0, 0], [9, 11, 1, 1]),
      boxBetween([LATTICE_MIN, LATTICE_MAX - 11, 0, 0], [LATTICE_MIN + 13, LATTICE_MAX, 1, 1]),
    ],
  },
  {
    name: "3D",
    arenas: [
      boxBetween([-3, -2, -4, 0], [4, 5, 3, 1]),
      boxBetween([LATTICE_MAX - 5, -3, LATTICE_MIN, 0], [LATTICE_MAX, 4, LATTICE_MIN + 6, 1]),
    ],
  },
  {
    name: "4D",
    arenas: [
      boxBetween([-2, -2, -1, -3], [2, 2, 3, 1]),
      boxBetween([LATTICE_MIN, -2, LATTICE_MAX - 4, -2], [LATTICE_MIN + 4, 2, LATTICE_MAX, 2]),
    ],
  },
];

/** Applies random edits to trees and open worlds, and to flat maps, and compares them. */
export const modelCampaign: Campaign = {
  name: "model",
  summary:
    "random edits to a tree of chunks and to a flat map of them, compared everywhere after each; and edits in place of open worlds with held snapshots",
  goal: STEPS,
  unit: "edits",
  resumes: true,
  async run(options) {
    // Only a run without a time limit has the time for mutants.
    const failures: string[] =
      options.endsAtMs === undefined && options.isSmallest !== true
        ? await tryMutants("model", IN_PLACE_MUTANTS, faultOfInPlaceMutant)
        : [];
    let cases = 0;
    let round = options.from;
    for (; goesOn(cases, options) && failures.length < FAILURES_MAX; round++) {
      for (const { name, arenas } of ARENAS) {
        const seed = options.seed + round;
        const failure = runTree(arenas[round % arenas.length] as Box, seed, STEPS_PER_TREE);
        if (failure !== undefined) failures.push(`${name}, seed ${seed}: ${failure}`);
        cases += STEPS_PER_TREE;
      }
      const fault = await faultOfEdits(options.seed + round, OPERATIONS);
      if (fault !== undefined) failures.push(fault);
      options.progress(cases);
    }
    return { cases, failures, next: round };
  },
};

/** Applies random edits to one tree. Returns the first fault, if any. */
export function runTree(arena: Box, seed: number, steps: number): string | undefined {
  const both = new TreeAndModel(OverrideTree.UNTOUCHED, arena, new Prng(seed));
  for (let step = 1; step <= steps; step++) {
    const failure =
      both.step() ?? (step % STEPS_BETWEEN_REBUILDS === 0 ? both.rebuild(OverrideTree.UNTOUCHED) : undefined);
    if (failure !== undefined) return `step ${step}: ${failure}`;
  }
  return undefined;
}

/** Returns the first fault that a mutant shows. */
export function faultOfInPlaceMutant(mutant: string): Promise<string | undefined> {
  const cases = Array.from({ length: MUTANT_SEEDS }, (_, at) => ({ seed: at + 1, steps: MUTANT_OPERATIONS }));
  return faultOfMutant(IN_PLACE_PROGRAM, mutant, cases);
}
