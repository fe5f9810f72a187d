import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** One thing that a golden file says, and how we differ from it, if we do. */
export interface GoldenRow {
  readonly name: string;
  readonly failure: string | undefined;
}

/** Checks one golden file: one row for each fact in it. */
export interface GoldenSuite {
  /** The file, relative to the golden folder; its first part is the folder that is counted. */
  readonly file: string;
  check(bytes: Uint8Array): Promise<readonly GoldenRow[]>;
}

/** How a suite went. */
export interface GoldenResult {
  readonly file: string;
  readonly total: number;
  readonly failures: readonly string[];
}

/** Where the golden files lie; `undefined` where they are absent. */
export function findGoldenFolder(): string | undefined {
  const folder = resolve(process.env["ORTHANT_GOLDEN"] ?? "../shared/golden");
  return existsSync(folder) ? folder : undefined;
}

/** Runs one suite over its file. */
export async function runSuite(folder: string, { file, check }: GoldenSuite): Promise<GoldenResult> {
  const rows = await check(await readFile(join(folder, file)));
  const failures = rows.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name}: ${failure}`],
  );
  return { file, total: rows.length, failures };
}

/** A row from an attempt that returns when we agree with the original and throws where we do not. */
export function row(name: string, attempt: () => void): GoldenRow {
  try {
    attempt();
    return { name, failure: undefined };
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** The JSON in a file's bytes. */
export function parseJson<Shape>(bytes: Uint8Array): Shape {
  return JSON.parse(new TextDecoder().decode(bytes)) as Shape;
}
