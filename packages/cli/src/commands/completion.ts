import { type Command, type OptionSpec, optionsOf } from "../command/command.ts";
import { EXIT, UsageError } from "../command/usage.ts";

/** `orthant completion`, which completes these commands and itself. */
export function completionCommand(others: readonly Command[]): Command {
  const command: Command = {
    name: "completion",
    summary: "Print a completion script for a shell",
    arguments: [{ name: "<shell>", description: "which shell", choices: SHELLS }],
    options: [],
    examples: [
      'eval "$(orthant completion bash)"',
      'orthant completion zsh > "$HOME/.zfunc/_orthant"',
      "orthant completion fish > ~/.config/fish/completions/orthant.fish",
    ],

    async run(args, context) {
      const shell = SHELLS.find((known) => known === args.at(0));
      if (shell === undefined) throw new UsageError(`no completion for "${args.at(0)}"`);
      const script = completionScript(shell, [...others, command]);
      context.printJson({ shell, script });
      context.printAll(script.split("\n"));
      return EXIT.ok;
    },
  };
  return command;
}

/** The supported shells. */
const SHELLS = ["bash", "zsh", "fish"] as const;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Returns a shell's script that completes commands, their options, and the values of these. */
function completionScript(shell: (typeof SHELLS)[number], commands: readonly Command[]): string {
  return SCRIPTS[shell](wordsOf(commands));
}

/** An option for completion. */
interface OptionWords {
  /** Such as `--quiet`. */
  readonly long: string;
  /** Such as `-q`. */
  readonly short: string | undefined;
  readonly description: string;
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** Values to offer; empty when completion knows none. */
  readonly choices: readonly string[];
}

/** A command for completion. */
interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** Allowed values of all its arguments together. */
  readonly choices: readonly string[];
}

/** Returns the commands for completion. Each also has `--help`. */
function wordsOf(commands: readonly Command[]): readonly CommandWords[] {
  const help: OptionSpec = { flags: "-h, --help", description: "display help for command" };
  return commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    options: [...optionsOf(command), help].map(optionWords),
    choices: command.arguments.flatMap(({ choices = [] }) => choices),
  }));
}

function optionWords({ flags, description, choices, suggestions = [] }: OptionSpec): OptionWords {
  return {
    long: /--[\w-]+/.exec(flags)?.[0] ?? "",
    short: /^-\w(?=,)/.exec(flags)?.[0],
    description,
    takesValue: /[<[]/.test(flags),
    choices: choices ?? suggestions,
  };
}

/** Returns the script for bash. It offers files when no word matches. */
function bashScript(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `_orthant() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}:$previous" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${commands.map(wordCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _orthant orthant`;
}

/** Offers the allowed values after an option that has them. */
function valueCases({ name, options }: CommandWords): readonly string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ long, short, choices }) => {
      const patterns = [long, ...(short === undefined ? [] : [short])].map((flag) => `${name}:${flag}`);
      return `    ${patterns.join("|")}) COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current")); return ;;`;
    });
}

function wordCase({ name, options, choices }: CommandWords): string {
  return `    ${name}) words="${[...choices, ...options.map(({ long }) => long)].join(" ")}" ;;`;
}

/** Returns the script for zsh, for a file named `_orthant` in a folder of `fpath`. */
function zshScript(commands: readonly CommandWords[]): string {
  return [
    "#compdef orthant",
    "_orthant() {",
    "  local -a commands",
    "  commands=(",
    ...commands.map(({ name, summary }) => `    ${zshQuoted(`${name}:${summary}`)}`),
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
  return zshQuoted(`${long}[${description.replace(/[[\]:]/g, "")}]${value}`);
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the script for fish. */
function fishScript(commands: readonly CommandWords[]): string {
  const lines = ["complete -c orthant -e"];
  for (const { name, summary } of commands) {
    lines.push(`complete -c orthant -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(summary)}`);
  }
  for (const { name, options, choices } of commands) {
    const condition = fishQuoted(`__fish_seen_subcommand_from ${name}`);
    if (choices.length > 0)
      lines.push(`complete -c orthant -n ${condition} -a ${fishQuoted(choices.join(" "))}`);
    for (const option of options) lines.push(`complete -c orthant -n ${condition} ${flagsOf(option)}`);
  }
  return lines.join("\n");
}

function flagsOf({ long, short, description, takesValue, choices }: OptionWords): string {
  return [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.slice(2)}`,
    ...(choices.length > 0 ? [`-x -a ${fishQuoted(choices.join(" "))}`] : takesValue ? ["-r"] : []),
    `-d ${fishQuoted(description)}`,
  ].join(" ");
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
