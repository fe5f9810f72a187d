import type { Clock } from "@orthant/core";

/** Destination of text: a terminal, a pipe, a file, or a test. */
export interface TextSink {
  write(text: string): void;
  /** Whether it is an interactive terminal. */
  readonly isTerminal: boolean;
  /** Characters per line, if known. */
  readonly columns: number | undefined;
}

/** The environment of a command. */
export interface Surroundings {
  readonly output: TextSink;
  readonly errors: TextSink;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Aborted when the user stops the command, for example with Ctrl-C. */
  readonly signal: AbortSignal;
  /** Makes signals abort {@link signal} from the first call on; before, they end the process at once. */
  readonly takeSignals?: () => void;
}
