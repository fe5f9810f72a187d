import { U64_MAX } from "@orthant/core";
import { UsageError } from "../usage-error.ts";

const DURATION = /^(?<count>\d{1,9})(?<unit>s|min|h|d)$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

/** Returns a parser for a whole number in a range. */
export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`"${text}" is no whole number from ${min} to ${max}`);
  };
}

/** Parses an unsigned 64-bit number, such as a seed or an id. */
export function parseU64(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= U64_MAX) return value;
  throw new UsageError(`"${text}" is no whole number from 0 to ${U64_MAX}`);
}

/** Parses a time span in seconds: `90s`, `15min`, `12h` or `7d`. */
export function parseDuration(text: string): number {
  const { count, unit } = DURATION.exec(text)?.groups ?? {};
  const seconds = Number(count) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  if (seconds > 0) return seconds;
  throw new UsageError(`"${text}" is no time span; one looks like 90s, 15min, 12h or 7d`);
}
