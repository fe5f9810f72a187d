import { UsageError } from "../usage-error.ts";

/** `3` or `3..5`: a generation, and the one that it is held against, which is the live one unless it is named. */
export function parseGenerations(text: string): readonly [before: number, after: number | undefined] {
  const { from, to } = /^(?<from>\d{1,15})(?:\.\.(?<to>\d{1,15}))?$/.exec(text)?.groups ?? {};
  if (from === undefined) throw new UsageError(`"${text}" names no generations; 3 or 3..5 would`);
  return [Number(from), to === undefined ? undefined : Number(to)];
}
