import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { EXIT_MISSING } from "@orthant/testkit";
import { startAllSuites } from "./all.ts";
import { type Figure, lineOf, type Suite } from "./figure.ts";
import { machineLine, thisMachine, today } from "./machine.ts";
import { MissingError } from "./missing.ts";
import { guard, unreported } from "./report/guard.ts";
import { addToHistory, readHistory } from "./report/history.ts";
import { GUARD_RECORD, readRecord, runSuite, writeRecord } from "./report/record.ts";
import { report, writePage } from "./report/report.ts";
import { IS_SMALLEST } from "./size.ts";

const USAGE = `usage: npm run bench -- SUITE [--limits]          a line a figure; fails when a budget is missed
       npm run bench -- SUITE --smallest          the same at the smallest size that works; no budget is judged
       npm run bench -- all --smallest            starts every suite so; fails when one does not measure anything and end
       npm run bench -- report [--suites A,B]     runs suites, the usual ones or these or none, and writes docs/benchmarks.md
       npm run bench -- guard [--suites A,B]      fails when a ratio to the bare limit fell by more than a third,
                                                or half on another machine than the recorded one, and when
                                                a short suite clearly misses a budget
       npm run bench -- guard --record            also records the ratios that no report has yet
       npm run bench -- history [--campaigns F]   adds these ratios, and what campaigns printed into F, to the history`;

/** Loads a suite alone: what others load would take memory and the collector's time while it measures. */
type LoadSuite = () => Promise<Suite>;

const SUITES: Readonly<Record<string, LoadSuite>> = {
  blocks: async () => (await import("./blocks.ts")).blocksSuite,
  bytes: async () => (await import("./bytes.ts")).bytesSuite,
  tree: async () => (await import("./tree.ts")).treeSuite,
  calls: async () => (await import("./calls.ts")).callsSuite,
  save: async () => (await import("./save.ts")).saveSuite,
  rest: async () => (await import("./rest.ts")).restSuite,
  differences: async () => (await import("./differences.ts")).differencesSuite,
  journal: async () => (await import("./journal.ts")).journalSuite,
  operations: async () => (await import("./operations.ts")).operationsSuite,
  wire: async () => (await import("./wire.ts")).wireSuite,
  server: async () => (await import("./server.ts")).serverSuite,
  rooms: async () => (await import("./rooms.ts")).roomsSuite,
  cli: async () => (await import("./cli.ts")).cliSuite,
  cluster: async () => (await import("./cluster.ts")).clusterSuite,
  scale: async () => (await import("./scale.ts")).scaleSuite,
  simulation: async () => (await import("./simulation.ts")).simulationSuite,
  stall: async () => (await import("./stall.ts")).stallSuite,
  start: async () => (await import("./start.ts")).startSuite,
  generation: async () => (await import("./generation.ts")).generationSuite,
  idle: async () => (await import("./idle.ts")).idleSuite,
  import: async () => (await import("./import.ts")).importSuite,
  look: async () => (await import("./look.ts")).lookSuite,
  luanti: async () => (await import("./luanti.ts")).luantiSuite,
  viewer: async () => (await import("./viewer.ts")).viewerSuite,
  pxsw: async () => (await import("./pxsw.ts")).pxswSuite,
};

/** The suites for `--limits`: ratios to the bare limit that take only seconds, for the guard. */
const LIMITS: Readonly<Record<string, LoadSuite>> = {
  bytes: async () => (await import("./bytes.ts")).bytesSuite,
  tree: async () => (await import("./tree.ts")).treeLimits,
  journal: async () => (await import("./journal.ts")).journalLimits,
  save: async () => (await import("./save.ts")).saveLimits,
  wire: async () => (await import("./wire.ts")).wireLimits,
  pxsw: async () => (await import("./pxsw.ts")).pxswLimits,
};

/**
 * What the guard runs besides: the suites with budgets for counts, ratios and processor time that take less than a minute.
 * Other suites need programs that CI lacks, or have budgets for times on the clock.
 */
