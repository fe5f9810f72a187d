import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { orthantCommand } from "@orthant/testkit/process";
import type { MadeWorld } from "./made-world.ts";

/** Tries one command on one world: runs processes, compares results and collects failures. */
export class CommandTester {
  readonly world: MadeWorld;
  /** Environment variables for commands that need a NATS server. */
  readonly environment: Readonly<Record<string, string>>;
  readonly failures: string[] = [];
  /** Number of processes that ran. */
  runs = 0;
  readonly #label: string;
  readonly #root: string;
  #folders = 0;

  /** The paths of new folders begin with `root`. */
  constructor(label: string, root: string, world: MadeWorld, environment: Readonly<Record<string, string>>) {
    this.#label = label;
    this.#root = root;
    this.world = world;
    this.environment = environment;
  }

  /** Returns an unused path. */
  newFolder(): string {
    return `${this.#root}-${++this.#folders}`;
  }

  /** Copies the world, for commands that write. Returns the new folder. */
  async copy(): Promise<string> {
    const folder = this.newFolder();
    await cp(this.world.folder, folder, { recursive: true });
    return folder;
  }

  /** Runs a command line and fails unless it ends with `exitCode`; `undefined` accepts any. */
  async run(exitCode: number | undefined, ...words: readonly string[]): Promise<Ran> {
    const ran = await runCli(words, this.environment);
    this.runs++;
    if (exitCode !== undefined && ran.exitCode !== exitCode) {
      this.fail(
        `exit code ${ran.exitCode}, not ${exitCode}, of orthant ${words.join(" ")}: ${ran.errors.trim()}`,
      );
    }
    if (ran.errors.includes("on garbage collection"))
      this.fail(`a file was not closed by orthant ${words.join(" ")}: ${ran.errors.trim()}`);
    return ran;
  }

  /** Runs a command line with `--json` and returns the object. An `undefined` exit code accepts any. */
  async object(
    exitCode: number | undefined,
    ...words: readonly string[]
  ): Promise<Readonly<Record<string, unknown>>> {
    const ran = await this.run(exitCode, ...words, "--json");
    if (ran.json === undefined)
      this.fail(`no object of orthant ${words.join(" ")}: ${ran.output.slice(0, 200)}`);
    return ran.json ?? {};
  }

  /** Records a failure unless both values are deeply equal. */
  equal(what: string, found: unknown, expected: unknown): void {
    if (isDeepStrictEqual(found, expected)) return;
    this.fail(
      `${what}: ${JSON.stringify(found)?.slice(0, 300)}, not ${JSON.stringify(expected)?.slice(0, 300)}`,
    );
  }

  /** Records a failure; ignores `undefined`. */
  fail(message: string | undefined): void {
    if (message !== undefined) this.failures.push(`${this.#label}: ${message}`);
  }
}

/** The program as installed. */
const ORTHANT = orthantCommand();
/** Collects garbage at the end of a process, so that Node warns of file handles that were lost without being closed. */
const COLLECT_AT_END = [
  "--expose-gc",
  "--import",
  'data:text/javascript,process.once("beforeExit",()=>{gc();setTimeout(()=>gc(),20)})',
];
/** Timeout of a command: far more than one takes on a small world, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** Result of a command-line process. */
interface Ran {
  readonly words: readonly string[];
  /** `null` when the process was killed or did not end in time. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
  /** The object that `--json` printed; `undefined` when the output is not an object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** Runs one command line as a process that inherits only `PATH` from this process's environment. */
async function runCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const child = start(words, environment);
  let output = "";
  let errors = "";
  child.stdout?.on("data", (text: Buffer) => (output += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const [exitCode] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { words, exitCode, output, errors, json: parsed(output) };
}

/** A command that runs until `end` stops it. */
export class RunningCli {
  readonly firstLine: Promise<string>;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;

  constructor(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.#child = start(words, environment);
    this.#closed = once(this.#child, "close");
    const lines = createInterface(this.#child.stdout as NodeJS.ReadableStream);
    this.firstLine = new Promise((resolve) => {
      lines.once("line", resolve);
      void this.#closed.then(() => resolve(""));
    });
    this.#child.stderr?.resume();
  }

  /** Sends `signal` and returns the exit code; `null` when the process had to be killed. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE_MS);
    this.#child.kill(signal);
    const [exitCode] = (await this.#closed) as [number | null];
    clearTimeout(timer);
    return exitCode;
  }
}

function start(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const { PATH = "" } = process.env;
  return spawn(process.execPath, [...COLLECT_AT_END, ORTHANT, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH, ...environment },
  });
}

function parsed(output: string): Ran["json"] {
  try {
    const value: unknown = JSON.parse(output);
    return typeof value === "object" && value !== null ? (value as Ran["json"]) : undefined;
  } catch {
    // The command printed text or nothing. A check that needs the object fails.
    return undefined;
  }
}
