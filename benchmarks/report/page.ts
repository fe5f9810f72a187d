import { type Bar, budgetOf, type Figure } from "../figure.ts";
import { machineLine } from "../machine.ts";
import { drawBars } from "./bar-chart.ts";
import { chartsOf } from "./charts.ts";
import { drawHistory, type HistoryEntry } from "./history.ts";
import { machinesOf, type RunRecord, type SuiteRecord } from "./record.ts";

const MACHINE_PLACE = "<!-- machine -->";
const HISTORY_PLACE = "<!-- history -->";
const FIGURES_PLACE = /<!-- figures of (\w+) -->/;

const HISTORY_PICTURE = picturePath("history");

/** Renders the page and its pictures, by paths relative to the page's folder. */
export function renderPage(
  template: string,
  record: RunRecord,
  history: readonly HistoryEntry[] = [],
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const sections = template.split(/^(?=## )/m).flatMap((section) => {
    if (section.includes(HISTORY_PLACE)) {
      if (history.length === 0) return [];
      files.set(HISTORY_PICTURE, drawHistory(history));
      return [section.replace(HISTORY_PLACE, `![From run to run](${HISTORY_PICTURE})`)];
    }
    const suite = FIGURES_PLACE.exec(section)?.[1];
    if (suite === undefined) return [section];
    const recorded = record[suite];
    // A suite without a record gets no section.
    if (recorded === undefined) return [];
    for (const chart of chartsOf(suite, recorded.figures))
      files.set(picturePath(chart.slug), drawBars(chart));
    return [section.replace(FIGURES_PLACE, () => renderSuite(suite, recorded))];
  });
  const machines = machinesOf(record).map((line) => `- ${line}`);
  const page = sections.join("").trimEnd().replace(MACHINE_PLACE, machines.join("\n"));
  return new Map([["benchmarks.md", `${page}\n`], ...files]);
}

function renderSuite(suite: string, { date, seconds, machine, figures }: SuiteRecord): string {
  const pictures = chartsOf(suite, figures).map(({ slug, title }) => `![${title}](${picturePath(slug)})`);
  const behind = behindLines(figures);
  const rows = figures.map((figure) => [
    `\`${figure.name}\``,
    `${figure.shown} ${figure.unit}`,
    `${budgetOf(figure)}${figure.missed ? " **missed**" : ""}`,
    figure.remark,
  ]);
  return [
    ...pictures.flatMap((picture) => [picture, ""]),
    ...(behind.length === 0 ? [] : ["Who is ahead of us in this run:", "", ...behind, ""]),
    ...table(["Figure", "Value", "Budget", "Beside it"], rows),
    "",
    `\`npm run bench -- ${suite}\`, ${date}, ${seconds} s on ${machineLine(machine)}.`,
  ].join("\n");
}

/** Formats a table whose columns are as wide as their widest cell, as the formatter requires. */
function table(head: readonly string[], body: readonly (readonly string[])[]): readonly string[] {
  const rows = [head, ...body].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => lineOf(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [lines[0] ?? "", lineOf(widths.map((width) => "-".repeat(width))), ...lines.slice(1)];
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Returns a line for each figure in which a peer is ahead of ours. */
function behindLines(figures: readonly Figure[]): readonly string[] {
  return figures.flatMap(({ name, plot }) => {
    const ours = plot?.bars.find(({ role }) => role === "ours")?.value;
    if (plot === undefined || ours === undefined) return [];
    const lead = ({ value }: Bar): number => (plot.better === "less" ? ours / value : value / ours);
    const ahead = plot.bars.filter((bar) => bar.role === "peer" && lead(bar) > 1);
    if (ahead.length === 0) return [];
    return [
      `- \`${name}\`: ${ahead.map((bar) => `${bar.label} by ${lead(bar).toFixed(1)} times`).join(", ")}`,
    ];
  });
}

function picturePath(slug: string): string {
  return `pictures/benchmarks-${slug}.svg`;
}
