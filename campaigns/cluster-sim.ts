import { fileURLToPath } from "node:url";
import type { Campaign } from "./campaign.ts";
import { CLUSTER_MUTANTS } from "./cluster-sim/cluster-mutants.ts";
import { simulationCampaign } from "./sim/simulation-campaign.ts";

/** A cluster on a backbone in memory. */
export const clusterSimCampaign: Campaign = simulationCampaign({
  name: "cluster-sim",
  summary:
    "three owners, two gateways and their clients, with crashes, zombies, partitions and lost journals",
  program: fileURLToPath(new URL("./cluster-sim/cluster-process.js", import.meta.url)),
  cases: 20_000,
  steps: 100,
  mutants: CLUSTER_MUTANTS,
  mutantCasesMax: 1_500,
});
