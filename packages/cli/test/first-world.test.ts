import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./captured.ts";
import { matchesShown, type Session, sessionOf } from "./console-session.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/guides/first-world.md"), "utf8");
const SESSION_MS = 120_000;

/** Runs all commands of a session, one after the other in one shell, and gives what each printed. */
async function play({ files, commands }: Session): Promise<readonly (readonly string[])[]> {
  if (!existsSync(MAIN)) throw new Error("build first: npm run build");
  const folder = await temporaryFolder();
  const [work, programs, printed] = ["work", "programs", "printed"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [work, programs, printed]) mkdirSync(made);
  symlinkSync(join(ROOT, "node_modules"), join(work, "node_modules"));
  writeFileSync(join(programs, "orthant"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(programs, "orthant"), 0o755);
  for (const [name, content] of files) writeFileSync(join(work, name), content);
  // Each runs in the shell itself, so that $? and variables stay.
  const script = commands
    .map(({ command }, index) => `{ ${command}\n} > "${printed}/${index}" 2>&1`)
    .join("\n");
  execFileSync("bash", ["-c", `${script}\ntrue`], {
    cwd: work,
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"] ?? ""}` },
    stdio: "ignore",
  });
  return commands.map((_command, index) => {
    const text = readFileSync(join(printed, String(index)), "utf8");
    return text === "" ? [] : text.trimEnd().split("\n");
  });
}

describe("docs/guides/first-world.md", () => {
  const session = sessionOf(PAGE);

  test(
    "can be followed as it is written",
    async () => {
      const printed = await play(session);
      for (const [index, { command, expected, line }] of session.commands.entries()) {
        const actual = printed[index] ?? [];
        const isShown =
          actual.length === expected.length &&
          actual.every((text, at) => matchesShown(expected[at] ?? "", text));
        expect(isShown ? expected : actual, `line ${line}: ${command}`).toEqual(expected);
      }
    },
    SESSION_MS,
  );

  test("shows every step, and a script of five lines", () => {
    const commands = session.commands.map(({ command }) => command);
    for (const step of ["create", "map", "verify", "repair", "diff", "serve", "info"]) {
      expect(
        commands.some((command) => command.includes(`orthant ${step} `)),
        step,
      ).toBe(true);
    }
    expect(session.files.get("edit.mjs")?.trimEnd().split("\n")).toHaveLength(5);
  });
});

describe("a page that shows another output", () => {
  test.each<[what: string, shown: string, actual: string, matches: boolean]>([
    ["the same line", "whole: 0 notices", "whole: 0 notices", true],
    ["another number", "whole: 0 notices", "whole: 1 notices", false],
    ["what differs each time", "token  …", "token  eyJhbGci", true],
    ["nothing in its place", "token  …", "token  ", false],
    ["a letter for a point", "1.8 KiB", "1x8 KiB", false],
    ["more behind it", "packs  1", "packs  12", false],
  ])("is told: %s", (_what, shown, actual, matches) => {
    expect(matchesShown(shown, actual)).toBe(matches);
  });

  test("is told from one whose command prints what it shows", async () => {
    const page = ["```console", "$ printf 'a\\nb\\n'; false", "a", "b", "$ echo $?", "1", "```"].join("\n");
    expect(await play(sessionOf(page))).toEqual([["a", "b"], ["1"]]);
  });
});
