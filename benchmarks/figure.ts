/** Measures its figures one after the other. */
export type Suite = () => Iterable<Figure> | AsyncIterable<Figure>;

/** A result of a suite: a line of its output, a row of the report's table, and perhaps bars of a plot. */
export interface Figure {
  /** `suite/figure`. */
  readonly name: string;
  readonly value: number;
  /** The value as text for people. */
  readonly shown: string;
  /** The text after the value: `bytes a chunk`, `of bare zlib.crc32`. */
  readonly unit: string;
  readonly budget?: number;
  /** On which side of the budget the value must be. */
  readonly budgetIs?: "at most" | "at least" | "below";
  readonly missed: boolean;
  readonly remark: string;
  /** The value is our speed as a share of what the machine can do without us; it must not fall. */
  readonly isOfLimit: boolean;
  readonly plot?: Plot;
}

/** A figure's part of a plot; figures whose plots have the same title share it, each with a group of bars. */
export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly better: "less" | "more";
  readonly group: string;
  readonly bars: readonly Bar[];
}

/** One contender in the same run. */
export interface Bar {
  readonly label: string;
  readonly role: "ours" | "peer" | "limit";
  readonly value: number;
}

/** Returns the line that a suite prints for a figure. */
export function lineOf(figure: Figure): string {
  const { name, shown, unit, budget, remark, missed } = figure;
  const asked = budget === undefined ? "" : ` (budget: ${budgetOf(figure)})`;
  return `${name}: ${shown} ${unit}${asked}${remark === "" ? "" : `; ${remark}`}${missed ? " MISSED" : ""}`;
}

/** Formats a figure's budget: `at least 0.5`; empty without one. */
export function budgetOf({ budget, budgetIs }: Figure): string {
  return [budgetIs ?? "", budget ?? ""].join(" ").trim();
}

/** Returns a figure that must not exceed a budget, in a unit independent of the machine's other load. */
export function atMost(
  name: string,
  value: number,
  unit: string,
  budget: number,
  remark: string,
  plot?: Plot,
): Figure {
  return {
    ...told(name, value, unit, remark, plot),
    budget,
    budgetIs: "at most",
    missed: !(value <= budget),
  };
}

/** Returns a figure that must not fall below a budget. */
export function atLeast(figure: Figure, budget: number | undefined): Figure {
  if (budget === undefined) return figure;
  return { ...figure, budget, budgetIs: "at least", missed: !(figure.value >= budget) };
}

/** Returns a figure without a budget. */
export function told(name: string, value: number, unit: string, remark: string, plot?: Plot): Figure {
  const figure = { name, value, shown: readable(value), unit, missed: false, remark, isOfLimit: false };
  return plot === undefined ? figure : { ...figure, plot };
}

/** Returns our speed as a share of the bare limit, which is what the machine can do at best. */
export function ofLimit(
  name: string,
  ratio: number,
  limit: string,
  budget: number | undefined,
  remark: string,
  plot?: Plot,
): Figure {
  const figure = told(name, ratio, `of ${limit}`, remark, plot);
  return atLeast({ ...figure, shown: ratio.toFixed(2), isOfLimit: true }, budget);
}

/** The cost of ours and of the others for the same work; less is better. */
export interface Contest {
  readonly name: string;
  readonly title: string;
  /** Unit of all costs: `ms`, `MB`. */
  readonly unit: string;
  readonly group: string;
  readonly ours: number;
  readonly others: ReadonlyMap<string, number>;
  /** The unbeatable limit, if it was measured too. */
  readonly limit?: readonly [label: string, value: number];
  readonly budget?: number;
  readonly remark: string;
}

/** Returns our cost as a share of the best of the others. */
export function besideOthers(contest: Contest): Figure {
  const { name, title, unit, group, ours, others, limit, budget, remark } = contest;
  const [best, least] = [...others].reduce((a, b) => (b[1] < a[1] ? b : a));
  const all = [...others].map(([label, value]) => `${label} ${readable(value)}`).join(", ");
  const bars: readonly Bar[] = [
    { label: "Orthant", role: "ours", value: ours },
    ...Array.from(others, ([label, value]): Bar => ({ label, role: "peer", value })),
    ...(limit === undefined ? [] : [{ label: limit[0], role: "limit", value: limit[1] } as const]),
  ];
  const share = ours / least;
  const figure = told(
    name,
    share,
    `of what ${best} takes, the best of the others`,
    `${readable(ours)} ${unit}, ${all}; ${remark}`,
    { title, unit, better: "less", group, bars },
  );
  const shown = { ...figure, shown: share.toFixed(2) };
  return budget === undefined ? shown : { ...shown, budget, budgetIs: "below", missed: !(share < budget) };
}

/** Formats three digits, or all digits before the point. */
export function readable(value: number): string {
  return Math.abs(value) >= 1_000 ? value.toFixed(0) : value.toPrecision(3);
}

/** Wall time and processor time of one call. */
export interface CallTime {
  readonly wallNs: number;
  readonly cpuNs: number;
}

let kept = 0;

/** Times some calls together, and keeps their results, so that no call can be optimised away. */
export function time(work: () => number, calls: number): CallTime {
  const cpuBefore = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) kept = (kept + work()) % 1_000_003;
  const wallNs = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallNs: wallNs / calls, cpuNs: ((user + system) * 1_000) / calls };
}

/** Times one call that waits for the disk. */
export async function timeAsync(work: () => Promise<unknown>): Promise<CallTime> {
  const cpuBefore = process.cpuUsage();
  const start = process.hrtime.bigint();
  await work();
  const wallNs = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallNs, cpuNs: (user + system) * 1_000 };
}

/** Returns the median of some values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the first value beyond this share of all values in ascending order. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
