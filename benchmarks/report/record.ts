import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figure } from "../figure.ts";
import { type Machine, machineLine } from "../machine.ts";

/** The recorded run of one suite. */
export interface SuiteRecord {
  /** Such as `2026-11-15`. */
  readonly date: string;
  readonly machine: Machine;
  readonly seconds: number;
  readonly figures: readonly Figure[];
}

/** The last reported run of each suite, by the name of the suite. */
export type RunRecord = Readonly<Record<string, SuiteRecord>>;

const RECORD_PATH = "benchmarks/recorded.json";

/** Reads the record; empty before the first report. */
export function readRecord(): RunRecord {
  return existsSync(RECORD_PATH) ? (JSON.parse(readFileSync(RECORD_PATH, "utf8")) as RunRecord) : {};
}

/** Stores a record for the report and the guard. */
export function writeRecord(record: RunRecord): void {
  writeFileSync(RECORD_PATH, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Name of the record of ratios that no report has yet, which `guard --record` writes. */
export const GUARD_RECORD = "guard";

/** Returns the machines on which the suites of the report ran, one line each. */
export function machinesOf(record: RunRecord): readonly string[] {
  const suites = Object.entries(record).filter(([name]) => name !== GUARD_RECORD);
  return [...new Set(suites.map(([, { machine }]) => machineLine(machine)))];
}

const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/**
 * Runs a suite in a separate process, so that it leaves no garbage and compiled code to the next; its output
 * is unchanged.
 */
export async function runSuite(name: string, ...options: readonly string[]): Promise<readonly Figure[]> {
  const child = fork(PROGRAM, [name, ...options]);
  const figures: Figure[] = [];
  child.on("message", (figure: Figure) => figures.push(figure));
  const [code] = (await once(child, "close")) as [number | null];
  // 1 means that a budget was missed, which the figures also say.
  if (code !== 0 && code !== 1) throw new Error(`suite ${name} ended with ${code}`);
  if (figures.length === 0) throw new Error(`suite ${name} has no figures`);
  return figures;
}
