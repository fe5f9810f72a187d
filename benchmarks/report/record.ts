import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

/** Returns the machines on which the suites ran, one line each. */
export function machinesOf(record: RunRecord): readonly string[] {
  return [...new Set(Object.values(record).map(({ machine }) => machineLine(machine)))];
}
