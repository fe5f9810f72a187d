import type { OptionSpec } from "./command.ts";

/** What every command has. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: "--json", description: "print the result as one JSON object" },
  { flags: "-q, --quiet", description: "print errors alone, and what --json prints" },
];
