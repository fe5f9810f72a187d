import { budgetOf, type Figure, readable } from "../figure.ts";
import { GUARD_RECORD, machinesOf, type RunRecord } from "./record.ts";

/** The share left of a ratio that has fallen by a third. */
const LEAST_SHARE = 2 / 3;
/** On another machine than the recorded one: processor and disk don't get slower by the same factor. */
const LEAST_SHARE_ELSEWHERE = 1 / 2;
/** How far a figure may miss its budget, or what was recorded if that missed it, too: figures with budgets hardly vary. */
const BUDGET_SLACK = 1.15;
const BUDGET_SLACK_ELSEWHERE = 1.4;
/** A machine has bad moments: a ratio counts as fallen only when it is low in each of this many tries. */
const TRIES = 3;

/** Dependencies of the guard. */
export interface GuardHooks {
  /** Measures a suite's ratios to the bare limit, and its figures with budgets. */
  measure(suite: string): Promise<readonly Figure[]>;
  print(line: string): void;
}

/** The best value of a figure in all tries. */
interface Guarded {
  readonly figure: Figure;
  /** The value that it must reach; `undefined` for a ratio that is not on record. */
  readonly limit: number | undefined;
  readonly recorded: number | undefined;
}

/**
 * Compares figures with the record and with their budgets. Names the ratios to the bare limit that fell by more than a third,
 * or on another machine than the recorded one by more than half, and other figures that miss their budgets clearly. A figure
 * that was recorded beyond its budget may stay there.
 */
export async function guard(
  suites: readonly string[],
  record: RunRecord,
  machine: string,
  { measure, print }: GuardHooks,
): Promise<readonly string[]> {
  const isRecorded = machinesOf(record).includes(machine);
  if (!isRecorded)
    print(`guard: recorded on another machine (${machinesOf(record).join("; ")}); ratios still compare`);
  const fallen: string[] = [];
  let compared = 0;
  for (const suite of suites) {
    const known = recordedFigures(record, suite);
    const found = new Map<string, Guarded>();
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      for (const figure of await measure(suite)) {
        if (!isGuarded(figure)) continue;
        const before = found.get(figure.name);
        const recorded = known.get(figure.name);
        if (before === undefined || isBetter(figure, before.figure))
          found.set(figure.name, { figure, recorded, limit: limitOf(figure, recorded, isRecorded) });
      }
      const low = [...found.values()].filter(hasFallen).map(({ figure }) => figure.name);
      if (low.length === 0) break;
      print(`guard: ${low.join(", ")} beyond the limit in try ${attempt} of ${TRIES}`);
    }
    for (const guarded of found.values()) {
      if (guarded.limit !== undefined) compared++;
      if (hasFallen(guarded)) fallen.push(guarded.figure.name);
      print(result(guarded));
    }
  }
  print(
    `guard: ${compared} figures compared, ${fallen.length} fell by more than ${isRecorded ? "a third" : "half"} or missed a budget`,
  );
  return fallen;
}

function isGuarded({ isOfLimit, budget }: Figure): boolean {
  return isOfLimit || budget !== undefined;
}

function isMore({ isOfLimit, budgetIs }: Figure): boolean {
  return isOfLimit || budgetIs === "at least";
}

function isBetter(figure: Figure, before: Figure): boolean {
  return isMore(figure) ? figure.value > before.value : figure.value < before.value;
}

/** Returns the value that a figure must reach, or must not exceed. */
function limitOf(figure: Figure, recorded: number | undefined, isRecorded: boolean): number | undefined {
  const { isOfLimit, budget } = figure;
  if (isOfLimit)
    return recorded === undefined ? undefined : recorded * (isRecorded ? LEAST_SHARE : LEAST_SHARE_ELSEWHERE);
  const asked = budget as number;
  const slack = isRecorded ? BUDGET_SLACK : BUDGET_SLACK_ELSEWHERE;
  if (isMore(figure)) return Math.min(asked, recorded ?? asked) / slack;
  return Math.max(asked, recorded ?? asked) * slack;
}

function hasFallen({ figure, limit }: Guarded): boolean {
  if (limit === undefined) return false;
  return isMore(figure) ? !(figure.value >= limit) : !(figure.value <= limit);
}

/** Returns those of some measured ratios that no report has, the highest of each. */
export function unreported(measured: readonly Figure[], record: RunRecord): readonly Figure[] {
  const highest = new Map<string, Figure>();
  for (const figure of measured) {
    const { name, value, isOfLimit } = figure;
    const [suite = ""] = name.split("/");
    const isReported = record[suite]?.figures.some((known) => known.name === name) === true;
    if (isOfLimit && !isReported && value > (highest.get(name)?.value ?? 0)) highest.set(name, figure);
  }
  return [...highest.values()];
}

function recordedFigures(record: RunRecord, suite: string): ReadonlyMap<string, number> {
  const own = (record[GUARD_RECORD]?.figures ?? []).filter(({ name }) => name.startsWith(`${suite}/`));
  // What a report has measured wins.
  const figures = [...own, ...(record[suite]?.figures ?? [])];
  return new Map(figures.map(({ name, value }) => [name, value]));
}

function result(guarded: Guarded): string {
  const { figure, recorded } = guarded;
  const { name, value, shown, unit, isOfLimit } = figure;
  const end = hasFallen(guarded) ? " FELL" : "";
  const before = isOfLimit ? recorded?.toFixed(2) : recorded && readable(recorded);
  const beside = before === undefined ? "not on record yet" : `recorded ${before}`;
  if (isOfLimit) return `guard: ${name} ${value.toFixed(2)} of the bare limit, ${beside}${end}`;
  return `guard: ${name} ${shown} ${unit}, budget ${budgetOf(figure)}, ${beside}${end}`;
}
