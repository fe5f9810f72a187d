import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { transformWithOxc } from "vite";
import { describe, expect, test } from "vitest";
import { runnablePage } from "../documents/runnable-blocks.ts";

const run = promisify(execFile);
const MODULES = resolve("node_modules");
const COMPILER = join(MODULES, "typescript/bin/tsc");
const COMPILER_OPTIONS = "--noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes"
  .concat(" --noImplicitOverride --verbatimModuleSyntax --erasableSyntaxOnly --skipLibCheck")
  .concat(" --module nodenext --target es2022 --types node")
  .split(" ");
const GUIDES = "docs/guides";
/** All pages run at once, each in a process of its own, which takes long on a busy machine. */
const PAGE_MS = 120_000;
/** Guides with terminal sessions, which the tests of the command line run. */
const SESSIONS: readonly string[] = ["bring-your-world.md", "first-world.md", "take-your-world-elsewhere.md"];
/** Guides with commands that need hosts and servers; the tests of the commands start them. */
const HOST_GUIDES: readonly string[] = ["cluster.md", "containers.md"];
/** Guides with programs for a browser, which another test runs. */
const BROWSER_GUIDES: readonly string[] = ["draw-it-yourself.md", "worlds-in-the-browser.md"];
const PAGES = [
  "README.md",
  "docs/reference/blocks.md",
  "docs/reference/cluster.md",
  "docs/reference/looks.md",
  "docs/reference/mesh.md",
  "docs/reference/operations.md",
  "docs/reference/three.md",
  ...readdirSync(GUIDES)
    .filter((name) => ![...SESSIONS, ...HOST_GUIDES, ...BROWSER_GUIDES].includes(name))
    .map((name) => `${GUIDES}/${name}`),
];

/** Runs a function in a new folder that resolves the built packages. */
async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-page-"));
  try {
    await symlink(MODULES, join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the compiler's messages about the programs of pages, checked as strictly as our own code. */
async function compilerMessages(pages: readonly string[]): Promise<string> {
  return inFolder(async (folder) => {
    const names = pages.map((_page, index) => `page${index}.ts`);
    for (const [index, name] of names.entries()) {
      await writeFile(join(folder, name), runnablePage(pages[index] ?? "")?.module ?? "");
    }
    const compilation = run(process.execPath, [COMPILER, ...COMPILER_OPTIONS, ...names], { cwd: folder });
    return compilation.then(
      ({ stdout }) => stdout,
      ({ stdout }) => String(stdout),
    );
  });
}

/** Runs the program of a page with the built packages, in an empty folder. Returns its output. */
async function runPage(page: string): Promise<{ readonly printed: string; readonly expected: string }> {
  const program = runnablePage(page);
  if (program === undefined) throw new Error("there is nothing to run in it");
  const { code } = await transformWithOxc(program.module, "page.ts");
  return inFolder(async (folder) => {
    await writeFile(join(folder, "page.js"), code);
    await mkdir(join(folder, "empty"));
    const { stdout } = await run(process.execPath, ["../page.js"], { cwd: join(folder, "empty") });
    return { printed: stdout, expected: program.output };
  });
}

/** Returns a page with the in-memory backbone in place of NATS. */
function withoutNats(page: string): string {
  return page
    .replace('{ connectNats } from "@orthant/cluster/nats"', '{ MemoryHub } from "@orthant/testkit/cluster"')
    .replace(
      /connectNats\(\{.*\}\);$/m,
      "new MemoryHub({ time: systemTime, random: Math.random }).connect();",
    );
}

function fenced(language: string, ...lines: readonly string[]): string {
  return ["```".concat(language), ...lines, "```", ""].join("\n");
}

describe.concurrent("the code of a page", { timeout: PAGE_MS }, () => {
  test.each(PAGES)("%s does what the page says", async (path) => {
    const { printed, expected } = await runPage(withoutNats(readFileSync(path, "utf8")));
    expect(printed).toBe(expected);
  });

  test("compiles", async () => {
    expect(await compilerMessages(PAGES.map((path) => readFileSync(path, "utf8")))).toBe("");
  });

  test("is rejected when its types are wrong", async () => {
    const wrong = fenced("ts", 'import { AIR } from "@orthant/core";', "const air: string = AIR;");
    expect(await compilerMessages([wrong])).toContain("Type 'number' is not assignable to type 'string'");
  });

  test("is one program across all blocks, whose imports may repeat", async () => {
    const importing = 'import { AIR } from "@orthant/core";';
    const page = [
      fenced("ts", importing, "const two: number = AIR + 2;", "two; // => 2"),
      "Text, and a block that is only shown:\n",
      fenced("sh", "exit 1"),
      fenced("ts", importing, "console.log(`${two} more`);", "[two, AIR]; // => [2, 0]"),
      fenced("text", "2 more"),
    ].join("\n");
    expect(await runPage(page)).toEqual({ printed: "2 more\n", expected: "2 more\n" });
  });

  test.each<[what: string, code: string, complaint: string]>([
    ["gives another value", "1 + 1; // => 3", "line 2: 2 is not 3"],
    ["throws", 'throw new Error("no apples");', "no apples"],
    ["uses what is not there", 'import { apple } from "@orthant/core";\napple();', "apple"],
    ["is not code", "const = 1;", "Unexpected token"],
    ["says what a statement gives", "const one = 1; // => 1", "only an expression can have a result"],
  ])("is rejected when it %s", async (_what, code, complaint) => {
    await expect(runPage(fenced("ts", code))).rejects.toThrow(complaint);
  });

  test("is rejected when it prints something else", async () => {
    const { printed, expected } = await runPage(
      fenced("ts", 'console.log("pear");') + fenced("text", "apple"),
    );
    expect(printed).not.toBe(expected);
  });
});
