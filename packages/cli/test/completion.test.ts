import { execFileSync } from "node:child_process";
import { COMMANDS, EXIT } from "@orthant/cli";
import { describe, expect, test } from "vitest";
import { capture } from "./captured.ts";

async function scriptFor(shell: string): Promise<string> {
  const { exitCode, output } = await capture(["completion", shell]);
  expect(exitCode).toBe(EXIT.ok);
  return output;
}

/** Returns what bash offers for a line whose last word is incomplete. */
async function offeredByBash(...words: readonly string[]): Promise<readonly string[]> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program = `${await scriptFor("bash")}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _orthant; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", program], { encoding: "utf8" }).trim().split("\n");
}

describe("completion", () => {
  test.each<[line: readonly string[], offered: readonly string[]]>([
    [
      ["orthant", "re"],
      ["repair", "replay"],
    ],
    [
      ["orthant", "create", "--template", "t"],
      ["terrain", "tiles"],
    ],
    [["orthant", "create", "-t", "p"], ["platforms"]],
    [["orthant", "ls", "world", "reg"], ["regions"]],
    [["orthant", "ls", "world", "--l"], ["--limit"]],
    [["orthant", "verify", "world", "--j"], ["--json"]],
    [["orthant", "completion", "z"], ["zsh"]],
    [["orthant", "verify", "no-such-word"], [""]],
  ])("completion of %j in bash offers %j", async (line, offered) => {
    expect((await offeredByBash(...line)).filter((word) => word !== "restore")).toEqual(offered);
  });

  test.each(["zsh", "fish"])("completion for %s names every command and every option", async (shell) => {
    const script = await scriptFor(shell);
    for (const { name, options } of COMMANDS) {
      expect(script).toMatch(new RegExp(`\\b${name}\\b`));
      for (const { flags } of options) {
        const long = /--(?<long>[\w-]+)/.exec(flags)?.groups?.["long"] ?? "";
        expect(script).toContain(shell === "zsh" ? `'--${long}[` : `-l ${long} `);
      }
    }
  });

  test("rejects an unknown shell", async () => {
    expect((await capture(["completion", "csh"])).exitCode).toBe(EXIT.usage);
  });
});
