import type { TimeSource } from "@orthant/core";

/** Destination of text: a terminal, a pipe, a file, or a test. */
export interface TextSink {
  write(text: string): void;
  /** Whether it is an interactive terminal. */
  readonly isTerminal: boolean;
  /** Characters per line, if known. */
  readonly columns: number | undefined;
}

/** The environment of a command. */
export interface CommandEnvironment {
  readonly output: TextSink;
  readonly errors: TextSink;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly time: TimeSource;
  /** Aborted when the user stops the command, for example with Ctrl-C. */
  readonly signal: AbortSignal;
  /** Makes signals abort {@link signal} from the first call on; before, they end the process at once. */
  readonly takeSignals?: () => void;
}

/** A style of text. */
export type TextStyle = "bold" | "dim" | "green" | "red" | "yellow";

/** Applies a style to text, where the output supports it. */
export type Style = (style: TextStyle, text: string) => string;

/** Codes that turn each style on and off: select graphic rendition, ECMA-48. */
const CODES: Readonly<Record<TextStyle, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** For a pipe or a file: returns the text unchanged. */
export const plainStyle: Style = (_style, text) => text;

/** For a terminal. Not Node's `styleText`, which decides by itself whether standard output is one. */
export const terminalStyle: Style = (style, text) => {
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};
