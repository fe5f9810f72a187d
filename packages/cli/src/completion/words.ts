import type { Command, OptionSpec } from "../command.ts";

/** An option for completion. */
export interface OptionWords {
  /** Such as `--quiet`. */
  readonly long: string;
  /** Such as `-q`. */
  readonly short: string | undefined;
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** Allowed values; empty when any value is allowed. */
  readonly choices: readonly string[];
}

/** A command for completion. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** Allowed values of all its arguments together. */
  readonly choices: readonly string[];
}

/** Returns the commands for completion. Each also has `--help` and the common options. */
export function wordsOf(
  commands: readonly Command[],
  common: readonly OptionSpec[],
): readonly CommandWords[] {
  const help: OptionSpec = { flags: "-h, --help", description: "display help for command" };
  return commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    options: [...command.options, ...common, help].map(optionWords),
    choices: command.arguments.flatMap(({ choices = [] }) => choices),
  }));
}

function optionWords({ flags, description, choices = [] }: OptionSpec): OptionWords {
  return {
    long: /--[\w-]+/.exec(flags)?.[0] ?? "",
    short: /^-\w(?=,)/.exec(flags)?.[0],
    description,
    takesValue: /[<[]/.test(flags),
    choices,
  };
}
