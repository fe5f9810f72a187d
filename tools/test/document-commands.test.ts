import { COMMANDS } from "@orthant/cli";
import { describe, expect, test } from "vitest";
import { checkCommands } from "../documents/orthant-commands.ts";
import { type SourceTree, sourceFile } from "../source-tree.ts";

const SCRIPTS = JSON.stringify({ scripts: { check: "x", campaign: "x", bench: "x" } });
const KNOWN: SourceTree = [
  sourceFile("package.json", SCRIPTS),
  sourceFile("campaigns/kill.ts", ""),
  sourceFile("benchmarks/wire.ts", ""),
  sourceFile("examples/game/package.json", JSON.stringify({ scripts: { dev: "x" } })),
  sourceFile(
    "packages/create-orthant/templates/game/package.json",
    JSON.stringify({ scripts: { play: "x" } }),
  ),
];

function problemsOf(text: string, path = "docs/page.md"): readonly string[] {
  return checkCommands([...KNOWN, sourceFile(path, text)], COMMANDS).map(({ problem }) => problem);
}

function block(language: string, ...lines: readonly string[]): string {
  return ["```".concat(language), ...lines, "```", ""].join("\n");
}

describe("commands in documents", () => {
  test.each([
    "orthant info my-world --json",
    "npx orthant map isles --slice w=3 --output w3.png # a picture",
    "cd here && npx orthant backup valley 'a folder' | tee log",
    "orthant get world -1,2,3",
    "orthant create --help",
    "orthant COMMAND --help",
    "npm install orthant",
    "npm run check && npm run campaign -- kill --minutes 0.3",
    "npm run campaign -- NAME",
  ])("are accepted when they would work: %s", (line) => {
    expect(problemsOf(block("sh", line))).toEqual([]);
  });

  test.each<[line: string, problem: string]>([
    ["orthant inof my-world", "calls orthant inof, which there is not"],
    ["npx orthant info my-world --loud", "gives orthant info the option --loud, which it has not"],
    ["orthant backup my-world", "gives orthant backup 1 arguments, where it takes 2 to 2"],
    ["true; orthant info a b", "gives orthant info 2 arguments, where it takes 1 to 1"],
    ["npm run chekc", "calls npm run chekc, which there is not"],
    ["npm run campaign -- kil", "calls npm run campaign -- kil, but there is no campaigns/kil.ts"],
    ["npm run bench -- wires", "calls npm run bench -- wires, but there is no benchmarks/wires.ts"],
    ["npm run dev", "calls npm run dev, which there is not"],
  ])("are reported when they would not work: %s", (line, problem) => {
    expect(problemsOf(block("sh", line))).toEqual([problem]);
    expect(problemsOf(block("console", `$ ${line}`, line))).toEqual([problem]);
  });

  test("may lack arguments in a sentence, but must not have unknown options", () => {
    expect(problemsOf("Use `orthant backup`, or `orthant serve --acknowledge durable`.")).toEqual([]);
    expect(problemsOf("Use `orthant backup --fast`.")).toEqual([
      "gives orthant backup the option --fast, which it has not",
    ]);
  });

  test("are checked in systemd units, and against the scripts of the page's own folder", () => {
    const unit = "[Service]\nExecStart=/usr/bin/npx orthant serve valley --ports 1\n";
    expect(problemsOf(unit, "docs/orthant.service")).toEqual([
      "gives orthant serve the option --ports, which it has not",
    ]);
    expect(problemsOf(block("sh", "npm run dev"), "examples/game/README.md")).toEqual([]);
  });

  test("are checked against the scripts of templates once the page creates a project", () => {
    expect(problemsOf(block("sh", "npm create orthant", "npm run play"))).toEqual([]);
    expect(problemsOf(block("sh", "npm run play"))).toEqual(["calls npm run play, which there is not"]);
  });

  test("are not searched for in output and in other languages", () => {
    expect(problemsOf(block("console", "$ true", "orthant: no"))).toEqual([]);
    expect(problemsOf(block("text", "orthant inof"))).toEqual([]);
  });

  test("work in the examples of every command's help", () => {
    const examples = COMMANDS.flatMap((command) => command.examples);
    expect(examples.length).toBeGreaterThan(COMMANDS.length);
    expect(problemsOf(block("sh", ...examples))).toEqual([]);
  });
});
