import { UsageError } from "../usage-error.ts";

/** Parses `3` or `3..5`: a generation, and the one to compare it with, which is the live one by default. */
export function parseGenerations(text: string): readonly [before: number, after: number | undefined] {
  const { from, to } = /^(?<from>\d{1,15})(?:\.\.(?<to>\d{1,15}))?$/.exec(text)?.groups ?? {};
  if (from === undefined) throw new UsageError(`"${text}" names no generations; 3 or 3..5 would`);
  return [Number(from), to === undefined ? undefined : Number(to)];
}
