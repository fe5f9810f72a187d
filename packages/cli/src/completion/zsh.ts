import type { CommandWords, OptionWords } from "./words.ts";

/** Returns the script for zsh, for a file named `_orthant` in a folder of `fpath`. */
export function zshScript(commands: readonly CommandWords[]): string {
  return [
    "#compdef orthant",
    "_orthant() {",
    "  local -a commands",
    "  commands=(",
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`),
    "  )",
    "  if (( CURRENT == 2 )); then",
    "    _describe command commands",
    "    return",
    "  fi",
    '  case "$words[2]" in',
    ...commands.flatMap(({ name, options, choices }) => [
      `    ${name})`,
      "      _arguments '1: :' \\",
      ...options.map((option) => `        ${optionSpec(option)} \\`),
      `        '*: :${choices.length === 0 ? "_files" : `(${choices.join(" ")})`}'`,
      "      ;;",
    ]),
    "  esac",
    "}",
    '_orthant "$@"',
  ].join("\n");
}

function optionSpec({ long, description, takesValue, choices }: OptionWords): string {
  const value = choices.length > 0 ? `: :(${choices.join(" ")})` : takesValue ? ": :_files" : "";
  return quoted(`${long}[${description.replace(/[[\]:]/g, "")}]${value}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