const BUDGETS: Readonly<Record<string, LoadSuite>> = {
  calls: async () => (await import("./calls.ts")).callsSuite,
  look: async () => (await import("./look.ts")).lookSuite,
  simulation: async () => (await import("./simulation.ts")).simulationLimits,
  blocks: async () => (await import("./blocks.ts")).blocksSuite,
};
const GUARDED: Readonly<Record<string, LoadSuite>> = { ...LIMITS, ...BUDGETS };

/** The default suites of a report: all but those that take a quarter of an hour or a browser. */
const REPORTED = ["bytes", "tree", "journal", "save", "wire", "pxsw", "rest", "server", "rooms"];

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      limits: { type: "boolean", default: false },
      smallest: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      suites: { type: "string" },
      campaigns: { type: "string" },
    },
  });
  const [command = ""] = positionals;
  if (command === "report") return reportOn(values.suites);
  if (command === "history") return continueHistory(values.campaigns);
  if (command === "all" && values.smallest)
    return startAllSuites(Object.keys(SUITES), fileURLToPath(import.meta.url));
  if (command === "guard") return guardRatios(values.suites, values.record);
  const suite = (values.limits ? GUARDED : SUITES)[command];
  if (suite === undefined) return refuse(`no suite named ${JSON.stringify(command)}`);
  return print(await suite());
}

async function print(suite: Suite): Promise<number> {
  console.log(`machine: ${machineLine(thisMachine())}`);
  let exitCode = 0;
  try {
    for await (const measured of suite()) {
      const figure = IS_SMALLEST ? { ...measured, missed: false } : measured;
      console.log(lineOf(figure));
      // Sends the figure to a report that runs the suite.
      process.send?.(figure);
      if (figure.missed) exitCode = 1;
    }
  } catch (error) {
    if (!(error instanceof MissingError)) throw error;
    console.log(error.message);
    return EXIT_MISSING;
  }
  return exitCode;
}

async function reportOn(asked: string | undefined): Promise<number> {
  const suites = asked === "none" ? [] : (asked?.split(",") ?? REPORTED);
  const unknown = suites.filter((name) => SUITES[name] === undefined);
  if (unknown.length > 0) return refuse(`no suite named ${unknown.join(", ")}`);
  return (await report(suites)) ? 0 : 1;
}

async function continueHistory(campaignFile: string | undefined): Promise<number> {
  const campaignOutput = campaignFile === undefined ? "" : readFileSync(campaignFile, "utf8");
  const figures: Figure[] = [];
  for (const suite of Object.keys(LIMITS)) figures.push(...(await runSuite(suite, "--limits")));
  addToHistory(figures, campaignOutput);
  console.log(`history: ${readHistory().length} runs, ${writePage()} files written`);
  return 0;
}

async function guardRatios(asked: string | undefined, isRecording: boolean): Promise<number> {
  const suites = asked?.split(",") ?? Object.keys(GUARDED);
  const unknown = suites.filter((name) => GUARDED[name] === undefined);
  if (unknown.length > 0) return refuse(`no figures to guard in ${unknown.join(", ")}`);
  const startMs = performance.now();
  const measured: Figure[] = [];
  const record = readRecord();
  const fallen = await guard(suites, record, machineLine(thisMachine()), {
    measure: async (suite) => {
      const figures = await runSuite(suite, "--limits");
      measured.push(...figures);
      return figures;
    },
    print: (line) => console.log(line),
  });
  if (isRecording) {
    const fresh = unreported(measured, record);
    const kept = (record[GUARD_RECORD]?.figures ?? []).filter((old) =>
      fresh.every(({ name }) => name !== old.name),
    );
    writeRecord({
      ...record,
      [GUARD_RECORD]: {
        date: today(),
        machine: thisMachine(),
        seconds: Math.round((performance.now() - startMs) / 1_000),
        figures: [...kept, ...fresh],
      },
    });
  }
  return fallen.length === 0 ? 0 : 1;
}

function refuse(problem: string): number {
  console.error(`${problem}\n${USAGE}\nsuites: ${Object.keys(SUITES).join(", ")}`);
  return 2;
}
