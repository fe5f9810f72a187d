import { fileURLToPath } from "node:url";
import type { Campaign } from "./campaign.ts";
import { SIM_MUTANTS } from "./sim/sim-mutants.ts";
import { simulationCampaign } from "./sim/simulation-campaign.ts";

/** Simulates a server and its clients on a lossy network. */
export const simCampaign: Campaign = simulationCampaign({
  name: "sim",
  summary: "a server that restarts and crashes, and up to 20 clients, over a network that loses and cuts",
  program: fileURLToPath(new URL("./sim/sim-process.js", import.meta.url)),
  cases: 2_000,
  steps: 1_000,
  mutants: SIM_MUTANTS,
  mutantCasesMax: 150,
});
