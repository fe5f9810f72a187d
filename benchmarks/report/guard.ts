import type { Figure } from "../figure.ts";
import { GUARD_RECORD, machinesOf, type RunRecord } from "./record.ts";

/** The share left of a ratio that has fallen by a third. */
const LEAST_SHARE = 2 / 3;
/** On another machine than the recorded one: processor and disk don't get slower by the same factor. */
const LEAST_SHARE_ELSEWHERE = 1 / 2;
/** A machine has bad moments: a ratio counts as fallen only when it is low in each of this many tries. */
const TRIES = 3;

/** Dependencies of the guard. */
export interface GuardHooks {
  /** Measures a suite's ratios to the bare limit. */
  measure(suite: string): Promise<readonly Figure[]>;
  print(line: string): void;
}

/**
 * Compares ratios to the bare limit with the record. Names those that fell by more than a third, or on another machine
 * than the recorded one by more than half.
 */
export async function guard(
  suites: readonly string[],
  record: RunRecord,
  machine: string,
  { measure, print }: GuardHooks,
): Promise<readonly string[]> {
  const isRecorded = machinesOf(record).includes(machine);
  const leastShare = isRecorded ? LEAST_SHARE : LEAST_SHARE_ELSEWHERE;
  if (!isRecorded)
    print(`guard: recorded on another machine (${machinesOf(record).join("; ")}); ratios still compare`);
  const fallen: string[] = [];
  let compared = 0;
  for (const suite of suites) {
    const asked = recordedRatios(record, suite);
    const found = new Map<string, number>();
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      for (const { name, value, isOfLimit } of await measure(suite))
        if (isOfLimit) found.set(name, Math.max(value, found.get(name) ?? 0));
      const low = [...found.keys()].filter((name) => isFallen(name, asked, found, leastShare));
      if (low.length === 0) break;
      print(`guard: ${low.join(", ")} low in try ${attempt} of ${TRIES}`);
    }
    for (const [name, value] of found) {
      const recorded = asked.get(name);
      if (recorded !== undefined) compared++;
      const hasFallen = isFallen(name, asked, found, leastShare);
      if (hasFallen) fallen.push(name);
      print(result(name, value, recorded, hasFallen));
    }
  }
  print(
    `guard: ${compared} ratios compared, ${fallen.length} fell by more than ${isRecorded ? "a third" : "half"}`,
  );
  return fallen;
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

function recordedRatios(record: RunRecord, suite: string): ReadonlyMap<string, number> {
  const own = (record[GUARD_RECORD]?.figures ?? []).filter(({ name }) => name.startsWith(`${suite}/`));
  // What a report has measured wins.
  const ratios = [...own, ...(record[suite]?.figures ?? [])].filter(({ isOfLimit }) => isOfLimit);
  return new Map(ratios.map(({ name, value }) => [name, value]));
}

function isFallen(
  name: string,
  asked: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
  leastShare: number,
): boolean {
  return (found.get(name) ?? 0) < (asked.get(name) ?? 0) * leastShare;
}

function result(name: string, value: number, recorded: number | undefined, hasFallen: boolean): string {
  const beside = recorded === undefined ? "not on record yet" : `recorded ${recorded.toFixed(2)}`;
  return `guard: ${name} ${value.toFixed(2)} of the bare limit, ${beside}${hasFallen ? " FELL" : ""}`;
}
