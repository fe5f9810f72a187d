import type { Campaign } from "./campaign.ts";
import { powerCutCampaign } from "./proof/power-cuts.ts";
import {
  COMPACTION_MUTANTS,
  isCaught,
  proveCompaction,
  singleCompactionMutants,
} from "./save/prove-compaction.ts";

/** Commits per round. Each round begins this many commits later in the history of a save. */
const COMMITS = 5;
const COMMITS_BEFORE_MAX = 25;

/** Power cuts during commits, compactions (also ones that lack a step) and the collection of generations. */
export const compactionCampaign: Campaign = powerCutCampaign({
  name: "compaction",
  summary: "power cuts at every operation of a history with compactions, and of ones that lack one sync",
  disks: 250_000,
  mutants: async () => [...COMPACTION_MUTANTS, ...(await singleCompactionMutants())],
  isCaught,
  disksPerCut: 5,
  prove: (options, round) =>
    proveCompaction({ before: (round * COMMITS) % COMMITS_BEFORE_MAX, commits: COMMITS }, options),
});
