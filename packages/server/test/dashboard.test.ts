import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ask, serve } from "./served-world.ts";

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const METRIC = /\b(?:orthant|nodejs|process)_\w+/g;
const GROUPED_BY = /\bby \((?<labels>[^)]*)\)/g;
const SHOWN = /\{\{(?<label>\w+)\}\}/g;

const dashboard = JSON.parse(readFileSync("docs/operations/grafana-dashboard.json", "utf8")) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => panel.targets);

/** Returns the labels of each metric that a server exposes. */
async function exposedLabels(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { text: body } = await ask(await serve(), "/metrics");
  const labels = new Map<string, Set<string>>();
  for (const { groups } of body.matchAll(/^(?<name>[a-z]\w*)(?:\{(?<labels>[^}]*)\})? /gm)) {
    const known = labels.get(groups?.["name"] ?? "") ?? new Set<string>();
    for (const label of (groups?.["labels"] ?? "").matchAll(/(?<name>\w+)="/g)) {
      known.add(label.groups?.["name"] ?? "");
    }
    labels.set(groups?.["name"] ?? "", known);
  }
  return labels;
}

describe("the Grafana dashboard", () => {
  test("queries only metrics and labels that a server exposes", async () => {
    const exposed = await exposedLabels();
    for (const { expr, legendFormat } of targets) {
      const names = expr.match(METRIC) ?? [];
      expect(names, expr).not.toEqual([]);
      for (const name of names) expect([...exposed.keys()], expr).toContain(name);
      const grouped = [...expr.matchAll(GROUPED_BY)].flatMap(
        ({ groups }) => groups?.["labels"]?.split(", ") ?? [],
      );
      const shown = [...legendFormat.matchAll(SHOWN)].map(({ groups }) => groups?.["label"] ?? "");
      for (const label of [...grouped, ...shown]) {
        expect([...(exposed.get(names[0] ?? "") ?? [])], `${label} of ${expr}`).toContain(label);
      }
    }
  });

  test("shows every metric that the guide says to watch", () => {
    const guide = readFileSync("docs/guides/run-a-server.md", "utf8");
    const table = guide.split(/^\| Number /m)[1]?.split("\n\n")[0] ?? "";
    const watched = table.match(METRIC) ?? [];
    expect(watched.length).toBeGreaterThan(4);
    const asked = targets.map(({ expr }) => expr).join("\n");
    for (const name of watched) expect(asked).toContain(name);
  });
});
