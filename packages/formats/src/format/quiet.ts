import { systemTime } from "@orthant/core";
import type { FormatEnvironment } from "./format.ts";

/** For programs that show no progress. */
export const QUIET: FormatEnvironment = {
  time: systemTime,
  progress: () => ({ advance: () => undefined, end: () => undefined }),
  note: () => undefined,
};
