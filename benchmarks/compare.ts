import { type Figure, median, ofLimit, time, timeAsync } from "./figure.ts";
import { sized } from "./size.ts";

/** A figure of a suite: our speed next to the bare limit for the same work. */
export interface Comparison {
  /** `suite/figure`. */
  readonly name: string;
  /** The baseline. */
  readonly baseline: string;
  /** The least acceptable ratio of speeds; `undefined` for a figure without a budget. */
  readonly budget: number | undefined;
  /** What one call handles, for the rate: `[4096, "values"]`. */
  readonly work: readonly [amount: number, unit: string];
  /** Does the work once; the returned number keeps the result alive. */
  ours(): number;
  bare(): number;
}

const ROUNDS = sized(15, 2);
const ROUND_MS = sized(20, 1);

/**
 * Measures both sides alternately, round after round, so that a noisy machine disturbs both alike. The ratio
 * is the median over the rounds, of wall time; CPU time is reported next to it.
 */
export function compare(comparison: Comparison): Figure {
  const { name, baseline, budget, work, ours, bare } = comparison;
  const calls = { ours: calibrate(ours), bare: calibrate(bare) };
  const ratios: number[] = [];
  const oursNs: number[] = [];
  const oursCpuNs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bareTime = time(bare, calls.bare);
    const oursTime = time(ours, calls.ours);
    ratios.push(bareTime.wallNs / oursTime.wallNs);
    oursNs.push(oursTime.wallNs);
    oursCpuNs.push(oursTime.cpuNs);
  }
  const ratio = median(ratios);
  const [amount, unit] = work;
  const rate = `${formatRate((amount * 1e9) / median(oursNs))} ${unit}/s`;
  const spread = `slowest round ${Math.min(...ratios).toFixed(2)}`;
  const cpu = `cpu ${(median(oursCpuNs) / median(oursNs)).toFixed(2)} of wall`;
  return ofLimit(name, ratio, baseline, budget, `${rate}, ${spread}, ${cpu}`);
}

/** Number of measured rounds, and of warm-up rounds before them. */
export interface Rounds {
  readonly warmUp: number;
  readonly measured: number;
}

/** The fewest rounds that measure anything. */
export const ONE_ROUND: Rounds = { warmUp: 0, measured: 1 };

type Work = (round: number) => Promise<unknown>;

/** Runs ours and each of the others alternately, round after round. Returns medians in milliseconds. */
export async function inTurn(
  ours: Work,
  others: ReadonlyMap<string, Work>,
  rounds: Rounds,
): Promise<{ readonly ours: number; readonly others: ReadonlyMap<string, number> }> {
  const contenders = [ours, ...others.values()];
  const taken = contenders.map((): number[] => []);
  for (let round = -rounds.warmUp; round < rounds.measured; round++) {
    for (const [index, work] of contenders.entries()) {
      const { wallNs } = await timeAsync(() => work(round));
      if (round >= 0) taken[index]?.push(wallNs / 1e6);
    }
  }
  const [mine = Number.NaN, ...theirs] = taken.map(median);
  const names = [...others.keys()];
  return { ours: mine, others: new Map(theirs.map((ms, index) => [names[index] ?? "", ms])) };
}

/** Warms up, and finds how many calls fill a round. */
function calibrate(work: () => number): number {
  for (let calls = 1; ; calls *= 2) {
    if (time(work, calls).wallNs * calls > ROUND_MS * 1e6) return calls;
  }
}

function formatRate(perSecond: number): string {
  const [scale, prefix] = perSecond >= 1e9 ? [1e9, "G"] : perSecond >= 1e6 ? [1e6, "M"] : [1e3, "k"];
  return `${(perSecond / scale).toFixed(2)}${prefix}`;
}
