import type { Command } from "../command.ts";
import { completionScript, SHELLS } from "../completion/shells.ts";
import { EXIT } from "../exit-codes.ts";
import { UsageError } from "../usage-error.ts";

/** `orthant completion`, which completes these commands and itself. */
export function completionCommand(others: readonly Command[], common: Command["options"]): Command {
  const command: Command = {
    name: "completion",
    summary: "Print what makes a shell complete orthant's commands",
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
      const script = completionScript(shell, [...others, command], common);
      context.printJson({ shell, script });
      context.printAll(script.split("\n"));
      return EXIT.ok;
    },
  };
  return command;
}
