import { type ErrorCode, isOrthantError, type OrthantError } from "@orthant/core";
import { printable } from "@orthant/core/arguments";
import type { CommandEnvironment } from "./command/environment.ts";
import { EXIT, type ExitCode, UsageError } from "./command/usage.ts";

/** Prints an error in a line or two, never with a stack trace. Returns the exit code. */
export function reportFailure(error: unknown, environment: CommandEnvironment): ExitCode {
  const { errors, variables, signal } = environment;
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
    if (!isSystemError(error)) say("hint: this should not happen; please report it with ORTHANT_DEBUG=1");
  }
  if (variables["ORTHANT_DEBUG"]) {
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

const SYSTEM_WORDS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "is not there; check how it is spelled"],
  ["EACCES", "may not be read or written; look at who owns it"],
  ["EPERM", "may not be read or written; look at who owns it"],
  ["EROFS", "is on a disk that can only be read; name another place"],
  ["ENOSPC", "does not fit on the disk; make room and try again"],
  ["EISDIR", "is a folder, where a file is wanted"],
  ["ENOTDIR", "lies in a file, where a folder is wanted"],
]);

/** Returns the operating system's error about a file in plain words; `undefined` for other errors. */
function plainWords(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("path" in error)) return undefined;
  const words = SYSTEM_WORDS.get(String(error.code));
  return words && `"${error.path}" ${words} [${error.code}]`;
}

/** Errors of `node:fs` and `node:net` describe themselves. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

const SEE_ALL = "orthant verify finds all damage, orthant repair brings back what it can";

/** Errors that changed or truncated bytes cause. */
const DAMAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "ORT_POINTER",
  "ORT_OCTREE",
  "ORT_LZ4",
  "ORT_MANIFEST",
  "ORT_MAGIC",
  "ORT_CHECKSUM",
  "ORT_TRUNCATED",
  "ORT_TRAILING_BYTES",
  "ORT_GENERATION",
  "ORT_INDEX",
  "ORT_RECORD",
  "ORT_BLOB",
  "ORT_PLAYERS",
]);

/** What a user can do about an error. */
const HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  ORT_NOT_EMPTY: "name a folder that does not exist yet, or an empty one",
  ORT_LOCKED: "end that program first, or use a command that only reads, such as info, verify or backup",
  ORT_DISK_FULL: "make room on the disk and try again; what was there before is as it was",
  ORT_DISK_DENIED: "look at who owns the folder and who may read and write it",
  ORT_GENERATOR_UNKNOWN: "--generators ./FILE names a module of the world's game that has this generator",
  ORT_GENERATOR_VERSION:
    "use the versions of orthant and of the world's own generators with which it was made",
  ORT_CONFIRM: "--confirm does it all the same; --dry-run says what it would change",
  ORT_LOSS: "--accept-loss writes it all the same; --dry-run lists what is lost",
  ORT_VERSION:
    "use the newest orthant; if no newer one wrote the world it is damaged, and orthant repair helps",
  ORT_JOURNAL:
    "copy the folder; then orthant serve --damaged-journal cut opens it without what follows the damage",
};

const LISTEN_HINTS: ReadonlyMap<string, string> = new Map([
  ["listen", "choose another --port or --host"],
  ["certificate", "--certificate and --key name two files in PEM that belong together"],
]);

/** Whether an error means that a world is damaged. */
function isDamage({ code, context }: OrthantError): boolean {
  return DAMAGE.has(code) || isMissingFile(code, context);
}

/** Returns a line on what the user can do about an error; `undefined` when its message already says it. */
function hintFor(error: OrthantError): string | undefined {
  if (isDamage(error)) return SEE_ALL;
  if (error.code === "ORT_LISTEN") return LISTEN_HINTS.get(error.context.operation ?? "");
  if (error.code === "ORT_DIALECT") return dialectHint(error.detail);
  return HINTS[error.code];
}

/** A format cannot hold the world, or a command does not support its format, and then says so itself. */
function dialectHint(detail: string): string | undefined {
  if (detail.includes("orthant convert")) return undefined;
  return "--to chooses another format; orthant convert --help lists them";
}

/** Returns what an error means for the world, to print before the error's own message. */
function meaningOf(error: OrthantError): string | undefined {
  if (isDamage(error)) return "the world is damaged";
  if (error.code === "ORT_LOCKED") return "the world is in use";
  return error.code === "ORT_VERSION" ? "this version of orthant cannot read it" : undefined;
}

/** Returns an error's own message, or a plainer one than the operating system's. */
function detailOf({ code, context, detail, cause }: OrthantError): string {
  // Only a disk says which operation failed; what a save says about its own packs has better words.
  if (isMissingFile(code, context) && context.operation !== undefined) return "a file is missing";
  if (code === "ORT_DISK_FULL") return "the disk is full";
  if (code === "ORT_DISK_DENIED") return "the operating system does not permit it";
  // The detail itself ends with advice for programs.
  return code === "ORT_JOURNAL" && isOrthantError(cause) ? cause.detail : detail;
}

/** A missing file of a world is damage; a missing folder is a typing mistake. */
function isMissingFile(code: ErrorCode, { path }: OrthantError["context"]): boolean {
  return code === "ORT_NOT_FOUND" && path !== undefined;
}
