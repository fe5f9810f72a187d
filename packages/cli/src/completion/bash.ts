import type { CommandWords } from "./words.ts";

/** Returns the script for bash. It offers files when no word matches. */
export function bashScript(commands: readonly CommandWords[]): string {
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
