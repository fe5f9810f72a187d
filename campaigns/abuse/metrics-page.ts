import { METRICS_BEARER } from "./siege-plan.ts";

/** A server's counters, by name and labels as `/metrics` writes them. */
export type Counts = ReadonlyMap<string, number>;

/** The counter series that give the reason of a refusal. */
const REFUSALS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^orthant_goodbyes_total\{reason="limit",limit="(?<name>\w+)"\}$/, "limit"],
  [/^orthant_goodbyes_total\{reason="(?<name>\w+)",limit="\w*"\}$/, "goodbye"],
  [/^orthant_refusals_total\{name="(?<name>\w+)"\}$/, "refusal"],
  [/^orthant_edits_total\{outcome="(?<name>\w+)"\}$/, "edit"],
];

/** Reads the counters. */
export async function readCounts(port: number): Promise<Counts> {
  const headers = { authorization: `Bearer ${METRICS_BEARER}`, connection: "close" };
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  if (!response.ok) throw new Error(`/metrics answers ${response.status}`);
  return countsIn(await response.text());
}

/** Returns the count of each event, such as `goodbye malformed`, `limit idleMs`, `refusal path` or `edit rate`. */
export function refusalsOf(counts: Counts): ReadonlyMap<string, number> {
  const refusals = new Map<string, number>();
  for (const [series, count] of counts) {
    for (const [pattern, kind] of REFUSALS) {
      const name = pattern.exec(series)?.groups?.["name"];
      if (name === undefined) continue;
      refusals.set(`${kind} ${name}`, (refusals.get(`${kind} ${name}`) ?? 0) + count);
      break;
    }
  }
  return refusals;
}

/** Returns the increase between two readings. */
export function difference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const added = new Map<string, number>();
  for (const [name, count] of after) {
    const more = count - (before.get(name) ?? 0);
    if (more !== 0) added.set(name, more);
  }
  return added;
}

function countsIn(page: string): Counts {
  const counts = new Map<string, number>();
  for (const line of page.split("\n")) {
    const match = /^(?<series>orthant_\w+(?:\{[^}]*\})?) (?<count>\S+)$/.exec(line)?.groups;
    if (match?.["series"] !== undefined) counts.set(match["series"], Number(match["count"]));
  }
  return counts;
}
