import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import type { Campaign } from "./campaign.ts";
import type { CampaignRecords } from "./totals/records.ts";
import type { TableRow } from "./totals/table.ts";

const MS_PER_MINUTE = 60_000;
/** Least time past the end of the whole run after which a campaign that still runs is stopped. */
const GRACE_MS = 60_000;
const GRACE_SHARE = 0.08;
/** Time past its own end after which a campaign counts as hung, which is a failure. */
const HANG_MS = 5 * MS_PER_MINUTE;
/** A campaign whose least time exceeds its share by more than this factor is left out to spare the others. */
const OVERRUN_MAX = 3;
const LANES_MAX = 8;
const OUTPUT_LINES_MAX = 60;

/** Options of a run of all campaigns. */
interface AllOptions {
  readonly minutes: number;
  readonly records: CampaignRecords;
  /** Path of the program that runs one campaign, given its name. */
  readonly program: string;
}

/**
 * Runs every campaign in a separate process, from where its last run stopped. Campaigns farthest from their
 * goals get the most time; campaigns that need the whole machine run first.
 */
export function runAllCampaigns(
  campaigns: readonly Campaign[],
  options: AllOptions,
): Promise<readonly TableRow[]> {
  return new AllRun(options).rows(campaigns);
}

/** Returns the totals of all runs so far, without running anything. */
export function totalsOf(
  campaigns: readonly Campaign[],
  records: CampaignRecords,
): Promise<readonly TableRow[]> {
  return Promise.all(
    campaigns.map(async (campaign) => {
      const record = await records.read(campaign.name);
      return { campaign, before: record, after: record, failures: 0 };
    }),
  );
}

/** A campaign that has not run yet. */
interface Waiting {
  readonly campaign: Campaign;
  /** Share of its goal that is left; a larger share gets more time. */
  readonly weight: number;
}

class AllRun {
  readonly #options: AllOptions;
  readonly #endsAtMs: number;
  readonly #stopsAtMs: number;
  readonly #rows = new Map<string, TableRow>();
  /** When each lane is expected to be free again. */
  readonly #busyUntilMs: number[];

  constructor(options: AllOptions) {
    const totalMs = options.minutes * MS_PER_MINUTE;
    this.#options = options;
    this.#endsAtMs = performance.now() + totalMs;
    this.#stopsAtMs = this.#endsAtMs + Math.max(GRACE_MS, totalMs * GRACE_SHARE);
    this.#busyUntilMs = new Array<number>(Math.min(availableParallelism(), LANES_MAX)).fill(0);
  }

  async rows(campaigns: readonly Campaign[]): Promise<readonly TableRow[]> {
    const waiting: Waiting[] = [];
    for (const campaign of campaigns) {
      const before = await this.#options.records.read(campaign.name);
      const leftOut = await campaign.missing?.();
      if (leftOut !== undefined)
        this.#rows.set(campaign.name, { campaign, before, after: before, failures: 0, leftOut });
      else waiting.push({ campaign, weight: 1 - before.cases / campaign.goal });
    }
    waiting.sort((a, b) => b.weight - a.weight);
    await this.#runAlone(waiting);
    await this.#runBeside(waiting);
    return campaigns.flatMap(({ name }) => this.#rows.get(name) ?? []);
  }

  /** Runs the exclusive campaigns one after the other, and removes them from `waiting`. */
  async #runAlone(waiting: Waiting[]): Promise<void> {
    for (const next of waiting.filter(({ campaign }) => campaign.runsAlone)) {
      const lanes = this.#busyUntilMs.length;
      const weights = waiting.map(({ campaign, weight }) => ({
        weight,
        lanes: campaign.runsAlone ? lanes : 1,
      }));
      waiting.splice(waiting.indexOf(next), 1);
      await this.#runOne(next.campaign, this.#share({ weight: next.weight, lanes }, weights));
    }
  }

