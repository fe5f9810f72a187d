import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Figure } from "../figure.ts";
import { machineLine, thisMachine, today } from "../machine.ts";
import { FAINT_INK, picture, text, withCommas } from "./svg.ts";

/** What a campaign has tried. */
interface Tried {
  readonly cases: number;
  readonly failures: number;
}

/** The figures of one run. */
export interface HistoryEntry {
  /** Such as `2026-11-15`. */
  readonly date: string;
  readonly machine: string;
  /** Ratios to the bare limit, by the names of the figures. */
  readonly ratios: Readonly<Record<string, number>>;
  /** By the names of the campaigns. */
  readonly campaigns?: Readonly<Record<string, Tried>>;
}

const HISTORY_PATH = "benchmarks/history.jsonl";

/** Reads all runs, the oldest first. */
export function readHistory(): readonly HistoryEntry[] {
  if (!existsSync(HISTORY_PATH)) return [];
  const lines = readFileSync(HISTORY_PATH, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as HistoryEntry);
}

/** Adds a run of this machine, with the ratios among its figures and what its campaigns printed. */
export function addToHistory(figures: readonly Figure[], campaignOutput = ""): void {
  const entry: HistoryEntry = {
    date: today(),
    machine: machineLine(thisMachine()),
    ratios: ratiosOf(figures),
    ...(campaignOutput !== "" && { campaigns: campaignsIn(campaignOutput) }),
  };
  writeFileSync(HISTORY_PATH, `${JSON.stringify(entry)}\n`, { flag: "a" });
}

/** Returns the ratios to the bare limit, the highest of each name: a machine has bad moments. */
export function ratiosOf(figures: readonly Figure[]): Readonly<Record<string, number>> {
  const ratios: Record<string, number> = {};
  for (const { name, value, isOfLimit } of figures)
    if (isOfLimit) ratios[name] = Math.max(ratios[name] ?? 0, Number(value.toPrecision(4)));
  return ratios;
}

/** Finds the last lines of campaigns, such as `journal: 100000 cases, 0 failures`. */
export function campaignsIn(output: string): Readonly<Record<string, Tried>> {
  const lines = output.matchAll(/^([\w-]+): (\d+) cases, (\d+) failures$/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name = "", cases, failures]) => [
      name,
      { cases: Number(cases), failures: Number(failures) },
    ]),
  );
}

const WIDTH = 760;
const PLOT_LEFT = 240;
const PLOT_RIGHT = 620;
const HEAD_HEIGHT = 62;
const ROW_HEIGHT = 34;
const LINE_HEIGHT = 24;
const OURS = "#2f81f7";
const FAILED = "#cf222e";

/** One line of the picture: a value in each run that has it. */
interface Row {
  readonly label: string;
  readonly points: readonly { readonly run: number; readonly value: number; readonly isFailure: boolean }[];
}

/** Draws how each ratio, and what each campaign tried, went from run to run. */
export function drawHistory(entries: readonly HistoryEntry[]): string {
  const ratios = rowsOf(entries, ({ ratios }) =>
    Object.entries(ratios).map(([label, value]) => ({ label, value, isFailure: false })),
  );
  const campaigns = rowsOf(entries, ({ campaigns = {} }) =>
    Object.entries(campaigns).map(([name, { cases, failures }]) => ({
      label: `cases of ${name}`,
      value: cases,
      isFailure: failures > 0,
    })),
  );
  const rows = [...ratios, ...campaigns];
  const [first, last] = [entries[0], entries.at(-1)];
  return picture(
    {
      title: "From run to run",
      said: `${entries.length} runs, ${first?.date} to ${last?.date}; shares of the bare limit: more is better; the line's top is its best`,
      width: WIDTH,
      height: HEAD_HEIGHT + rows.length * ROW_HEIGHT + 10,
    },
    rows.flatMap((row, index) => drawRow(row, HEAD_HEIGHT + index * ROW_HEIGHT, entries.length)),
  );
}

function rowsOf(
  entries: readonly HistoryEntry[],
  valuesOf: (entry: HistoryEntry) => readonly { label: string; value: number; isFailure: boolean }[],
): readonly Row[] {
  const points = new Map<string, Row["points"][number][]>();
  for (const [run, entry] of entries.entries()) {
    for (const { label, value, isFailure } of valuesOf(entry)) {
      const known = points.get(label) ?? [];
      known.push({ run, value, isFailure });
      points.set(label, known);
    }
  }
  return Array.from(points, ([label, found]) => ({ label, points: found }));
}

function drawRow({ label, points }: Row, top: number, runs: number): readonly string[] {
  const best = Math.max(...points.map(({ value }) => value));
  const bottom = top + LINE_HEIGHT;
  const placed = points.map(({ run, value, isFailure }) => ({
    x: (PLOT_LEFT + ((run + 0.5) / runs) * (PLOT_RIGHT - PLOT_LEFT)).toFixed(1),
    y: (bottom - (best === 0 ? 0 : value / best) * LINE_HEIGHT).toFixed(1),
    color: isFailure ? FAILED : OURS,
  }));
  const last = points.at(-1);
  return [
    text(PLOT_LEFT - 12, bottom - 4, label, 'text-anchor="end"'),
    `<path d="M${PLOT_LEFT} ${bottom}H${PLOT_RIGHT}" stroke="${FAINT_INK}"/>`,
    `<path d="M${placed.map(({ x, y }) => `${x} ${y}`).join("L")}" fill="none" stroke="${OURS}" stroke-width="1.5"/>`,
    ...placed.map(({ x, y, color }) => `<circle cx="${x}" cy="${y}" r="2.5" fill="${color}"/>`),
    text(PLOT_RIGHT + 10, bottom - 4, withCommas(last?.value ?? 0), 'font-weight="600"'),
  ];
}
