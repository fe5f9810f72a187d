import { requireInteger } from "@orthant/core";

/** How much of a world's history to keep besides named generations. */
export interface Retention {
  /** Number of newest generations to keep; at least 1, the live one. */
  readonly newest: number;
  /** Number of hours whose last generation is kept. Hours without a commit do not count. */
  readonly hours: number;
  /** Number of days, in UTC, whose last generation is kept. Days without a commit do not count. */
  readonly days: number;
}

/** The newest two, the last one of each hour for a day, and the last one of each day for a month. */
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
 * Returns the generations to keep: at most `newest + hours + days`, and the named ones. Only the numbers
 * decide which is newer. Hours and days are counted only where there was a commit, never from now, so a clock
 * that jumps adds an hour or two but cannot make the rest of the history too old. Rule S85.
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

/** Throws `ORT_ARGUMENT` for an invalid retention. The live generation is always kept. */
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
