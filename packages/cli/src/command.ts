import type { Arguments } from "./arguments.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";

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
  /** A list for its `--help`, the heading first. */
  readonly notes?: readonly string[];
  /** Complete command lines, at least one. */
  readonly examples: readonly string[];
  /** Accesses the machine only through the context. Returns the exit code, and throws on failure. */
  run(args: Arguments, context: Context): Promise<ExitCode>;
}
