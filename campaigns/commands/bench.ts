import { cp } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type Ran, runCli } from "./cli-process.ts";
import type { MadeWorld } from "./made-world.ts";

/** Tries one command on one world: runs processes, compares results and collects failures. */
export class Bench {
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
