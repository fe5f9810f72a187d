import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { atMost, besideOthers, type Figure, ofLimit, told } from "../figure.ts";
import { drawBars } from "../report/bar-chart.ts";
import { chartsOf } from "../report/charts.ts";
import { campaignsIn, drawHistory, type HistoryEntry, ratiosOf, readHistory } from "../report/history.ts";
import { renderPage } from "../report/page.ts";
import { type RunRecord, readRecord } from "../report/record.ts";
import { TEMPLATE_PATH } from "../report/report.ts";

const MACHINE = {
  processors: "2 x Apple",
  node: "Node v20",
  system: "linux 6",
  memory: "8 GiB",
  fileSystem: "ext4",
};

function recordOf(suite: string, ...figures: readonly Figure[]): RunRecord {
  return { [suite]: { date: "2026-11-15", machine: MACHINE, seconds: 7, figures } };
}

function fruitContest(ours: number): Figure {
  return besideOthers({
    name: "fruit/weight",
    title: "Weight of <fruit>",
    unit: "kg",
    group: "in a basket",
    ours,
    others: new Map([
      ["pears", 4],
      ["plums", 8],
    ]),
    remark: "a | b",
  });
}

describe("the benchmark page", () => {
  const template =
    "# Page\n\n<!-- machine -->\n\n## Fruit\n\nWhy.\n\n<!-- figures of fruit -->\n\n## Bread\n\n<!-- figures of bread -->\n";

  test("has a section with charts and one row per figure for each recorded suite, and none for others", () => {
    const limit = ofLimit("fruit/speed", 0.5, "a bare fruit", 0.6, "slow");
    const files = renderPage(template, recordOf("fruit", limit, fruitContest(2)));
    expect([...files.keys()]).toEqual([
      "benchmarks.md",
      "pictures/benchmarks-fruit-limit.svg",
      "pictures/benchmarks-fruit-weight-of-fruit.svg",
    ]);
    expect(files.get("benchmarks.md")).toBe(
      [
        "# Page",
        "",
        "- 2 x Apple, Node v20, linux 6, 8 GiB, ext4",
        "",
        "## Fruit",
        "",
        "Why.",
        "",
        "![Next to the bare limit](pictures/benchmarks-fruit-limit.svg)",
        "",
        "![Weight of <fruit>](pictures/benchmarks-fruit-weight-of-fruit.svg)",
        "",
        "| Figure         | Value                                            | Budget                  | Beside it                               |",
        "| -------------- | ------------------------------------------------ | ----------------------- | --------------------------------------- |",
        "| `fruit/speed`  | 0.50 of a bare fruit                             | at least 0.6 **missed** | slow                                    |",
        "| `fruit/weight` | 0.50 of what pears takes, the best of the others |                         | 2.00 kg, pears 4.00, plums 8.00; a \\| b |",
        "",
        "`npm run bench -- fruit`, 2026-11-15, 7 s on 2 x Apple, Node v20, linux 6, 8 GiB, ext4.",
        "",
      ].join("\n"),
    );
  });

  test("says which peers are ahead, and by how much", () => {
    const page = renderPage(template, recordOf("fruit", fruitContest(6))).get("benchmarks.md");
    expect(page).toContain("Who is ahead of us in this run:\n\n- `fruit/weight`: pears by 1.5 times\n");
    expect(page).not.toContain("plums by");
  });

  test("matches the template and the record in this repository", () => {
    const files = renderPage(readFileSync(TEMPLATE_PATH, "utf8"), readRecord(), readHistory());
    const ours = readdirSync("docs/pictures").filter((name) => name.startsWith("benchmarks-"));
    expect(ours.map((name) => `pictures/${name}`).sort()).toEqual([...files.keys()].slice(1).sort());
    // To fix a difference, run: npm run bench -- report --suites none
    for (const [path, content] of files) expect(readFileSync(`docs/${path}`, "utf8"), path).toBe(content);
  });
});

describe("the README", () => {
  const readme = readFileSync("README.md", "utf8");
  const recorded = new Map(
    (readRecord()["wire"]?.figures ?? []).map(({ name, value, remark }) => [
      name,
      numbersIn(`${value} ${remark}`),
    ]),
  );

  /** Returns the whole numbers in a text, with or without commas between thousands. */
  function numbersIn(text: string): readonly number[] {
    return (text.match(/\d{1,3}(?:,\d{3})+|\d+/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));
  }

  test.each([
    ["one voxel, near the origin", "wire/one-voxel-origin"],
    ["one voxel, at the far end of the world", "wire/one-voxel-far-end"],
    ["a first join: 200 chunks that people built", "wire/first-join"],
    ["a client comes back, and 6 regions changed since", "wire/rejoin"],
  ])("has the recorded bytes for %s", (row, figure) => {
    const [, cells = ""] = readme.split(`| ${row}`);
    const shown = numbersIn(cells.split("\n", 1)[0] ?? "");
    expect(shown.length).toBeGreaterThan(0);
    expect(recorded.get(figure)).toEqual(expect.arrayContaining([...shown]));
  });
});

