import type { CommandWords, OptionWords } from "./words.ts";

/** Returns the script for fish. */
export function fishScript(commands: readonly CommandWords[]): string {
  const lines = ["complete -c orthant -e"];
  for (const { name, summary } of commands) {
    lines.push(`complete -c orthant -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`);
  }
  for (const { name, options, choices } of commands) {
    const condition = quoted(`__fish_seen_subcommand_from ${name}`);
    if (choices.length > 0) lines.push(`complete -c orthant -n ${condition} -a ${quoted(choices.join(" "))}`);
    for (const option of options) lines.push(`complete -c orthant -n ${condition} ${flagsOf(option)}`);
  }
  return lines.join("\n");
}

function flagsOf({ long, short, description, takesValue, choices }: OptionWords): string {
  return [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.slice(2)}`,
    ...(choices.length > 0 ? [`-x -a ${quoted(choices.join(" "))}`] : takesValue ? ["-r"] : []),
    `-d ${quoted(description)}`,
  ].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
