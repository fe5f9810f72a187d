import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Figure } from "../figure.ts";

const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/**
 * Runs a suite in a separate process, so that it leaves no garbage and compiled code to the next; its output
 * is unchanged.
 */
export async function runSuite(name: string, ...options: readonly string[]): Promise<readonly Figure[]> {
  const child = fork(PROGRAM, [name, ...options]);
  const figures: Figure[] = [];
  child.on("message", (figure: Figure) => figures.push(figure));
  const [code] = (await once(child, "close")) as [number | null];
  // 1 means that a budget was missed, which the figures also say.
  if (code !== 0 && code !== 1) throw new Error(`suite ${name} ended with ${code}`);
  if (figures.length === 0) throw new Error(`suite ${name} has no figures`);
  return figures;
}
