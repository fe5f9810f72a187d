import type { Moment } from "@orthant/world";
import { UsageError } from "../usage-error.ts";
import { parseDuration } from "./values.ts";

const GENERATION = /^\d{1,15}$/;
const DURATION = /^\d{1,9}(?:s|min|h|d)$/;
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Returns a parser for a saved state, as of `nowMs`: `41`, a name, `3d` for three days ago, or a date. */
export function parseMoment(nowMs: number): (text: string) => Moment {
  return (text) => {
    if (GENERATION.test(text)) return Number(text);
    if (DURATION.test(text)) return new Date(nowMs - parseDuration(text) * 1000);
    if (!DATE.test(text)) return text;
    const date = new Date(text);
    if (!Number.isNaN(date.getTime())) return date;
    throw new UsageError(`"${text}" is no date; one looks like 2026-11-15 or 2026-11-15T08:30Z`);
  };
}
