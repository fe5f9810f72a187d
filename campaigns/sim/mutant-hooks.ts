import type { LoadHook, ResolveHook } from "node:module";
import { CLUSTER_MUTANTS } from "../cluster-sim/cluster-mutants.ts";
import { STEP_MUTANTS } from "../steps/step-mutants.ts";
import { MUTANT_VARIABLE, SIM_MUTANTS } from "./sim-mutants.ts";

const mutant = [...SIM_MUTANTS, ...CLUSTER_MUTANTS, ...STEP_MUTANTS].find(
  ({ fault }) => fault === process.env[MUTANT_VARIABLE],
);

/** Resolves to the modules that a package's bundle is made of, since mutants name these. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  return { ...resolved, url: resolved.url.replace("/dist/bundled/", "/dist/") };
};

/** Loads modules, and applies the mutant's changes to those that it names. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const changes = mutant?.changes.filter(({ file }) => url.endsWith(`/${file}`)) ?? [];
  if (changes.length === 0) return loaded;
  let source = new TextDecoder().decode(loaded.source as Uint8Array);
  for (const { file, find, replace } of changes) {
    const pieces = source.split(find);
    if (pieces.length !== 2) {
      throw new Error(`${file} has ${pieces.length - 1} times "${find}", where once must be`);
    }
    source = pieces.join(replace);
  }
  return { ...loaded, source };
};
