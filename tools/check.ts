import { spawnSync } from "node:child_process";
import { COMMANDS } from "@orthant/cli";
import { ERROR_CODES } from "@orthant/core";
import { bundleForBrowser } from "./browser-bundle.ts";
import { checkDocuments } from "./documents/check-documents.ts";
import { type Finding, formatFinding } from "./finding.ts";
import { checkLayers } from "./layers/check-layers.ts";
import { checkImportCycles } from "./layers/import-rules.ts";
import { checkNames } from "./layers/name-rules.ts";
import { checkLockfile } from "./lockfile/check-lockfile.ts";
import { readSourceTree } from "./source-tree.ts";
import { checkTidy } from "./tidy/check-tidy.ts";

// Usage: node build/tools/check.js [name of a check]...

interface Outcome {
  readonly passed: boolean;
  readonly output: string;
  /** A figure for the one-line report of a check that passed. */
  readonly remark?: string;
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const SUMMARY_LINE = /^\d+ passed, \d+ failed, \d+ skipped$/gm;
const tree = readSourceTree(".");

/** The tests come last, so that their summary is the last line. */
const CHECKS: Readonly<Record<string, () => Outcome | Promise<Outcome>>> = {
  lint: () => run("@biomejs/biome/bin/biome", "check", "--colors=off", "--error-on-warnings"),
  layers: () => report(checkLayers(tree)),
  cycles: () => report(checkImportCycles(tree)),
  names: () => report(checkNames(tree)),
  tidy: () => report(checkTidy(tree)),
  documents: () => report(checkDocuments(tree, { errors: ERROR_CODES, commands: COMMANDS })),
  lockfile: () => report(checkLockfile(tree)),
  unused: () => run("knip/bin/knip.js", "--no-progress"),
  bundle: bundleReport,
  tests: () => run("vitest/vitest.mjs", "run"),
};

process.exitCode = await runChecks(process.argv.slice(2));

async function runChecks(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => CHECKS[name] === undefined);
  if (unknown.length > 0) {
    console.error(`no check named ${unknown.join(", ")}; there are ${Object.keys(CHECKS).join(", ")}`);
    return 2;
  }
  let exitCode = 0;
  let summary: string | undefined;
  for (const [name, check] of Object.entries(CHECKS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const start = performance.now();
    const { passed, output, remark } = await check();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (!passed) console.log(output.trimEnd());
    console.log([passed ? "ok" : "FAILED", name, seconds, "s", ...(remark ? [`(${remark})`] : [])].join(" "));
    if (!passed) exitCode = 1;
    summary = output.match(SUMMARY_LINE)?.at(-1) ?? summary;
  }
  if (summary !== undefined) console.log(summary);
  return exitCode;
}

async function bundleReport(): Promise<Outcome> {
  try {
    const sizes = (await bundleForBrowser()).map(
      ({ name, bytes, gzipBytes }) =>
        `${name} in a browser: ${kibibytes(bytes)}, ${kibibytes(gzipBytes)} gzipped`,
    );
    return { passed: true, output: "", remark: sizes.join("; ") };
  } catch (error) {
    return { passed: false, output: String(error) };
  }
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

function report(findings: readonly Finding[]): Outcome {
  return { passed: findings.length === 0, output: findings.map(formatFinding).join("\n") };
}

function run(script: string, ...options: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [`node_modules/${script}`, ...options],
    {
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
      maxBuffer: OUTPUT_BYTES_MAX,
    },
  );
  return { passed: status === 0, output: `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}` };
}
