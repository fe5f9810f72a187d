import { stat } from "node:fs/promises";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./usage-error.ts";

/** Throws a {@link UsageError} unless the options, in camel case, name existing files (not folders). */
export async function requireOptionFiles(args: Arguments, options: readonly string[]): Promise<void> {
  for (const option of options) {
    const file = args.text(option);
    if (file === undefined) continue;
    const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const found = await stat(file).catch(() => undefined);
    if (found === undefined)
      throw new UsageError(`${flag}: there is no file "${file}"; check how it is spelled`);
    if (found.isDirectory()) throw new UsageError(`${flag}: "${file}" is a folder, where a file is wanted`);
  }
}