describe("a benchmark chart", () => {
  const numbersOf = (svg: string, attribute: string): readonly number[] =>
    Array.from(svg.matchAll(new RegExp(`<rect[^>]* ${attribute}="([\\d.]+)"`, "g")), ([, number]) =>
      Number(number),
    );

  function pictureOf(...figures: readonly Figure[]): string {
    const [chart] = chartsOf("fruit", figures);
    if (chart === undefined) throw new Error("no chart");
    return drawBars(chart);
  }

  test("has bars in proportion to their values, with labels, unit and direction", () => {
    const svg = pictureOf(fruitContest(2));
    const [ours = 0, pears, plums] = numbersOf(svg, "width");
    expect([pears, plums]).toEqual([ours * 2, ours * 4]);
    for (const said of [">Orthant<", ">pears<", ">plums<", ">in a basket<", ">kg; less is better<"])
      expect(svg).toContain(said);
    expect(svg).toContain("Weight of &lt;fruit&gt;");
  });

  test("has a logarithmic scale when values are far apart", () => {
    const svg = pictureOf(fruitContest(0.004));
    expect(svg).toContain("powers of ten");
    const [ours = 0, pears = 0, plums = 0] = numbersOf(svg, "width");
    expect(ours).toBeGreaterThan(1);
    // From 4 to 8 is as far as from 0.004 to 0.008: a tenth of the three powers between them.
    expect((plums - pears) / (pears - ours)).toBeCloseTo(Math.log10(2) / 3, 2);
  });

  test("draws the bare limit next to shares of it, on the same scale", () => {
    const svg = pictureOf(
      ofLimit("fruit/a", 0.5, "x", undefined, ""),
      ofLimit("fruit/b", 1, "x", undefined, ""),
    );
    const [half = 0, whole = 0] = numbersOf(svg, "width");
    expect(whole).toBeCloseTo(half * 2, 0);
    expect(svg).toContain(">the bare limit<");
    expect(svg).toMatch(new RegExp(`<path d="M${220 + whole}\\.?\\d* [^>]*dasharray`));
  });

  test("handles zero and a missing value", () => {
    const svg = pictureOf(
      told("fruit/none", 0, "kg", "", {
        title: "None",
        unit: "kg",
        better: "less",
        group: "none",
        bars: [
          { label: "Orthant", role: "ours", value: 0 },
          { label: "pears", role: "peer", value: Number.NaN },
        ],
      }),
    );
    expect(svg).not.toMatch(/NaN|Infinity|pears/);
  });

  test("is not drawn for figures without a plot", () => {
    expect(chartsOf("fruit", [atMost("fruit/count", 1, "pieces", 2, "")])).toEqual([]);
  });
});

describe("the history of benchmarks", () => {
  const run = (ratios: HistoryEntry["ratios"], campaigns?: HistoryEntry["campaigns"]): HistoryEntry => ({
    ...{ date: "2026-11-15", machine: "a machine", ratios },
    ...(campaigns !== undefined && { campaigns }),
  });

  test("keeps the highest of each ratio to the bare limit, and no other figure", () => {
    const speed = (ratio: number): Figure => ofLimit("fruit/speed", ratio, "a bare fruit", undefined, "");
    const others = [told("fruit/sweetness", 3, "grams", ""), fruitContest(2)];
    expect(ratiosOf([speed(0.5), speed(0.71), speed(0.6), ...others])).toEqual({ "fruit/speed": 0.71 });
  });

  test("finds what campaigns have tried in their output", () => {
    const output =
      "journal: 5 of 10\njournal: 100000 cases, 0 failures\nkill-9: 7 cases, 1 failures\nno: x cases";
    expect(campaignsIn(output)).toEqual({
      journal: { cases: 100_000, failures: 0 },
      "kill-9": { cases: 7, failures: 1 },
    });
  });

  test("draws a line for each ratio through the runs that have it, and failures in red", () => {
    const drawn = drawHistory([
      run({ "fruit/speed": 0.5, "bread/speed": 1 }),
      run({ "fruit/speed": 1 }, { journal: { cases: 12_000, failures: 0 } }),
      run({ "fruit/speed": 0.75, "bulk/speed": 0.0282 }, { journal: { cases: 6_000, failures: 1 } }),
    ]);
    const dots = Array.from(drawn.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="2.5" fill="(#\w+)"/g));
    expect(dots).toHaveLength(7);
    const [low, high, between] = dots.map(([, , y]) => Number(y));
    expect(low).toBeGreaterThan(between ?? 0);
    expect(between).toBeGreaterThan(high ?? 0);
    expect(dots.map(([, , , color]) => color).filter((color) => color !== dots[0]?.[3])).toHaveLength(1);
    for (const said of ["fruit/speed", "bread/speed", "cases of journal", ">0.75<", ">0.0282<", ">6,000<"])
      expect(drawn).toContain(said);
  });

  test("is left out of the page if there is none", () => {
    const template = "# Page\n\n## From run to run\n\n<!-- history -->\n";
    expect([...renderPage(template, {}).keys()]).toEqual(["benchmarks.md"]);
    expect([...renderPage(template, {}, [run({ "fruit/speed": 1 })]).keys()]).toContain(
      "pictures/benchmarks-history.svg",
    );
  });
});
