import { type ErrorCode, isOrthantError, type OrthantError } from "@orthant/core";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage-error.ts";

const SEE_ALL = "orthant verify finds all damage, orthant repair brings back what it can";

/** What a user can do about an error. */
const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  ORT_NOT_EMPTY: "name a folder that does not exist yet, or an empty one",
  ORT_LOCKED: "another program has the world open: end it first, or use a command that only reads",
  ORT_DISK_FULL: "make room on the disk and try again; what was there before is as it was",
  ORT_DISK_DENIED: "look at who owns the folder and who may read and write it",
  ORT_GENERATOR_UNKNOWN: "the world was made by a program that has generators of its own",
  ORT_GENERATOR_VERSION: "use the version of orthant that the world was made with",
  ORT_DIALECT: "orthant convert makes a world of another format out of it",
  ORT_LOSS: "--accept-loss writes it all the same; the list above says what is lost",
  ORT_POINTER: SEE_ALL,
  ORT_OCTREE: SEE_ALL,
  ORT_LZ4: SEE_ALL,
  ORT_MANIFEST: SEE_ALL,
  ORT_VERSION: "the world may be newer than this program; if not, orthant repair brings back what it can",
  ORT_MAGIC: SEE_ALL,
  ORT_CHECKSUM: SEE_ALL,
  ORT_TRUNCATED: SEE_ALL,
  ORT_TRAILING_BYTES: SEE_ALL,
  ORT_GENERATION: SEE_ALL,
  ORT_INDEX: SEE_ALL,
  ORT_RECORD: SEE_ALL,
  ORT_BLOB: SEE_ALL,
  ORT_PLAYERS: SEE_ALL,
  ORT_JOURNAL:
    "copy the folder; then orthant serve --damaged-journal cut opens it without what follows the damage",
  ORT_LISTEN: "choose another --port or --host",
};

/** Says what went wrong, in a line or two and never with a stack trace, and gives the exit code for it. */
export function reportFailure(error: unknown, surroundings: Surroundings): ExitCode {
  const { errors, environment, signal } = surroundings;
  const say = (line: string): void => errors.write(`${line}\n`);
  if (signal.aborted) say("orthant: interrupted");
  else if (error instanceof UsageError) {
    say(`orthant: ${error.message}`);
    return EXIT.usage;
  } else if (isOrthantError(error)) {
    say(`orthant: ${describe(error)}`);
    const hint = hintFor(error);
    if (hint !== undefined) say(`hint: ${hint}`);
  } else {
    say(`orthant: ${firstLine(error)}`);
    if (!isOfTheSystem(error)) say("hint: this should not happen; please report it with ORTHANT_DEBUG=1");
  }
  if (environment["ORTHANT_DEBUG"])
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failed;
}

function describe({ code, detail, context: { path, offset } }: OrthantError): string {
  const place =
    path === undefined ? "" : offset === undefined ? ` (${path})` : ` (${path} at offset ${offset})`;
  return `${firstLine(detail)}${place} [${code}]`;
}

/** A file of a world that is missing is damage; a folder that is missing is a slip of the pen. */
function hintFor({ code, context }: OrthantError): string | undefined {
  if (code === "ORT_NOT_FOUND" && context.path !== undefined) return SEE_ALL;
  return HINTS[code];
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}

/** What `node:fs` and `node:net` throw says what is wrong by itself. */
function isOfTheSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
