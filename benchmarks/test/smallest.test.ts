import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type EndedRun, EXIT_MISSING, runFor, startSmallest } from "@orthant/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../child.ts";
import { lineOf } from "../figure.ts";
import { bytesIn } from "../folder-bytes.ts";
import { MissingError, required } from "../missing.ts";
import { tickFigure } from "../server.ts";

/** Returns the exit code and the lines of a run of suites that end as given. */
async function started(
  ends: Readonly<Record<string, EndedRun>>,
): Promise<{ readonly exitCode: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const exitCode = await startSmallest({
    what: "suites",
    names: Object.keys(ends),
    run: async (suite) => ends[suite] as EndedRun,
    workOf: (suite, output) => (output.includes(`${suite}/`) ? "some figures" : undefined),
    print: (line) => lines.push(line.replace(/, \d+ s$/, "")),
  });
  return { exitCode, lines };
}

describe("all suites at their smallest size", () => {
  const good: EndedRun = { exitCode: 0, output: "machine: 2\na/x: 1 ms\na/y: 2 ms\n" };

  test("are counted as started or skipped, with a line for each", async () => {
    const missing = { exitCode: EXIT_MISSING, output: "machine: 2\nno Luanti here\n" };
    expect(await started({ a: good, b: missing })).toEqual({
      exitCode: 0,
      lines: [
        "a: started, some figures",
        "b: skipped, no Luanti here",
        "smallest: 2 suites, 1 started, 1 skipped, 0 failed",
      ],
    });
  });

  test.each<[why: string, ended: EndedRun, detail: string]>([
    ["crashes", { exitCode: 7, output: "Error: no file\n" }, "exit code 7"],
    ["measures nothing", { exitCode: 0, output: "machine: 2\n" }, "it did nothing"],
    ["does not end", { exitCode: undefined, output: "a/x: 1\n" }, "it did not end within 300 s"],
  ])("fail when one %s, and show what it printed", async (_why, ended, detail) => {
    const { exitCode, lines } = await started({ a: ended, b: { ...good, output: "b/x: 1\n" } });
    expect(exitCode).toBe(1);
    expect(lines[0]).toBe(ended.output.trimEnd());
    expect(lines[1]).toContain(`a: failed, ${detail}`);
    expect(lines.at(-1)).toBe("smallest: 2 suites, 1 started, 0 skipped, 1 failed");
  });

  test("run as programs of their own, which are killed with all that they started", async () => {
    const run = (source: string, msMax = 60_000) => runFor(msMax, ["--input-type=module", "-e", source]);
    expect(await run('console.log("a"); console.error("b"); process.exitCode = 3;')).toMatchObject({
      exitCode: 3,
    });
    expect(await run('process.kill(process.pid, "SIGTERM"); setInterval(() => undefined, 1);')).toEqual({
      exitCode: 1,
      output: "ended by SIGTERM\n",
    });
    const nested = 'spawn(process.execPath, ["-e", "setInterval(() => 0, 1)"], { stdio: "inherit" })';
    expect(
      await run(`import { spawn } from "node:child_process"; ${nested}; setInterval(() => 0, 1);`, 300),
    ).toEqual({ exitCode: undefined, output: "" });
  });

  test("skip what a machine lacks, with the first line of the reason", () => {
    const find = (): never => {
      throw new Error("no server here\ndetails");
    };
    expect(() => required(find)).toThrow(new MissingError("no server here"));
  });
});

describe("a program that a suite asks", () => {
  test("fails the order when it ends without an answer", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orthant-bench-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, "program.mjs");
    writeFileSync(program, 'process.on("message", () => process.exit(4));');
    const child = new Child<object, object>(pathToFileURL(program));
    await expect(child.ask({})).rejects.toThrow("program.mjs ended with exit code 4");
    await expect(child.ask({})).rejects.toThrow("program.mjs ended with exit code 4");
    await child.end();
  });
});

describe("the bytes of a folder", () => {
  test("are counted although files go away meanwhile", async () => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-bench-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const paths = Array.from({ length: 200 }, (_, index) => join(folder, `${index}`));
    for (const path of paths) await writeFile(path, "12345");
    expect(await bytesIn(folder)).toBe(1_000);
    const counting = bytesIn(folder);
    for (const path of paths) await rm(path);
    expect(await counting).toBeLessThanOrEqual(1_000);
    expect(await bytesIn(folder)).toBe(0);
  });
});

describe("the ticks of a server", () => {
  test("have the time until the next one as their budget, up to two thousand clients", () => {
    const late = { p50: 58, p99: 128.8 };
    expect(lineOf(tickFigure(2_000, late, "335 MiB"))).toBe(
      "server/2000-tick: 129 ms at p99 (budget: at most 100); p50 58.0 ms; a tick is 100 ms; 335 MiB MISSED",
    );
    expect(tickFigure(2_000, { p50: 50, p99: 100 }, "").missed).toBe(false);
    expect(tickFigure(2_000, { p50: Number.NaN, p99: Number.NaN }, "").missed).toBe(true);
    expect(tickFigure(4_000, late, "")).toMatchObject({ missed: false, value: 128.8 });
  });
});
