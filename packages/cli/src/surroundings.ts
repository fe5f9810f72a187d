import type { Clock } from "@orthant/core";

/** Where text goes: a terminal, a pipe, a file, or a test. */
export interface TextSink {
  write(text: string): void;
  /** Whether a person looks at it as it comes. */
  readonly isTerminal: boolean;
  /** Letters in a line, where that is known. */
  readonly columns: number | undefined;
}

/** The machine around a command. */
export interface Surroundings {
  readonly output: TextSink;
  readonly errors: TextSink;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Aborted when the user wants the command to end, by Ctrl-C for one. */
  readonly signal: AbortSignal;
  /** Makes signals abort {@link signal}, from the first call on; before it they end the process at once. */
  readonly takeSignals?: () => void;
}
