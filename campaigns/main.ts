import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { EXIT_MISSING, runFor, startSmallest } from "@orthant/testkit";
import { abuseCampaign } from "./abuse.ts";
import { runAllCampaigns, totalsOf } from "./all.ts";
import { backupCampaign } from "./backup.ts";
import type { Campaign, CampaignOptions, CampaignResult } from "./campaign.ts";
import { clusterCampaign } from "./cluster.ts";
import { clusterSimCampaign } from "./cluster-sim.ts";
import { commandsCampaign } from "./commands.ts";
import { compactionCampaign } from "./compaction.ts";
import { crashCampaign } from "./crash.ts";
import { foreignFuzzCampaign } from "./foreign-fuzz.ts";
import { fuzzCampaign } from "./fuzz.ts";
import { historyCampaign } from "./history.ts";
import { importFuzzCampaign } from "./import-fuzz.ts";
import { journalCampaign } from "./journal.ts";
import { killCampaign } from "./kill.ts";
import { lightCampaign } from "./light.ts";
import { marsMinerCrashCampaign } from "./marsminer-crash.ts";
import { marsMinerFuzzCampaign } from "./marsminer-fuzz.ts";
import { meshesCampaign } from "./meshes.ts";
import { modelCampaign } from "./model.ts";
import { operationsCampaign } from "./operations.ts";
import { powerCampaign } from "./power.ts";
import { pxswCrashCampaign } from "./pxsw-crash.ts";
import { pxswFuzzCampaign } from "./pxsw-fuzz.ts";
import { rotCampaign } from "./rot.ts";
import { rubbishCampaign } from "./rubbish.ts";
import { saveCrashCampaign } from "./save-crash.ts";
import { saveRepairCampaign } from "./save-repair.ts";
import { simCampaign } from "./sim.ts";
import { socketsCampaign } from "./sockets.ts";
import { stepsCampaign } from "./steps.ts";
import { swapCampaign } from "./swap.ts";
import { type CampaignRecord, CampaignRecords } from "./totals/records.ts";
import { formatRunTable, type TableRow, writeTotals } from "./totals/table.ts";
import { tradesCampaign } from "./trades.ts";
import { wire1Campaign } from "./wire1.ts";
import { wire1CrowdCampaign } from "./wire1-crowd.ts";

// npm run campaign -- NAME [--seed S] [--minutes M] [--continue]
// npm run campaign -- NAME --smallest
// npm run campaign -- all --minutes M [--write-table]
// npm run campaign -- all --smallest [--without A,B]
// npm run campaign -- totals [--write-table]
const CAMPAIGNS: readonly Campaign[] = [
  crashCampaign,
  fuzzCampaign,
  modelCampaign,
  lightCampaign,
  meshesCampaign,
  saveCrashCampaign,
  rotCampaign,
  swapCampaign,
  saveRepairCampaign,
  killCampaign,
  powerCampaign,
  stepsCampaign,
  simCampaign,
  clusterSimCampaign,
  socketsCampaign,
  abuseCampaign,
  backupCampaign,
  clusterCampaign,
  commandsCampaign,
  rubbishCampaign,
  journalCampaign,
  tradesCampaign,
  operationsCampaign,
  compactionCampaign,
  historyCampaign,
  marsMinerCrashCampaign,
  marsMinerFuzzCampaign,
  pxswCrashCampaign,
  pxswFuzzCampaign,
  foreignFuzzCampaign,
  importFuzzCampaign,
  wire1Campaign,
  wire1CrowdCampaign,
];
const PROGRESS_INTERVAL_MS = 500;
const MS_PER_MINUTE = 60_000;

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      minutes: { type: "string" },
      continue: { type: "boolean", default: false },
      "write-table": { type: "boolean", default: false },
      smallest: { type: "boolean", default: false },
      without: { type: "string" },
    },
  });
  const [name] = positionals;
  const seed = Number(values.seed ?? 1);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const { continue: continues, "write-table": writeTable } = values;
  const { smallest: isSmallest, without } = values;
  if (isSmallest && name === "all") return startAll(without === undefined ? [] : without.split(","));
  if (without !== undefined || (isSmallest && (continues || minutes !== undefined))) return printUsage();
  if (positionals.length !== 1 || !isUsable(seed) || !isUsable(minutes ?? 0)) return printUsage();
  if (name === "all" || name === "totals") {
    const isAll = name === "all";
    if (continues || values.seed !== undefined || (minutes === undefined) === isAll) return printUsage();
    const records = await CampaignRecords.ofCodeIn(process.cwd());
    const rows = isAll
      ? await runAllCampaigns(CAMPAIGNS, {
          minutes: minutes ?? 0,
          records,
          program: fileURLToPath(import.meta.url),
        })
      : await totalsOf(CAMPAIGNS, records);
    if (writeTable) await writeTotals(rows, new Date());
    return printRows(rows);
  }
  const campaign = CAMPAIGNS.find((known) => known.name === name);
  // A continued run keeps the seed of the runs before it.
  if (campaign === undefined || writeTable || (continues && values.seed !== undefined)) return printUsage();
  const leftOut = isSmallest ? await campaign.missing?.() : undefined;
  if (leftOut !== undefined) {
    console.log(leftOut);
    return EXIT_MISSING;
  }
  const endsAtMs = isSmallest
    ? performance.now()
    : minutes === undefined
      ? undefined
      : performance.now() + minutes * MS_PER_MINUTE;
  const { failures } = continues
    ? await continueCampaign(campaign, endsAtMs)
    : await runCampaign(campaign, {
        seed,
        endsAtMs,
        casesMax: endsAtMs === undefined ? campaign.goal : Infinity,
        from: 0,
        seen: new Set(),
        isSmallest,
      });
  return failures.length === 0 ? 0 : 1;
}

