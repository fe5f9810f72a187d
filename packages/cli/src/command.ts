import type { Arguments } from "./arguments.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";

/** What stands behind a command's name, without a dash: `<world>` has to be there, `[folder]` may be. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** The only values that it may have. */
  readonly choices?: readonly string[];
}

/** What may stand anywhere behind a command's name, with a dash. */
export interface OptionSpec {
  /** Such as `--dry-run`, `-o, --output <file>` or `--role <role>`. */
  readonly flags: string;
  readonly description: string;
  /** What counts when it is left out. */
  readonly default?: string;
  /** The only values that it may have. */
  readonly choices?: readonly string[];
  /** Whether it may be given several times, each with a value; `Arguments.all` has them. */
  readonly repeated?: boolean;
}

/** A command: what there is to say about it, and what it does. Every one also has `--json` and `--quiet`. */
export interface Command {
  readonly name: string;
  /** What it does, in a line of at most 66 letters, without a full stop. */
  readonly summary: string;
  /** What else there is to know, for its `--help`. */
  readonly details?: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** A list for its `--help`, the heading first. */
  readonly notes?: readonly string[];
  /** Whole lines that somebody may type, at least one. */
  readonly examples: readonly string[];
  /** Touches the machine only through the context, gives the exit code, and throws what went wrong. */
  run(args: Arguments, context: Context): Promise<ExitCode>;
}
