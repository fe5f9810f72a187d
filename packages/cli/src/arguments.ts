import { isOrthantError } from "@orthant/core";
import { UsageError } from "./usage-error.ts";

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

function dashed(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
