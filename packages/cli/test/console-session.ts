/** A command that a page shows after `$ `, with its expected output. */
export interface ShownCommand {
  readonly command: string;
  readonly expected: readonly string[];
  /** Starting at 1. */
  readonly line: number;
}

/** What a page asks a reader to do in a terminal. */
export interface Session {
  /** Files that the reader creates: blocks whose fence has a file name after the language. */
  readonly files: ReadonlyMap<string, string>;
  readonly commands: readonly ShownCommand[];
}

const FENCE = /^```(?<info>[^\n]*)\n(?<body>.*?)^```$/gms;

/** Reads the `console` blocks of a page, and the blocks that are files. */
export function sessionOf(page: string): Session {
  const files = new Map<string, string>();
  const commands: ShownCommand[] = [];
  for (const { index, groups } of page.matchAll(FENCE)) {
    const { info = "", body = "" } = groups ?? {};
    const [language = "", name] = info.split(" ");
    if (name !== undefined) files.set(name, body);
    if (language === "console")
      commands.push(...commandsOf(body, page.slice(0, index).split("\n").length + 1));
  }
  return { files, commands };
}

/** Whether a line matches a page, where an ellipsis stands for any text. */
export function matchesShown(shown: string, actual: string): boolean {
  const pattern = shown
    .split("…")
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".+");
  return new RegExp(`^${pattern}$`).test(actual);
}

function commandsOf(body: string, firstLine: number): readonly ShownCommand[] {
  const commands: { command: string; expected: string[]; line: number }[] = [];
  for (const [index, text] of body.trimEnd().split("\n").entries()) {
    const line = firstLine + index;
    if (text.startsWith("$ ")) commands.push({ command: text.slice(2), expected: [], line });
    else if (commands.length === 0) throw new Error(`line ${line}: output of no command`);
    else commands.at(-1)?.expected.push(text);
  }
  return commands;
}
