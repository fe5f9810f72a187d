import type { Command } from "./command.ts";

/** Returns the text of `orthant --help`, which fits a screen of 80 by 24. */
export function rootHelp(commands: readonly Command[], version: string): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `orthant ${version}: voxel worlds in two, three and four dimensions`,
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "orthant COMMAND --help says more; all commands have --json and --quiet.",
    "Exit codes: 0 fine, 1 failed or damaged, 2 wrong usage, 3 finished with loss.",
    "",
  ].join("\n");
}
