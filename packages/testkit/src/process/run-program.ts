import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Long enough for any test program on a busy machine. */
const PROGRAM_MS_MAX = 60_000;
/** Where Node finds the built packages. */
export const REPOSITORY: string = fileURLToPath(new URL("../../../../", import.meta.url));

/** How a program ended, and what it printed. */
export interface EndedProgram {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs the source of a module in a new Node process. It imports the built packages, so build first. Needed
 * because a test runner keeps its own event loop alive, which hides a process that ends too early.
 */
export function runProgram(source: string): Promise<EndedProgram> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--input-type=module", "-e", source],
      { cwd: REPOSITORY, timeout: PROGRAM_MS_MAX },
      (_error, output, errors) => resolve({ exitCode: child.exitCode, output, errors }),
    );
  });
}
