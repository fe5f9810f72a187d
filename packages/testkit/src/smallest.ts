import { spawn } from "node:child_process";
import { once } from "node:events";

/** Exit code of a suite or campaign that needs what this machine lacks. The last line that it prints says what. */
export const EXIT_MISSING = 3;
/** Whatever takes longer at its smallest size has forgotten to give one to something. */
const MS_MAX = 300_000;
const LANES = 2;

/** How a program ended: its exit code, `undefined` if it was stopped because it took too long, and what it printed. */
export interface EndedRun {
  readonly exitCode: number | undefined;
  readonly output: string;
}

/** What to start, and how. */
export interface SmallestRun {
  /** `suites` or `campaigns`. */
  readonly what: string;
  readonly names: readonly string[];
  /** Runs one of them at its smallest size, for at most `msMax`. */
  run(name: string, msMax: number): Promise<EndedRun>;
  /** Returns what a successful one did, such as `3 figures`; `undefined` if it did nothing. */
  workOf(name: string, output: string): string | undefined;
  print(line: string): void;
}

/**
 * Starts each suite or campaign at its smallest size, two at a time, to see that it does something and ends. No figure is
 * judged. Prints a line for each and the counts. Returns the exit code.
 */
export async function startSmallest({ what, names, run, workOf, print }: SmallestRun): Promise<number> {
  const waiting = [...names];
  const counts = { started: 0, skipped: 0, failed: 0 };
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const startMs = performance.now();
      const ended = await run(name, MS_MAX);
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      const outcome = outcomeOf(ended, workOf(name, ended.output));
      counts[outcome.kind]++;
      if (outcome.kind === "failed") print(ended.output.trimEnd());
      print(`${name}: ${outcome.kind}, ${outcome.detail}, ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  const { started, skipped, failed } = counts;
  print(`smallest: ${names.length} ${what}, ${started} started, ${skipped} skipped, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Runs a program of Node, and kills it with all that it started after `msMax`. */
export async function runFor(msMax: number, argv: readonly string[]): Promise<EndedRun> {
  // A separate process group, so that the kill also ends the processes that the program started.
  const child = spawn(process.execPath, argv, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let [output, isLate] = ["", false];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += String(part)));
  const stop = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, msMax);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(stop);
  if (isLate) return { exitCode: undefined, output };
  // A program that a signal ended has no exit code, and did not succeed.
  return { exitCode: code ?? 1, output: signal === null ? output : `${output}ended by ${signal}\n` };
}

interface Outcome {
  readonly kind: "started" | "skipped" | "failed";
  readonly detail: string;
}

function outcomeOf({ exitCode, output }: EndedRun, done: string | undefined): Outcome {
  if (exitCode === EXIT_MISSING) {
    return { kind: "skipped", detail: output.trimEnd().split("\n").at(-1) ?? "" };
  }
  if (exitCode === undefined) {
    return {
      kind: "failed",
      detail: `it did not end within ${MS_MAX / 1_000} s: make its smallest size smaller`,
    };
  }
  if (exitCode !== 0) return { kind: "failed", detail: `exit code ${exitCode}` };
  return done === undefined
    ? { kind: "failed", detail: "it did nothing" }
    : { kind: "started", detail: done };
}
