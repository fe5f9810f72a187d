import type { OptionSpec } from "./command.ts";

/** Options of every command. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: "--json", description: "print the result as one JSON object" },
  { flags: "-q, --quiet", description: "print errors alone, and what --json prints" },
];
