import type { Command, OptionSpec } from "../command.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { wordsOf } from "./words.ts";
import { zshScript } from "./zsh.ts";

/** The supported shells. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Returns a shell's script that completes commands, their options, and the values of these. */
export function completionScript(
  shell: (typeof SHELLS)[number],
  commands: readonly Command[],
  common: readonly OptionSpec[],
): string {
  return SCRIPTS[shell](wordsOf(commands, common));
}
