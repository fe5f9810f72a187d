import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import type { Campaign } from "../campaign.ts";
import type { CampaignRecord } from "./records.ts";

/** One campaign in a table. */
export interface TableRow {
  readonly campaign: Campaign;
  readonly before: CampaignRecord;
  readonly after: CampaignRecord;
  readonly failures: number;
  /** Why the campaign did not run. */
  readonly leftOut?: string;
}

const PAGE = "docs/guides/how-we-test.md";
const BEGIN = "<!-- campaign totals: begin -->\n";
const END = "<!-- campaign totals: end -->";
const MS_PER_SECOND = 1_000;

/** Formats the table at the end of a run of all campaigns. */
export function formatRunTable(rows: readonly TableRow[]): string {
  const head = ["campaign", "goal", "this run", "total", "distinct", "failures", "seconds"];
  const cells = rows.map(({ campaign, before, after, failures, leftOut }) =>
    leftOut === undefined
      ? [
          campaign.name,
          ...[campaign.goal, after.cases - before.cases, after.cases].map(grouped),
          distinctOf(after),
          grouped(failures),
          grouped(Math.round((after.tookMs - before.tookMs) / MS_PER_SECOND)),
        ]
      : [campaign.name, grouped(campaign.goal), `left out: ${leftOut}`],
  );
  const widths = head.map((title, column) =>
    Math.max(
      title.length,
      ...cells.map((row) => (row.length === head.length ? (row[column] ?? "").length : 0)),
    ),
  );
  const lines = [head, ...cells].map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
  return lines.join("\n");
}

/** Writes the totals of all campaigns into the page about testing. */
export async function writeTotals(rows: readonly TableRow[], day: Date): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for the totals of campaigns`);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const text = `\nAt commit \`${commit}\`, on ${day.toISOString().slice(0, 10)}:\n\n${formatTotals(rows)}\n\n`;
  await writeFile(PAGE, page.slice(0, begin + BEGIN.length) + text + page.slice(end));
}

function formatTotals(rows: readonly TableRow[]): string {
  const head = ["Campaign", "A case is one of", "Goal", "Done", "Distinct", "Failures"];
  const cells = rows.map(({ campaign, after, leftOut }) => [
    `\`${campaign.name}\``,
    campaign.unit,
    grouped(campaign.goal),
    leftOut === undefined || after.cases > 0 ? grouped(after.cases) : "left out",
    distinctOf(after),
    grouped(after.failures),
  ]);
  const widths = head.map((title, at) =>
    Math.max(title.length, ...cells.map((row) => (row[at] ?? "").length)),
  );
  const isText = (at: number): boolean => at < 2;
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, at) => (isText(at) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...cells.map(line)].join("\n");
}

function distinctOf({ distinct }: CampaignRecord): string {
  return distinct === undefined ? "" : grouped(distinct);
}

function grouped(value: number): string {
  return value.toLocaleString("en");
}
