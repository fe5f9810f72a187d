import { type ErrorCode, isOrthantError, OrthantError } from "@orthant/core";
import type { DetectedWorld, FormatValues, ImportTasks, PieceCensus } from "@orthant/formats";
import type { EncodedLeaf } from "@orthant/save";

/** The world that a worker works on. */
export interface ImportPlace {
  /** The folder of its disk. */
  readonly folder: string;
  readonly format: string;
  readonly world: DetectedWorld;
  readonly values: FormatValues;
}

/** A message to a worker. */
export type ImportOrder =
  | PieceOrder
  | { readonly task: "blocks"; readonly blocks: ReadonlyMap<string, number> };

/** What a thread does with a piece. */
export interface PieceOrder {
  readonly task: "census" | "encode";
  readonly piece: number;
}

/** The answer of a worker to a `census` or `encode`, in their order. */
export type ImportAnswer =
  | { readonly census: PieceCensus }
  | { readonly leaves: readonly EncodedLeaf[] }
  | { readonly failure: ImportFailure };

/** Works on a piece. */
export async function workOn(tasks: ImportTasks, { task, piece }: PieceOrder): Promise<ImportAnswer> {
  return task === "census"
    ? { census: await tasks.takeCensus(piece) }
    : { leaves: await tasks.encode(piece) };
}

/** An error on its way between threads, which keep no classes. */
interface ImportFailure {
  readonly code: ErrorCode | undefined;
  readonly detail: string;
  readonly context: OrthantError["context"];
}

/** Returns an error to send. */
export function failureOf(error: unknown): ImportFailure {
  if (isOrthantError(error)) return { code: error.code, detail: error.detail, context: error.context };
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: undefined, detail, context: {} };
}

/** Returns an error that was sent. */
export function errorOf({ code, detail, context }: ImportFailure): Error {
  return code === undefined ? new Error(detail) : new OrthantError(code, detail, context);
}
