import type { Bar } from "../figure.ts";
import type { Chart } from "./charts.ts";
import { FAINT_INK, picture, text, withCommas } from "./svg.ts";

const WIDTH = 760;
const LABEL_WIDTH = 220;
const VALUE_WIDTH = 90;
const PLOT_WIDTH = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
const HEAD_HEIGHT = 58;
const GROUP_HEIGHT = 26;
const ROW_HEIGHT = 22;
const BAR_HEIGHT = 14;
const FOOT_HEIGHT = 30;
/** Bars that differ by more than this factor get a logarithmic scale. */
const LINEAR_SPAN_MAX = 25;
const TICKS_MAX = 5;
const COLORS: Readonly<Record<Bar["role"], string>> = { ours: "#2f81f7", peer: "#8b949e", limit: "#bf8700" };

/** Maps values to the horizontal axis. */
interface Scale {
  readonly isLogarithmic: boolean;
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** Draws horizontal bars as a self-contained SVG. */
export function drawBars(chart: Chart): string {
  const { title, unit, better, groups, limitAt } = chart;
  const scale = scaleFor(groups.flatMap(({ bars }) => bars.map(({ value }) => value)).concat(limitAt ?? []));
  const rows: string[] = [];
  let top = HEAD_HEIGHT;
  for (const { label, bars } of groups) {
    if (label !== "") {
      rows.push(text(8, top + 17, label, 'font-weight="600"'));
      top += GROUP_HEIGHT;
    }
    for (const bar of bars) {
      rows.push(...drawBar(bar, top, scale));
      top += ROW_HEIGHT;
    }
    top += 6;
  }
  const said = `${unit}; ${better} is better${scale.isLogarithmic ? "; powers of ten" : ""}`;
  return picture({ title, said, width: WIDTH, height: top + FOOT_HEIGHT }, [
    ...scale.ticks.flatMap((tick) => drawTick(tick, top, scale)),
    ...(limitAt === undefined ? [] : drawLimit(scale.at(limitAt), top)),
    ...rows,
  ]);
}

function drawBar({ label, role, value }: Bar, top: number, scale: Scale): readonly string[] {
  const width = Math.max(1, scale.at(value) - LABEL_WIDTH);
  const middle = top + ROW_HEIGHT / 2 + 4.5;
  const isOurs = role === "ours" ? 'font-weight="600"' : "";
  return [
    text(LABEL_WIDTH - 10, middle, label, `text-anchor="end" ${isOurs}`.trim()),
    `<rect x="${LABEL_WIDTH}" y="${top + (ROW_HEIGHT - BAR_HEIGHT) / 2}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2" fill="${COLORS[role]}"/>`,
    text(LABEL_WIDTH + width + 6, middle, withCommas(value), isOurs),
  ];
}

function drawTick(tick: number, bottom: number, scale: Scale): readonly string[] {
  const x = scale.at(tick).toFixed(1);
  return [
    `<path d="M${x} ${HEAD_HEIGHT - 4}V${bottom + 4}" stroke="${FAINT_INK}"/>`,
    text(Number(x), bottom + 20, withCommas(tick), 'text-anchor="middle" font-size="11"'),
  ];
}

function drawLimit(at: number, bottom: number): readonly string[] {
  const x = at.toFixed(1);
  return [
    `<path d="M${x} ${HEAD_HEIGHT - 4}V${bottom + 4}" stroke="${COLORS.limit}" stroke-width="2" stroke-dasharray="5 4"/>`,
    text(
      Number(x),
      HEAD_HEIGHT - 8,
      "the bare limit",
      `text-anchor="middle" font-size="11" fill="${COLORS.limit}"`,
    ),
  ];
}

function scaleFor(values: readonly number[]): Scale {
  const positive = values.filter((value) => value > 0);
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  if (positive.length === 0 || most / least <= LINEAR_SPAN_MAX)
    return linearScale(positive.length === 0 ? 1 : most);
  const low = Math.ceil(Math.log10(least)) - 1;
  const high = Math.log10(most);
  const powers = Array.from({ length: Math.floor(high) - low + 1 }, (_, index) => low + index);
  const every = Math.ceil(powers.length / (TICKS_MAX + 1));
  return {
    isLogarithmic: true,
    ticks: powers.filter((_, index) => index % every === 0).map((power) => 10 ** power),
    at: (value) => LABEL_WIDTH + (Math.max(0, Math.log10(value) - low) / (high - low)) * PLOT_WIDTH,
  };
}

function linearScale(most: number): Scale {
  const power = 10 ** Math.floor(Math.log10(most / TICKS_MAX));
  const step = power * ([1, 2, 5, 10].find((factor) => most / (power * factor) <= TICKS_MAX) ?? 10);
  return {
    isLogarithmic: false,
    ticks: Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step),
    at: (value) => LABEL_WIDTH + (Math.max(0, value) / most) * PLOT_WIDTH,
  };
}
