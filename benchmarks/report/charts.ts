import type { Bar, Figure, Plot } from "../figure.ts";

/** Bars drawn in one picture. */
export interface Chart {
  /** Part of the file name. */
  readonly slug: string;
  readonly title: string;
  readonly unit: string;
  readonly better: Plot["better"];
  readonly groups: readonly ChartGroup[];
  /** Position of the bare limit, when all bars are shares of it. */
  readonly limitAt?: number;
}

/** Bars for the same work. */
export interface ChartGroup {
  /** Empty for a single group that needs no name. */
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** Returns the charts of a suite: one with all shares of the bare limit, and one for each named plot. */
export function chartsOf(suite: string, figures: readonly Figure[]): readonly Chart[] {
  const shares = figures.filter(({ isOfLimit }) => isOfLimit);
  const plots = figures.flatMap(({ plot }) => (plot === undefined ? [] : [plot]));
  const titles = new Set(plots.map(({ title }) => title));
  return [
    ...(shares.length === 0 ? [] : [shareChart(suite, shares)]),
    ...Array.from(titles, (title) =>
      plotChart(
        suite,
        plots.filter((plot) => plot.title === title),
      ),
    ),
  ];
}

function shareChart(suite: string, shares: readonly Figure[]): Chart {
  return {
    slug: `${suite}-limit`,
    title: "Next to the bare limit",
    unit: "of the bare limit's speed",
    better: "more",
    groups: [
      {
        label: "",
        bars: shares.map(({ name, value }) => ({ label: shortName(name), role: "ours", value })),
      },
    ],
    limitAt: 1,
  };
}

function plotChart(suite: string, [first, ...rest]: readonly Plot[]): Chart {
  if (first === undefined) throw new Error("a chart has no plots");
  const { title, unit, better } = first;
  return {
    slug: `${suite}-${slugOf(title)}`,
    title,
    unit,
    better,
    // A bar cannot show a missing measurement; the table does.
    groups: [first, ...rest].map(({ group, bars }) => ({
      label: group,
      bars: bars.filter(({ value }) => Number.isFinite(value)),
    })),
  };
}

/** Returns a figure's name without its suite. */
function shortName(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
