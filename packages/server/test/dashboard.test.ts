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

/** Labels that Prometheus adds. */
const OF_PROMETHEUS: readonly string[] = ["instance", "job"];
const SHARD = {
  shard: "0",
  term: 1,
  unsavedRecords: 0,
  unsavedBytes: 0,
  savedAgoMs: 0,
  isSaveRefused: false,
};
const COUNTS = { claimed: 0, lost: 0, journalsLost: 0, vacant: [], owned: [SHARD] };
const GATEWAY = { regions: 0, openEdits: 0, isBackboneAway: false, distantPlayers: 0 };

const dashboard = JSON.parse(readFileSync("docs/operations/grafana-dashboard.json", "utf8")) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => panel.targets);
const alerts = readFileSync("docs/operations/prometheus-alerts.yaml", "utf8")
  .split(/^ {6}- alert: /m)
  .slice(1);

/** Returns the labels of each metric that a server of a cluster exposes, which has those of any server. */
async function exposedLabels(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { text: body } = await ask(await serve({ cluster: () => ({ ...COUNTS, ...GATEWAY }) }), "/metrics");
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

describe("alerts for Prometheus", () => {
  test("ask only for metrics and labels that a server exposes, and each says what happened", async () => {
    const exposed = await exposedLabels();
    expect(alerts.length).toBeGreaterThan(9);
    for (const alert of alerts) {
      const expression = /^ {8}expr: (?<text>.+)$/m.exec(alert)?.groups?.["text"] ?? "";
      const [metric, ...others] = expression.match(/\b(?:orthant_\w+|up(?=\{))/g) ?? [];
      expect(others, alert).toEqual([]);
      if (metric !== "up") expect([...exposed.keys()], alert).toContain(metric);
      expect(alert).toMatch(/^ {8}labels: \{ severity: (?:critical|warning) \}$/m);
      expect(alert).toMatch(/^ {10}summary: ".+"$/m);
      const grouped = [...expression.matchAll(GROUPED_BY)].flatMap(
        ({ groups }) => groups?.["labels"]?.split(", ") ?? [],
      );
      const shown = [...alert.matchAll(/\{\{ \$labels\.(?<label>\w+) \}\}/g)].map(
        ({ groups }) => groups?.["label"] ?? "",
      );
      const labels = [...(exposed.get(metric ?? "") ?? []), ...OF_PROMETHEUS];
      for (const label of [...grouped, ...shown]) expect(labels, `${label} of ${alert}`).toContain(label);
    }
  });

  test("watch what the guide to clusters says to raise an alarm for", () => {
    const guide = readFileSync("docs/guides/cluster.md", "utf8");
    const named = /Raise an alarm when.*?increases/s.exec(guide)?.[0].match(METRIC) ?? [];
    expect(named.length).toBeGreaterThan(2);
    for (const name of named) expect(alerts.join("")).toContain(name);
  });
});

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
