import type { ErrorCode } from "./error-codes.ts";

/** Where an error happened. Each field is present only when known. */
export interface ErrorContext {
  /** A file or directory, relative to the disk's root. */
  readonly path?: string;
  /** Bytes from the start of the file or message. */
  readonly offset?: number;
  /** The attempted operation, such as `sync` or `rename`. */
  readonly operation?: string;
}

/** The one error class. Branch on `code`; the message is for people and may change. */
export class OrthantError extends Error {
  override readonly name = "OrthantError";
  readonly code: ErrorCode;
  readonly context: ErrorContext;
  /** The message without code and location, so that a caller with a better location can reuse it. */
  readonly detail: string;

  constructor(code: ErrorCode, detail: string, context: ErrorContext = {}, options?: { cause?: unknown }) {
    super(`${code}: ${detail}${describePlace(context)}`, options);
    this.code = code;
    this.context = context;
    this.detail = detail;
  }
}

/** Whether a caught value is an {@link OrthantError} and, if codes are given, has one of them. */
export function isOrthantError(error: unknown, ...codes: readonly ErrorCode[]): error is OrthantError {
  return error instanceof OrthantError && (codes.length === 0 || codes.includes(error.code));
}

function describePlace({ path, offset }: ErrorContext): string {
  if (path === undefined) return offset === undefined ? "" : ` (at offset ${offset})`;
  return offset === undefined ? ` (${path})` : ` (${path} at offset ${offset})`;
}

/** Returns `ORT_ARGUMENT` for a value of the wrong kind; `advice` says what would be right. */
export function wrongArgument(field: string, value: unknown, advice: string): OrthantError {
  const name = typeof field === "string" ? field : "the argument";
  return new OrthantError("ORT_ARGUMENT", `${name} is ${formatValue(value)}; ${advice}`);
}

function formatValue(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "string":
      return `${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)} (a string)`;
    case "number":
    case "bigint":
    case "boolean":
      return `${value} (a ${typeof value})`;
    case "object":
      return value === null ? "null" : Array.isArray(value) ? formatArray(value) : "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** Shows short arrays of numbers, such as positions, in full, and only the length of all others. */
function formatArray(value: readonly unknown[]): string {
  const isShort = value.length <= 8 && value.every((item) => typeof item === "number");
  return isShort ? `[${value.join(", ")}]` : `an array of ${value.length}`;
}
