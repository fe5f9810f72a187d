import { lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

/** A command line in a document. */
export interface CommandLine {
  /** The words of the command, without quotes. */
  readonly words: readonly string[];
  readonly line: number;
  /** Whether it stands in a block, and so is complete; in a sentence it may lack its arguments. */
  readonly isWhole: boolean;
}

const FENCE = /^```(?<language>\w*)[^\n]*\n(?<body>.*?)^```$/gms;
const SPAN = /(?<!`)`(?<code>[^`\n]+)`(?!`)/g;
const SHELLS: readonly string[] = ["sh", "bash", "console"];
const SYSTEMD_START = /^ExecStart=(?<command>.+)$/gm;
/** A quoted word, a token that ends a command, or a plain word. */
const TOKEN = /"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<end>&&|\|\||[|;&>#])|(?<plain>[^\s"'|;&>]+)/g;

/** Returns every command line of a page or a systemd unit: in shell blocks, and in code within sentences. */
export function commandLines({ path, text }: SourceFile): readonly CommandLine[] {
  if (path.endsWith(".service")) {
    return [...text.matchAll(SYSTEMD_START)].flatMap(({ index, groups }) =>
      commandsOf(groups?.["command"] ?? "", lineAt(text, index), true),
    );
  }
  const inBlocks = [...text.matchAll(FENCE)].flatMap(({ index, groups }) => {
    const language = groups?.["language"] ?? "";
    if (!SHELLS.includes(language)) return [];
    const first = lineAt(text, index) + 1;
    return (groups?.["body"] ?? "").split("\n").flatMap((line, offset) => {
      if (language !== "console") return commandsOf(line, first + offset, true);
      return line.startsWith("$ ") ? commandsOf(line.slice(2), first + offset, true) : [];
    });
  });
  const prose = text.replace(FENCE, (block) => block.replace(/[^\n]/g, " "));
  const inSentences = [...prose.matchAll(SPAN)].flatMap(({ index, groups }) =>
    commandsOf(groups?.["code"] ?? "", lineAt(text, index), false),
  );
  return [...inBlocks, ...inSentences];
}

/** Splits a line of shell into its simple commands, as far as that needs no real shell. */
function commandsOf(text: string, line: number, isWhole: boolean): readonly CommandLine[] {
  const commands: string[][] = [[]];
  for (const { groups } of text.matchAll(TOKEN)) {
    if (groups?.["end"] === "#") break;
    if (groups?.["end"] !== undefined) commands.push([]);
    else commands.at(-1)?.push(groups?.["double"] ?? groups?.["single"] ?? groups?.["plain"] ?? "");
  }
  return commands.filter((words) => words.length > 0).map((words) => ({ words, line, isWhole }));
}
