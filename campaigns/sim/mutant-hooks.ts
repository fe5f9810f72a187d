import type { LoadHook, ResolveHook } from "node:module";
import { pathToFileURL } from "node:url";
import { CLUSTER_MUTANTS } from "../cluster-sim/cluster-mutants.ts";
import { IN_PLACE_MUTANTS } from "../in-place/in-place-mutants.ts";
import { LIGHT_MUTANTS } from "../light/light-mutants.ts";
import { OPERATIONS_MUTANTS } from "../operations/operations-mutants.ts";
import { STEP_MUTANTS } from "../steps/step-mutants.ts";
import { TRADES_MUTANTS } from "../trades/trades-mutants.ts";
import { moduleOf, mutate } from "./mutation.ts";
import { MUTANT_VARIABLE, SIM_MUTANTS } from "./sim-mutants.ts";

const mutant = [
  ...SIM_MUTANTS,
  ...CLUSTER_MUTANTS,
  ...STEP_MUTANTS,
  ...LIGHT_MUTANTS,
  ...IN_PLACE_MUTANTS,
  ...TRADES_MUTANTS,
  ...OPERATIONS_MUTANTS,
].find(({ fault }) => fault === process.env[MUTANT_VARIABLE]);
const changes = (mutant?.changes ?? []).map((change) => ({
  change,
  url: pathToFileURL(moduleOf(change)).href,
}));

/** Resolves to the modules that a package's bundle is made of, since mutants change these. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  return { ...resolved, url: resolved.url.replace("/dist/bundled/", "/dist/") };
};

/** Loads modules, and applies the mutant's changes to those that have its functions. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const own = changes.filter((one) => one.url === url).map(({ change }) => change);
  if (own.length === 0) return loaded;
  return { ...loaded, source: mutate(new TextDecoder().decode(loaded.source as Uint8Array), own) };
};
