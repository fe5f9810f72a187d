import { parseArgs } from "node:util";
import { abuseCampaign } from "./abuse.ts";
import { backupCampaign } from "./backup.ts";
import type { Campaign } from "./campaign.ts";
import { clusterCampaign } from "./cluster.ts";
import { clusterSimCampaign } from "./cluster-sim.ts";
import { compactionCampaign } from "./compaction.ts";
import { crashCampaign } from "./crash.ts";
import { fuzzCampaign } from "./fuzz.ts";
import { historyCampaign } from "./history.ts";
import { journalCampaign } from "./journal.ts";
import { killCampaign } from "./kill.ts";
import { marsMinerCrashCampaign } from "./marsminer-crash.ts";
import { marsMinerFuzzCampaign } from "./marsminer-fuzz.ts";
import { modelCampaign } from "./model.ts";
import { powerCampaign } from "./power.ts";
import { pxswCrashCampaign } from "./pxsw-crash.ts";
import { pxswFuzzCampaign } from "./pxsw-fuzz.ts";
import { rotCampaign } from "./rot.ts";
import { saveCrashCampaign } from "./save-crash.ts";
import { saveRepairCampaign } from "./save-repair.ts";
import { simCampaign } from "./sim.ts";
import { socketsCampaign } from "./sockets.ts";
import { wire1Campaign } from "./wire1.ts";
import { wire1CrowdCampaign } from "./wire1-crowd.ts";

// npm run campaign -- NAME [--seed S] [--minutes M]
const CAMPAIGNS: readonly Campaign[] = [
  crashCampaign,
  fuzzCampaign,
  modelCampaign,
  saveCrashCampaign,
  rotCampaign,
  saveRepairCampaign,
  killCampaign,
  powerCampaign,
  simCampaign,
  clusterSimCampaign,
  socketsCampaign,
  abuseCampaign,
  backupCampaign,
  clusterCampaign,
  journalCampaign,
  compactionCampaign,
  historyCampaign,
  marsMinerCrashCampaign,
  marsMinerFuzzCampaign,
  pxswCrashCampaign,
  pxswFuzzCampaign,
  wire1Campaign,
  wire1CrowdCampaign,
];
const PROGRESS_INTERVAL_MS = 500;

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: "string", default: "1" }, minutes: { type: "string" } },
  });
  const campaign = CAMPAIGNS.find(({ name }) => name === positionals[0]);
  const seed = Number(values.seed);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  if (campaign === undefined || positionals.length !== 1 || !isUsable(seed) || !isUsable(minutes ?? 0)) {
    printUsage();
    return 2;
  }
  const endsAtMs = minutes === undefined ? undefined : performance.now() + minutes * 60_000;
  console.log(`${campaign.name}: seed ${seed}, Node ${process.version}`);
  const { cases, failures } = await campaign.run({ seed, endsAtMs, progress: progressLine(campaign.name) });
  for (const failure of failures) console.log(failure);
  console.log(`${campaign.name}: ${cases} cases, ${failures.length} failures`);
  return failures.length === 0 ? 0 : 1;
}

function isUsable(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function printUsage(): void {
  console.error("usage: npm run campaign -- NAME [--seed S] [--minutes M]");
  for (const { name, summary } of CAMPAIGNS) console.error(`  ${name.padEnd(16)} ${summary}`);
}

/** A line that is written over while people watch, and nothing in a pipe. */
function progressLine(name: string): (cases: number) => void {
  let shownMs = 0;
  return (cases) => {
    if (!process.stderr.isTTY || performance.now() - shownMs < PROGRESS_INTERVAL_MS) return;
    shownMs = performance.now();
    process.stderr.write(`\r${name}: ${cases} cases `);
  };
}
