import { cp } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type Ran, runCli } from "./cli-process.ts";
import type { MadeWorld } from "./made-world.ts";

/** Where one command is tried on one world: runs processes, compares, and remembers what was wrong. */
export class Bench {
  readonly world: MadeWorld;
  /** For commands that need a NATS server. */
  readonly environment: Readonly<Record<string, string>>;
  readonly failures: string[] = [];
  /** Processes that ran. */
  runs = 0;
  readonly #label: string;
  readonly #root: string;
  #folders = 0;

  /** New folders begin with `root`. */
  constructor(label: string, root: string, world: MadeWorld, environment: Readonly<Record<string, string>>) {
    this.#label = label;
    this.#root = root;
    this.world = world;
    this.environment = environment;
  }

  /** A path at which there is nothing. */
  newFolder(): string {
    return `${this.#root}-${++this.#folders}`;
  }

  /** A copy of the world, for commands that write. */
  async copy(): Promise<string> {
    const folder = this.newFolder();
    await cp(this.world.folder, folder, { recursive: true });
    return folder;
  }

  /** Runs a command line, which must end with this exit code; `undefined` leaves it to the caller. */
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

  /** Runs it with `--json`, and gives the object; without an exit code, nothing but failure is wrong. */
  async object(
    exitCode: number | undefined,
    ...words: readonly string[]
  ): Promise<Readonly<Record<string, unknown>>> {
    const ran = await this.run(exitCode, ...words, "--json");
    if (ran.json === undefined)
      this.fail(`no object of orthant ${words.join(" ")}: ${ran.output.slice(0, 200)}`);
    return ran.json ?? {};
  }

  /** Notes a failure unless both are deeply equal. */
  equal(what: string, found: unknown, expected: unknown): void {
    if (isDeepStrictEqual(found, expected)) return;
    this.fail(
      `${what}: ${JSON.stringify(found)?.slice(0, 300)}, not ${JSON.stringify(expected)?.slice(0, 300)}`,
    );
  }

  /** Notes a failure; `undefined` is none. */
  fail(message: string | undefined): void {
    if (message !== undefined) this.failures.push(`${this.#label}: ${message}`);
  }
}
