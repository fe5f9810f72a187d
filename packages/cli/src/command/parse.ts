import type { Box, Position } from "@orthant/core";
import { U64_MAX } from "@orthant/core/bytes";
import { boxBetween } from "@orthant/core/lattice";
import { formatPosition } from "@orthant/formats";
import type { Moment } from "@orthant/world";
import { UsageError } from "./usage.ts";

const DURATION = /^(?<count>\d{1,9})(?<unit>s|m|min|h|d)$/;
const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ["s", 1],
  ["m", 60],
  ["min", 60],
  ["h", 3600],
  ["d", 86_400],
]);

/** Returns a parser for a whole number in a range. */
export function parseInteger(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[-+]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`"${text}" is not a whole number from ${min} to ${max}`);
  };
}

/** Parses an unsigned 64-bit number, such as a seed or an id. */
export function parseU64(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= U64_MAX) return value;
  throw new UsageError(`"${text}" is not a whole number from 0 to ${U64_MAX}`);
}

/** Parses a time span in seconds: `90s`, `15m` (or `15min`), `12h` or `7d`. */
export function parseDuration(text: string): number {
  const { count, unit } = DURATION.exec(text)?.groups ?? {};
  const seconds = Number(count) * (UNIT_SECONDS.get(unit ?? "") ?? 0);
  if (seconds > 0) return seconds;
  throw new UsageError(`"${text}" is not a time span; write it as 90s, 15m, 12h or 7d`);
}

const AXES_MAX = 4;

/** Parses `3,-4` or `1,2,3,4`: coordinates left out at the end are 0. */
export function parsePosition(text: string): Position {
  return coordinatesOf(text, 0);
}

/** Throws a `UsageError` if a position is not at `missing` on the axes that a world of these dimensions lacks. */
export function requireAxes(position: Position, dimensions: number, missing = 0): void {
  if (position.slice(dimensions).some((coordinate) => coordinate !== missing))
    throw new UsageError(`${formatPosition(position)} has more than the ${dimensions} axes of the world`);
}

/** Parses `0,0,0,0..8,8,8,8`: from the first position to the second, exclusive; an omitted axis is 0 to 1. */
export function parseBox(text: string): Box {
  const [from, to, ...rest] = text.split("..");
  if (from === undefined || to === undefined || rest.length > 0) {
    throw new UsageError(`"${text}" is not a box; write it as 0,0,0,0..8,8,8,8`);
  }
  const [min, max] = [coordinatesOf(from, 0), coordinatesOf(to, 1)];
  if (min.some((coordinate, axis) => coordinate >= (max[axis] ?? 0))) {
    throw new UsageError(
      `"${text}" holds nothing; the lower corner comes first, and the upper one is not in it`,
    );
  }
  return boxBetween(min, max);
}

function coordinatesOf(text: string, missing: number): Position {
  const words = text.split(",").map((word) => word.trim());
  if (words.length > AXES_MAX || !words.every((word) => /^[-+]?\d{1,15}$/.test(word))) {
    throw new UsageError(`"${text}" is not a position; write it as 1,-2,3,4`);
  }
  const [x = missing, y = missing, z = missing, w = missing] = words.map(Number);
  return [x, y, z, w];
}

/** Parses `3` or `3..5`: a generation, and the one to compare it with, which is the live one by default. */
export function parseGenerations(text: string): readonly [before: number, after: number | undefined] {
  const { from, to } = /^(?<from>\d{1,15})(?:\.\.(?<to>\d{1,15}))?$/.exec(text)?.groups ?? {};
  if (from === undefined) throw new UsageError(`"${text}" names no generations; 3 or 3..5 would`);
  return [Number(from), to === undefined ? undefined : Number(to)];
}

/** Parses names such as `minecraft:oak_planks=planks`: what a block is called there, and here. */
export function parseNames(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const equals = text.indexOf("=");
      if (equals > 0 && equals < text.length - 1) return [text.slice(0, equals), text.slice(equals + 1)];
      throw new UsageError(`"${text}" is not a pair of names; write it as minecraft:oak_planks=planks`);
    }),
  );
}

const GENERATION = /^\d{1,15}$/;
const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Returns a parser for a saved state, as of `nowMs`: `41`, a name, `3d` for three days ago, or a date. */
export function parseMoment(nowMs: number): (text: string) => Moment {
  return (text) => {
    if (GENERATION.test(text)) return Number(text);
    if (DURATION.test(text)) return new Date(nowMs - parseDuration(text) * 1000);
    if (!DATE.test(text)) return text;
    const date = new Date(text);
    if (!Number.isNaN(date.getTime())) return date;
    throw new UsageError(`"${text}" is not a date; write it as 2026-11-15 or 2026-11-15T08:30Z`);
  };
}
