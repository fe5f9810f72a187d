import type { Figure } from "../figure.ts";
import { machinesOf, type RunRecord } from "./record.ts";

/** The share left of a ratio that has fallen by a third. */
const LEAST_SHARE = 2 / 3;
/** A machine has bad moments: a ratio counts as fallen only when it is low in each of this many tries. */
const TRIES = 3;

/** Dependencies of the guard. */
export interface GuardHooks {
  /** Measures a suite's ratios to the bare limit. */
  measure(suite: string): Promise<readonly Figure[]>;
  print(line: string): void;
}

/** Compares ratios to the bare limit with the record. Names those that fell by more than a third. */
export async function guard(
  suites: readonly string[],
  record: RunRecord,
  machine: string,
  { measure, print }: GuardHooks,
): Promise<readonly string[]> {
  if (!machinesOf(record).includes(machine))
    print(`guard: recorded on another machine (${machinesOf(record).join("; ")}); ratios still compare`);
  const fallen: string[] = [];
  let compared = 0;
  for (const suite of suites) {
    const asked = recordedRatios(record, suite);
    const found = new Map<string, number>();
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      for (const { name, value, isOfLimit } of await measure(suite))
        if (isOfLimit) found.set(name, Math.max(value, found.get(name) ?? 0));
      const low = [...found.keys()].filter((name) => isFallen(name, asked, found));
      if (low.length === 0) break;
      print(`guard: ${low.join(", ")} low in try ${attempt} of ${TRIES}`);
    }
    for (const [name, value] of found) {
      const recorded = asked.get(name);
      if (recorded !== undefined) compared++;
      if (isFallen(name, asked, found)) fallen.push(name);
      print(verdict(name, value, recorded, isFallen(name, asked, found)));
    }
  }
  print(`guard: ${compared} ratios compared, ${fallen.length} fell by more than a third`);
  return fallen;
}

function recordedRatios(record: RunRecord, suite: string): ReadonlyMap<string, number> {
  const ratios = (record[suite]?.figures ?? []).filter(({ isOfLimit }) => isOfLimit);
  return new Map(ratios.map(({ name, value }) => [name, value]));
}

function isFallen(
  name: string,
  asked: ReadonlyMap<string, number>,
  found: ReadonlyMap<string, number>,
): boolean {
  return (found.get(name) ?? 0) < (asked.get(name) ?? 0) * LEAST_SHARE;
}

function verdict(name: string, value: number, recorded: number | undefined, hasFallen: boolean): string {
  const beside = recorded === undefined ? "not on record yet" : `recorded ${recorded.toFixed(2)}`;
  return `guard: ${name} ${value.toFixed(2)} of the bare limit, ${beside}${hasFallen ? " FELL" : ""}`;
}
