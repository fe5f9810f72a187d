import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { thisMachine, today } from "../machine.ts";
import { readHistory } from "./history.ts";
import { renderPage } from "./page.ts";
import { readRecord, runSuite, type SuiteRecord, writeRecord } from "./record.ts";

const FOLDER = "docs";
const PICTURES = "docs/pictures";
const OUR_PICTURE = /^benchmarks-.*\.svg$/;

/** The template of the page, with the prose. */
export const TEMPLATE_PATH = "benchmarks/report/template.md";

/**
 * Runs suites in turn, records their figures, and rewrites the page. Returns whether all met their budgets.
 */
export async function report(suites: readonly string[]): Promise<boolean> {
  const measured: Record<string, SuiteRecord> = {};
  for (const suite of suites) {
    console.log(`== ${suite}`);
    const startMs = performance.now();
    const figures = await runSuite(suite);
    measured[suite] = {
      date: today(),
      machine: thisMachine(),
      seconds: Math.round((performance.now() - startMs) / 1_000),
      figures,
    };
    // After each suite, so that a later failure does not lose minutes of measurement.
    writeRecord({ ...readRecord(), ...measured });
  }
  const files = writePage();
  const missed = Object.values(measured).flatMap(({ figures }) => figures.filter((figure) => figure.missed));
  const lost = missed.length === 0 ? "" : `: ${missed.map(({ name }) => name).join(", ")}`;
  console.log(`report: ${files} files written, ${missed.length} budgets missed${lost}`);
  return missed.length === 0;
}

/** Writes the page and its pictures from the record and the history. Returns the number of files. */
export function writePage(): number {
  const files = renderPage(readFileSync(TEMPLATE_PATH, "utf8"), readRecord(), readHistory());
  for (const name of readdirSync(PICTURES)) if (OUR_PICTURE.test(name)) rmSync(join(PICTURES, name));
  for (const [path, content] of files) writeFileSync(join(FOLDER, path), content);
  return files.size;
}
