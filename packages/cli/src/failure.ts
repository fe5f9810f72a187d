import { isOrthantError, type OrthantError, printable } from "@orthant/core";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { detailOf, hintFor, meaningOf } from "./hints.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage-error.ts";

/** Prints an error in a line or two, never with a stack trace. Returns the exit code. */
export function reportFailure(error: unknown, surroundings: Surroundings): ExitCode {
  const { errors, environment, signal } = surroundings;
  const say = (line: string): void => errors.write(`${printable(line)}\n`);
  if (signal.aborted) say("orthant: interrupted");
  else if (error instanceof UsageError) {
    say(`orthant: ${error.message}`);
    return EXIT.usage;
  } else if (isOrthantError(error)) {
    say(`orthant: ${describe(error)}`);
    const hint = hintFor(error);
    if (hint !== undefined) say(`hint: ${hint}`);
    // A library rejects the user's values like any caller's. An error with a path concerns a file instead.
    const isFault = error.context.path !== undefined;
    if (!isFault && isOrthantError(error, "ORT_ARGUMENT", "ORT_POSITION_RANGE")) return EXIT.usage;
  } else {
    say(`orthant: ${plainWords(error) ?? firstLine(error)}`);
    if (!isOfTheSystem(error)) say("hint: this should not happen; please report it with ORTHANT_DEBUG=1");
  }
  if (environment["ORTHANT_DEBUG"]) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    for (const line of trace.split("\n")) say(line);
  }
  return EXIT.failed;
}

function describe(error: OrthantError): string {
  const {
    code,
    context: { path, offset },
  } = error;
  const meaning = meaningOf(error);
  const place =
    path === undefined ? "" : offset === undefined ? ` (${path})` : ` (${path} at offset ${offset})`;
  return `${meaning === undefined ? "" : `${meaning}: `}${firstLine(detailOf(error))}${place} [${code}]`;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: "is not there; check how it is spelled",
  EACCES: "may not be read or written; look at who owns it",
  EPERM: "may not be read or written; look at who owns it",
  EROFS: "is on a disk that can only be read; name another place",
  ENOSPC: "does not fit on the disk; make room and try again",
  EISDIR: "is a folder, where a file is wanted",
  ENOTDIR: "lies in a file, where a folder is wanted",
};

/** Returns the operating system's error about a file in plain words; `undefined` for other errors. */
function plainWords(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("path" in error)) return undefined;
  const words = SYSTEM_WORDS[String(error.code)];
  return words && `"${error.path}" ${words} [${error.code}]`;
}

/** Errors of `node:fs` and `node:net` describe themselves. */
function isOfTheSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
