import { nearNames } from "@orthant/core/chunk";
import type { JsonNode } from "./json-node.ts";

/** Something wrong in a look pack. */
export interface LookProblem {
  /** Where in the file, such as `blocks.grass.top`. */
  readonly path: string;
  /** Where in the text, from 1; `undefined` for a pack that a program made. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string;
}

/** Further problems of a pack are not listed. */
const PROBLEMS_MAX = 100;

/** Collects what is wrong in a look pack. */
export class LookProblems {
  readonly #text: string | undefined;
  readonly #found: LookProblem[] = [];

  constructor(text: string | undefined) {
    this.#text = text;
  }

  /** All problems, in the order in which they were found. */
  get found(): readonly LookProblem[] {
    return this.#found;
  }

  /** Adds a problem with a value. */
  add({ path, offset }: Pick<JsonNode, "path" | "offset">, message: string): undefined {
    if (this.#found.length >= PROBLEMS_MAX) return undefined;
    const before = offset === undefined ? undefined : this.#text?.slice(0, offset).split("\n");
    this.#found.push({
      path,
      line: before?.length,
      column: before === undefined ? undefined : (before.at(-1)?.length ?? 0) + 1,
      message,
    });
    return undefined;
  }

  /** Adds a name that is not one of those that may be. */
  addUnknown(node: JsonNode, what: string, name: string, names: readonly string[]): undefined {
    // Near names take long to find, and a pack may have many wrong ones.
    if (this.#found.length >= PROBLEMS_MAX) return undefined;
    const near = nearNames(name, names);
    const choice = near.length > 0 ? near.slice(0, 3) : names.slice(0, 12);
    const listed = choice.map((known) => JSON.stringify(known)).join(" or ");
    const advice = near.length > 0 ? `did you mean ${listed}?` : names.length > 0 ? `there is ${listed}` : "";
    return this.add(node, `there is no ${what} ${JSON.stringify(name)}${advice === "" ? "" : `; ${advice}`}`);
  }
}

/** Returns a problem on one line: `line 3, column 12: blocks.grass.top: ...`. */
export function problemText({ path, line, column, message }: LookProblem): string {
  const place = line === undefined ? "" : `line ${line}, column ${column}: `;
  return `${place}${path === "" ? "" : `${path}: `}${message}`;
}
