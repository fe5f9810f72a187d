/** How a piece of text looks. */
export type Look = "bold" | "dim" | "green" | "red" | "yellow";

/** Applies a look to text, where the output supports it. */
export type Style = (look: Look, text: string) => string;

/** Codes that turn each look on and off: select graphic rendition, ECMA-48. */
const CODES: Readonly<Record<Look, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** For a pipe or a file: returns the text unchanged. */
export const plainStyle: Style = (_look, text) => text;

/** For a terminal. Not Node's `styleText`, which decides by itself whether standard output is one. */
export const terminalStyle: Style = (look, text) => {
  const [on, off] = CODES[look];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};
