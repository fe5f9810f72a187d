import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { requireBundles } from "./packages/bundles.ts";

/** Long enough for any test program on a busy machine. */
const PROGRAM_MS_MAX = 60_000;
/** Where Node finds the built packages. */
const REPOSITORY: string = fileURLToPath(new URL("../../../", import.meta.url));

/** How a program ended, and what it printed. */
export interface EndedProgram {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Returns the path of the command `orthant`, as npm links it. Throws when what it runs is not built. */
export function orthantCommand(): string {
  requireBundles();
  return join(REPOSITORY, "packages/orthant/bin/orthant.js");
}

/**
 * Runs the source of a module in a new Node process. It imports the built packages, so build first. Needed
 * because a test runner keeps its own event loop alive, which hides a process that ends too early.
 */
export function runProgram(source: string): Promise<EndedProgram> {
  requireBundles();
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--input-type=module", "-e", source],
      { cwd: REPOSITORY, timeout: PROGRAM_MS_MAX },
      (_error, output, errors) => resolve({ exitCode: child.exitCode, output, errors }),
    );
  });
}

/** Makes a process claim to run in another container, where others cannot check whether it is alive. */
const FOREIGN = `
  import promises from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  const readlink = promises.readlink;
  promises.readlink = async (path) => path === "/proc/self/ns/pid" ? "pid:[" + process.argv[2] + "]" : readlink(path);
  syncBuiltinESMExports();
  const [folder, space, line] = process.argv.slice(1);
`;

/** A process that writes, and prints the number of each durable edit. */
export interface ForeignWriter {
  readonly process: ChildProcess;
  /** Returns the last edit that it reported as durable; -1 before the first. */
  last(): number;
  /** Resolves when it has printed the edit of this number, or a later one. */
  reached(edit: number): Promise<void>;
}

/**
 * Starts a process that seems to run in the container `space`. Its source can use the constants `folder` and
 * `line`, prints `open` when it begins and then the number of each durable edit. It imports the built
 * packages. Resolves when the process is open or has ended.
 */
export async function startForeignWriter(
  source: string,
  { folder, space, line }: { readonly folder: string; readonly space: number; readonly line: number },
): Promise<ForeignWriter> {
  requireBundles();
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", FOREIGN + source, folder, String(space), String(line)],
    { cwd: REPOSITORY, stdio: ["ignore", "pipe", "pipe"] },
  );
  let last = -1;
  let errors = "";
  let hasEnded = false;
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const lines = createInterface(child.stdout);
  const closed = once(lines, "close");
  const heard = (): Promise<unknown> => Promise.race([once(lines, "line"), closed]);
  lines.on("line", (text) => {
    if (text !== "open") last = Number(text);
  });
  void closed.then(() => {
    hasEnded = true;
  });
  await heard();
  return {
    process: child,
    last: () => last,
    async reached(edit) {
      while (last < edit) {
        if (hasEnded) throw new Error(`the writer ended at edit ${last}: ${errors}`);
        await heard();
      }
    },
  };
}
