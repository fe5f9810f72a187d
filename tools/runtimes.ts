import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ENGINE_TESTS, RUNTIME_TESTS, RUNTIMES, type Runtime } from "./runtimes/runtimes.ts";

// Usage: node build/tools/runtimes.js [name of a runtime]...
// Runs the tests that depend on the runtime on each version of Node that we support, on Bun and on Deno.

/** Twice the limit of the ordinary run: other runtimes start slower, and so do their processes. */
const TEST_MS_MAX = 120_000;

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

process.exitCode = main(process.argv.slice(2));

function main(names: readonly string[]): number {
  const known = RUNTIMES.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`no runtime named ${unknown.join(", ")}; there are ${known.join(", ")}`);
    return 2;
  }
  const chosen = RUNTIMES.filter(({ name }) => names.length === 0 || names.includes(name));
  // All of them run, even after one has failed.
  return chosen.map(passes).includes(false) ? 1 : 0;
}

/** Runs the tests on a runtime, and prints a line with the numbers. */
function passes(runtime: Runtime): boolean {
  const tests = [...RUNTIME_TESTS, ...(runtime.hasOtherEngine === true ? ENGINE_TESTS : [])];
  const program = installed(runtime);
  const version = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.match(/\d+\.\d+\.\d+/)?.[0];
  const folder = mkdtempSync(join(tmpdir(), "orthant-runtime-"));
  try {
    const file = join(folder, "report.json");
    const { status, stdout, stderr } = spawnSync(
      program,
      [...runtime.parameters, ...vitest(runtime, file), ...tests],
      {
        encoding: "utf8",
        env: { ...process.env, NO_COLOR: "1", ORTHANT_RUNTIME: runtime.name },
        maxBuffer: 2 ** 28,
      },
    );
    if (!existsSync(file)) {
      console.log(`${stdout}${stderr}\n${runtime.name} ${version}: the tests did not run`);
      return false;
    }
    const { failures, line } = summaryOf(runtime, JSON.parse(readFileSync(file, "utf8")) as TestReport);
    // The runner also fails for errors outside of any test, which its report does not list.
    if (failures.length === 0 && status !== 0) failures.push(`${stdout}${stderr}`);
    for (const failure of failures) console.log(failure);
    console.log(`${runtime.name} ${version}: ${line}`);
    return failures.length === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the path of a runtime's program, which is installed when it is first used. */
function installed({ name, program }: Runtime): string {
  const folder = resolve("tools/runtimes", name);
  const path = join(folder, "node_modules", name, program);
  if (!existsSync(path)) {
    const { status, stderr } = spawnSync("npm", ["ci", "--prefix", folder], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${name} cannot be installed: ${stderr}`);
  }
  return path;
}

function vitest({ pool, leftOut }: Runtime, file: string): readonly string[] {
  const titles = leftOut.map(({ title }) => title.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...["--project", "!long", "--testTimeout", String(TEST_MS_MAX)],
    ...["--reporter", "json", "--outputFile", file],
    ...(pool === undefined ? [] : ["--pool", pool]),
    ...(titles.length === 0 ? [] : ["--testNamePattern", `^(?!.*(?:${titles.join("|")}))`]),
  ];
}

function summaryOf(
  { leftOut }: Runtime,
  { testResults }: TestReport,
): { readonly failures: string[]; readonly line: string } {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const isLeftOut = ({ fullName }: TestResult): boolean =>
    leftOut.some(({ title }) => fullName.includes(title));
  const failed = tests.filter(({ status }) => status === "failed");
  const failures = failed.map(
    ({ fullName, failureMessages }) => `FAILED ${fullName}\n${failureMessages?.join("\n")}`,
  );
  // A file that fails to load has no tests, and must not look like a success.
  for (const { name, status, message, assertionResults } of testResults)
    if (status === "failed" && assertionResults.length === 0) failures.push(`FAILED ${name}\n${message}`);
  for (const { title } of leftOut)
    if (!tests.some(({ fullName }) => fullName.includes(title)))
      failures.push(`FAILED no test is named ${title}`);
  const passed = tests.filter(({ status }) => status === "passed").length;
  const out = tests.filter(isLeftOut).length;
  const skipped = tests.length - passed - failed.length - out;
  const line = `${passed} passed, ${failures.length} failed, ${out} left out`;
  return { failures, line: skipped === 0 ? line : `${line}, ${skipped} skipped` };
}
