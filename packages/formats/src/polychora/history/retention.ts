import { requireInteger } from "@orthant/core";

/** How much of a world's past is kept beside what has a name. */
export interface Retention {
  /** So many of the newest generations; at least 1, the live one. */
  readonly newest: number;
  /** The last generation of each hour, for so many hours in which there was one. */
  readonly hours: number;
  /** The last generation of each day, in UTC, for so many days in which there was one. */
  readonly days: number;
}

/** The newest two, an hour's last one for a day, and a day's last one for a month. */
export const DEFAULT_RETENTION: Retention = { newest: 2, hours: 24, days: 30 };

/** A generation and when it was committed. */
export interface DatedGeneration {
  readonly generation: number;
  /** Milliseconds since 1970, by a clock that may have been wrong. */
  readonly atMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const COUNT_MAX = 100_000;

/**
 * The generations that stay: at most `newest + hours + days`, and those that are named. Which is newer is told by the
 * numbers alone. Hours and days are counted only where there was a commit, and never from now, so that a clock that
 * jumps adds an hour or two and cannot make the rest of the past too old. Rule S85.
 */
export function keptGenerations(
  generations: readonly DatedGeneration[],
  named: ReadonlySet<number>,
  retention: Retention,
): ReadonlySet<number> {
  const newestFirst = [...generations].sort((a, b) => b.generation - a.generation);
  const kept = new Set<number>();
  for (const { generation } of newestFirst.slice(0, retention.newest)) kept.add(generation);
  keepLastOfEach(newestFirst, HOUR_MS, retention.hours, kept);
  keepLastOfEach(newestFirst, DAY_MS, retention.days, kept);
  for (const { generation } of newestFirst) if (named.has(generation)) kept.add(generation);
  return kept;
}

/** Throws `ORT_ARGUMENT` for what cannot be kept: the live generation always is. */
export function requireRetention({ newest, hours, days }: Retention): void {
  requireInteger(newest, 1, COUNT_MAX);
  requireInteger(hours, 0, COUNT_MAX);
  requireInteger(days, 0, COUNT_MAX);
}

function keepLastOfEach(
  newestFirst: readonly DatedGeneration[],
  spanMs: number,
  spansMax: number,
  kept: Set<number>,
): void {
  const spans = new Set<number>();
  for (const { generation, atMs } of newestFirst) {
    if (spans.size === spansMax) return;
    const span = Math.floor(atMs / spanMs);
    if (spans.has(span)) continue;
    spans.add(span);
    kept.add(generation);
  }
}