/** Starts every campaign but some at its smallest size. */
async function startAll(without: readonly string[]): Promise<number> {
  const unknown = without.filter((name) => CAMPAIGNS.every((campaign) => campaign.name !== name));
  if (unknown.length > 0) {
    console.error(`there is no campaign ${unknown.join(", ")}`);
    return 2;
  }
  return startSmallest({
    what: "campaigns",
    names: CAMPAIGNS.map(({ name }) => name).filter((name) => !without.includes(name)),
    run: (name, msMax) => runFor(msMax, [fileURLToPath(import.meta.url), name, "--smallest"]),
    workOf: (name, output) => new RegExp(`^${name}: ([1-9]\\d* cases), 0 failures$`, "m").exec(output)?.[1],
    print: (line) => console.log(line),
  });
}

function printRows(rows: readonly TableRow[]): number {
  const cases = rows.reduce((sum, { before, after }) => sum + after.cases - before.cases, 0);
  const failures = rows.reduce((sum, row) => sum + row.failures, 0);
  console.log(formatRunTable(rows));
  console.log(`all: ${cases} cases, ${failures} failures`);
  return failures === 0 ? 0 : 1;
}

async function runCampaign(
  campaign: Campaign,
  options: Omit<CampaignOptions, "progress">,
): Promise<CampaignResult> {
  const { name, resumes } = campaign;
  const { from } = options;
  // A campaign that cannot resume within a seed takes the next seed.
  const seed = resumes === true ? options.seed : options.seed + from;
  console.log(`${name}: seed ${seed}, ${from === 0 ? "" : `from ${from} on, `}Node ${process.version}`);
  const result = await campaign.run({ ...options, seed, progress: progressLine(name) });
  const failures = [...result.failures];
  // A run that tried nothing shows nothing.
  if (result.cases === 0 && failures.length === 0 && options.casesMax > 0) failures.push("no case was tried");
  for (const failure of failures) console.log(failure);
  console.log(`${name}: ${result.cases} cases, ${failures.length} failures`);
  return { ...result, failures };
}

/** Continues where the last run stopped, until the time is up or the goal is reached. Updates the totals. */
async function continueCampaign(campaign: Campaign, endsAtMs: number | undefined): Promise<CampaignResult> {
  const { name, goal } = campaign;
  const records = await CampaignRecords.ofCodeIn(process.cwd());
  const before = await records.read(name);
  const seen = await records.readSeen(name);
  const seenBefore = seen.size;
  const left = goal - before.cases;
  const casesMax = left > 0 || endsAtMs === undefined ? left : Infinity;
  const startMs = performance.now();
  const result = await runCampaign(campaign, { seed: 1, endsAtMs, casesMax, from: before.next, seen });
  const after: CampaignRecord = {
    cases: before.cases + result.cases,
    distinct: result.distinct === undefined ? before.distinct : (before.distinct ?? 0) + result.distinct,
    failures: before.failures + result.failures.length,
    tookMs: before.tookMs + performance.now() - startMs,
    next: result.next ?? before.next + 1,
  };
  await records.addSeen(name, [...seen].slice(seenBefore));
  await records.write(name, after);
  console.log(`${name}: ${after.cases} of ${goal} ${campaign.unit} since the code changed`);
  return result;
}

function isUsable(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function printUsage(): number {
  console.error("usage: npm run campaign -- NAME [--seed S | --continue] [--minutes M]");
  console.error("       npm run campaign -- all --minutes M [--write-table]");
  console.error("       npm run campaign -- NAME --smallest");
  console.error("       npm run campaign -- all --smallest [--without A,B]");
  console.error("       npm run campaign -- totals [--write-table]");
  for (const { name, summary } of CAMPAIGNS) console.error(`  ${name.padEnd(16)} ${summary}`);
  return 2;
}

/** Returns a function that overwrites one progress line on a terminal, and prints nothing into a pipe. */
function progressLine(name: string): (cases: number) => void {
  let shownMs = 0;
  return (cases) => {
    if (!process.stderr.isTTY || performance.now() - shownMs < PROGRESS_INTERVAL_MS) return;
    shownMs = performance.now();
    process.stderr.write(`\r${name}: ${cases} cases `);
  };
}
