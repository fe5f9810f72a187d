import { obtainNatsServer } from "@orthant/testkit/nats";
import type { Campaign } from "./campaign.ts";
import { ClusterTrial } from "./cluster/cluster-trial.ts";
import { StagedCluster } from "./cluster/staged-cluster.ts";

const SIZES = { owners: 5, gateways: 4, shards: 10, walkers: 1_000 };
/** Approximate number in fifty rounds. */
const EDITS = 500_000;

/** A real cluster in which parts fail, one at a time and two at once. */
export const clusterCampaign: Campaign = {
  name: "cluster",
  summary: "200 clients of a cluster whose owners, gateways and NATS servers fail, alone and in pairs",
  goal: EDITS,
  unit: "edits",
  runsAlone: true,
  leastMinutes: 2,
  missing: natsServerMissing,
  async run(options) {
    const staged = await StagedCluster.start(SIZES);
    const trial = new ClusterTrial(staged, options);
    try {
      return await trial.run();
    } finally {
      await trial.close();
      await staged.dispose();
    }
  },
};

async function natsServerMissing(): Promise<string | undefined> {
  try {
    obtainNatsServer();
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "no NATS server") : String(error);
  }
}
