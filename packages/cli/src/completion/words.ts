import type { Command, OptionSpec } from "../command.ts";

/** An option as a shell completes it. */
export interface OptionWords {
  /** Such as `--quiet`. */
  readonly long: string;
  /** Such as `-q`. */
  readonly short: string | undefined;
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** The values that it may have; none are listed when any may follow. */
  readonly choices: readonly string[];
}

/** A command as a shell completes it. */
export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** What its arguments may be, all together. */
  readonly choices: readonly string[];
}

/** Commands as a shell completes them; every one has `--help` and the common options too. */
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
