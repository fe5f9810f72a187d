import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandEnvironment, EXIT, type ExitCode, type RunOptions, run } from "@orthant/cli";
import { systemTime, type TimeSource } from "@orthant/core";
import { afterAll } from "vitest";

/** The result of a command. */
export interface Captured {
  readonly exitCode: ExitCode;
  readonly output: string;
  readonly errors: string;
}

/** Differences from a pipe in an empty environment. */
export interface CaptureOptions {
  readonly isTerminal?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly time?: TimeSource;
  readonly generators?: NonNullable<RunOptions["generators"]>;
  readonly signal?: AbortSignal;
  readonly takeSignals?: () => void;
  /** Called with each piece of output. */
  readonly onOutput?: (text: string) => void;
  /** Called with each piece of text on stderr. */
  readonly onErrors?: (text: string) => void;
}

/** Runs one command line in this process. */
export async function capture(argv: readonly string[], options: CaptureOptions = {}): Promise<Captured> {
  const { isTerminal = false, environment = {}, time = systemTime } = options;
  let output = "";
  let errors = "";
  const sinks: Pick<CommandEnvironment, "output" | "errors"> = {
    output: {
      write(text) {
        output += text;
        options.onOutput?.(text);
      },
      isTerminal,
      columns: 80,
    },
    errors: {
      write(text) {
        errors += text;
        options.onErrors?.(text);
      },
      isTerminal,
      columns: 80,
    },
  };
  const exitCode = await run({
    argv,
    ...(options.generators && { generators: options.generators }),
    environment: {
      ...sinks,
      variables: environment,
      time,
      signal: options.signal ?? new AbortController().signal,
      ...(options.takeSignals && { takeSignals: options.takeSignals }),
    },
  });
  return { exitCode, output, errors };
}

/** Runs a command that must succeed with `--json`. Returns its object. */
export async function captureJson<Shape>(...argv: readonly string[]): Promise<Shape> {
  const { exitCode, output, errors } = await capture([...argv, "--json"]);
  if (exitCode !== EXIT.ok) throw new Error(`exit code ${exitCode}: ${errors}`);
  return JSON.parse(output) as Shape;
}

const folders: string[] = [];

/** Creates a folder that is removed after the tests of this file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-cli-"));
  folders.push(folder);
  return folder;
}

afterAll(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});
