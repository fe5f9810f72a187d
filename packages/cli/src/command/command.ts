import { stat } from "node:fs/promises";
import { isOrthantError } from "@orthant/core";
import type { Context } from "./context.ts";
import { type ExitCode, UsageError } from "./usage.ts";

/** A positional argument: `<world>` is required, `[folder]` optional. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** Allowed values. */
  readonly choices?: readonly string[];
}

/** An option of a command. */
export interface OptionSpec {
  /** Such as `--dry-run`, `-o, --output <file>` or `--role <role>`. */
  readonly flags: string;
  readonly description: string;
  /** Value when the option is left out. */
  readonly default?: string;
  /** Allowed values. */
  readonly choices?: readonly string[];
  /** Values that completion offers; others are allowed too. */
  readonly suggestions?: readonly string[];
  /** Whether it may be given several times, each with a value; see `Arguments.all`. */
  readonly repeated?: boolean;
}

/** A command: its help and its action. Every command also has `--json` and `--quiet`. */
export interface Command {
  readonly name: string;
  /** What it does, in a line of at most 66 letters, without a full stop. */
  readonly summary: string;
  /** Further details, for its `--help`. */
  readonly details?: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** Whether it may need a generator of the world's game, so that its `--help` names `--generators`. */
  readonly usesGenerators?: boolean;
  /** A list for its `--help`, the heading first. */
  readonly notes?: readonly string[];
  /** Complete command lines, at least one. */
  readonly examples: readonly string[];
  /** Accesses the machine only through the context. Returns the exit code, and throws on failure. */
  run(args: Arguments, context: Context): Promise<ExitCode>;
}

/** The option for generators of a game. It may also stand before the name of the command. */
export const GENERATORS_OPTION: OptionSpec = {
  flags: "--generators <module>",
  description: "a file or package with the generators of your game; may be given several times",
  repeated: true,
};

/** Options of every command. */
const COMMON_OPTIONS: readonly OptionSpec[] = [
  { flags: "--json", description: "print the result as one JSON object" },
  { flags: "-q, --quiet", description: "print only errors; --json still prints its object" },
];

/** Returns all options of a command except `--help`. */
export function optionsOf({ options, usesGenerators = false }: Command): readonly OptionSpec[] {
  return [...options, ...(usesGenerators ? [GENERATORS_OPTION] : []), ...COMMON_OPTIONS];
}

/** The parsed arguments and options of a command. */
export class Arguments {
  readonly #positionals: readonly (string | undefined)[];
  readonly #options: Readonly<Record<string, unknown>>;

  /** Options by their names in camel case: `dryRun` for `--dry-run`. */
  constructor(positionals: readonly (string | undefined)[], options: Readonly<Record<string, unknown>>) {
    this.#positionals = positionals;
    this.#options = options;
  }

  /** Returns the argument at a position; the empty string for an optional one that was left out. */
  at(position: number): string {
    return this.#positionals[position] ?? "";
  }

  /** Whether an option without a value was given. */
  has(option: string): boolean {
    return this.#options[option] === true;
  }

  /** Returns the value of an option; `undefined` when it was left out and has no default. */
  text(option: string): string | undefined {
    const value = this.#options[option];
    return typeof value === "string" ? value : undefined;
  }

  /** Returns the values of a repeatable option, in order. */
  all(option: string): readonly string[] {
    const value = this.#options[option];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Parses the value of an option. Invalid text is wrong usage. */
  parsed<Value>(option: string, parse: (text: string) => Value): Value | undefined {
    const text = this.text(option);
    return text === undefined ? undefined : parseNamed(`--${dashed(option)}`, text, parse);
  }

  /** Parses the argument at a position. Invalid text is wrong usage. */
  parsedAt<Value>(position: number, name: string, parse: (text: string) => Value): Value {
    return parseNamed(name, this.at(position), parse);
  }
}

function parseNamed<Value>(name: string, text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text.trim());
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name}: ${error.message}`);
    if (isOrthantError(error)) throw new UsageError(`${name}: ${error.detail}`);
    throw error;
  }
}

/** Returns the name of an option as the user writes it. */
export function dashed(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Throws a {@link UsageError} unless the options, in camel case, name existing files (not folders). */
export async function requireOptionFiles(args: Arguments, options: readonly string[]): Promise<void> {
  for (const option of options) {
    const file = args.text(option);
    if (file === undefined) continue;
    const flag = `--${dashed(option)}`;
    const found = await stat(file).catch(() => undefined);
    if (found === undefined)
      throw new UsageError(`${flag}: there is no file "${file}"; check how it is spelled`);
    if (found.isDirectory()) throw new UsageError(`${flag}: "${file}" is a folder, where a file is wanted`);
  }
}