  /** Runs the other campaigns, one at a time in each lane. */
  async #runBeside(waiting: Waiting[]): Promise<void> {
    const work = async (lane: number): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const wanted = { weight: next.weight, lanes: 1 };
        const others = waiting.map(({ weight }) => ({ weight, lanes: 1 }));
        const shareMs = this.#share(wanted, [wanted, ...others]);
        this.#busyUntilMs[lane] = performance.now() + shareMs;
        await this.#runOne(next.campaign, shareMs);
        this.#busyUntilMs[lane] = 0;
      }
    };
    await Promise.all(this.#busyUntilMs.map((_, lane) => work(lane)));
  }

  #share(
    wanted: { weight: number; lanes: number },
    all: readonly { weight: number; lanes: number }[],
  ): number {
    const nowMs = performance.now();
    const freeMs = this.#busyUntilMs.map((untilMs) => Math.max(0, this.#endsAtMs - Math.max(nowMs, untilMs)));
    return Math.min(Math.max(0, this.#endsAtMs - nowMs), shareOf(wanted, all, freeMs));
  }

  async #runOne(campaign: Campaign, shareMs: number): Promise<void> {
    const { records, program } = this.#options;
    const { name, leastMinutes = 0 } = campaign;
    const before = await records.read(name);
    const row = { campaign, before, after: before, failures: 0 };
    const leftOut = this.#whyNotNow(shareMs, leastMinutes);
    if (leftOut !== undefined) return void this.#rows.set(name, { ...row, leftOut });
    console.log(`${name}: ${(shareMs / MS_PER_MINUTE).toFixed(1)} minutes, from ${before.cases} cases on`);
    const args = [program, name, "--continue", "--minutes", String(shareMs / MS_PER_MINUTE)];
    const hangsAtMs = performance.now() + shareMs + HANG_MS;
    const ended = await runProgram(args, records.logOf(name), Math.min(hangsAtMs, this.#stopsAtMs));
    if (ended === "stopped" && hangsAtMs > this.#stopsAtMs) {
      this.#rows.set(name, { ...row, leftOut: "stopped, because the time of all was up" });
      return;
    }
    const after = await records.read(name);
    const found = after.failures - before.failures;
    if (ended !== undefined) console.log(`${name}: ${ended}\n${await lastLines(records.logOf(name))}`);
    this.#rows.set(name, { ...row, after, failures: ended !== undefined && found === 0 ? 1 : found });
  }

  #whyNotNow(shareMs: number, leastMinutes: number): string | undefined {
    if (performance.now() >= this.#endsAtMs) return "no time was left";
    if (leastMinutes * MS_PER_MINUTE <= shareMs * OVERRUN_MAX) return undefined;
    return `needs ${leastMinutes} minutes for itself`;
  }
}

/** Runs a program and kills it at `stopsAtMs`. Returns why it failed, or `undefined` on success. */
function runProgram(args: readonly string[], log: string, stopsAtMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    // A separate process group, so that the kill also ends the processes that the program started.
    const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const output = createWriteStream(log);
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    let isLate = false;
    const stop = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, stopsAtMs - performance.now());
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(stop);
      const why = isLate ? "stopped" : `ended with ${signal ?? `exit code ${code}`}`;
      output.end(() => resolve(code === 0 ? undefined : why));
    });
  });
}

async function lastLines(path: string): Promise<string> {
  return (await readFile(path, "utf8")).trimEnd().split("\n").slice(-OUTPUT_LINES_MAX).join("\n");
}

/** A campaign's claim to time: the share of its goal that is left, and the lanes it keeps busy. */
interface TimeWish {
  readonly weight: number;
  readonly lanes: number;
}

/** Least weight, so that a campaign that has reached its goal still runs, on other seeds. */
const WEIGHT_MIN = 0.05;

/**
 * Returns the milliseconds for one campaign: its share, by weight, of the remaining free time of all lanes.
 * `all` holds the campaigns that have not run yet, including this one.
 */
export function shareOf(wish: TimeWish, all: readonly TimeWish[], freeMs: readonly number[]): number {
  const weightOf = ({ weight, lanes }: TimeWish): number => Math.max(WEIGHT_MIN, weight) * lanes;
  const total = all.reduce((sum, other) => sum + weightOf(other), 0);
  const free = freeMs.reduce((sum, ms) => sum + ms, 0);
  return (free * weightOf(wish)) / total / wish.lanes;
}
