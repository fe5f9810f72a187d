import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const COMMAND: string = fileURLToPath(new URL("../bin/create-orthant.js", import.meta.url));
/** The installed packages of the repository, which serve as those of a project. */
export const MODULES: string = fileURLToPath(new URL("../../../node_modules", import.meta.url));

export interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "create-orthant-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

export function run(command: string, parameters: readonly string[], cwd: string, input = ""): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(command, parameters, { cwd }, (error, output, errors) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), output, errors }),
    );
    child.stdin?.end(input);
  });
}

export const create = (cwd: string, ...parameters: string[]): Promise<Ended> =>
  run(process.execPath, [COMMAND, ...parameters], cwd);
