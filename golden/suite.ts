import { readFile } from "node:fs/promises";
import { goldenPath } from "@orthant/testkit/golden";

/** One fact in a golden file, and how we differ from it, if we do. */
export interface GoldenRow {
  readonly name: string;
  readonly failure: string | undefined;
}

/** Checks one golden file: one row for each fact in it. */
export interface GoldenSuite {
  /** The file, relative to the golden folder; results are counted by its first folder. */
  readonly file: string;
  check(bytes: Uint8Array): Promise<readonly GoldenRow[]>;
}

/** Result of a suite. */
export interface GoldenResult {
  readonly file: string;
  readonly total: number;
  readonly failures: readonly string[];
}

/** Runs one suite over its file. */
export async function runSuite({ file, check }: GoldenSuite): Promise<GoldenResult> {
  const rows = await check(await readFile(goldenPath(file)));
  const failures = rows.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name}: ${failure}`],
  );
  return { file, total: rows.length, failures };
}

/** Makes a row from an attempt, which throws when we differ from the original. */
export function row(name: string, attempt: () => void): GoldenRow {
  try {
    attempt();
    return { name, failure: undefined };
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Like {@link row}, for an attempt that waits. */
export async function attemptRow(name: string, attempt: () => Promise<void>): Promise<GoldenRow> {
  try {
    await attempt();
    return { name, failure: undefined };
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Parses the JSON in a file's bytes. */
export function parseJson<Shape>(bytes: Uint8Array): Shape {
  return JSON.parse(new TextDecoder().decode(bytes)) as Shape;
}
