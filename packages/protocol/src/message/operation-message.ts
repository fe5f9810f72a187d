import type { Box, Position } from "@orthant/core";
import type { TurnStep } from "@orthant/core/operations";
import type { OperationLimits } from "./operation-limits.ts";

/** A clipboard that the server holds, and how it is turned. */
export interface SentClipboard {
  readonly clipboardId: number;
  /** One after the other. */
  readonly steps: readonly TurnStep[];
}

/** Something that a client asks for about operations. */
export type OperationRequest =
  /** Does what an operation says. `clipboard(0)` in its text is the first of the clipboards. */
  | {
      readonly kind: "apply";
      readonly text: string;
      readonly clipboards: readonly SentClipboard[];
      /** Whether nothing is changed, only told. */
      readonly isDry: boolean;
      /** Whether the player knows that it is large. */
      readonly isConfirmed: boolean;
    }
  /** Copies the voxels of a selection into a clipboard. */
  | { readonly kind: "copy"; readonly selection: string }
  | { readonly kind: "release"; readonly clipboardId: number }
  /** Takes an operation back, or does it again: the last one with 0 as its number. */
  | { readonly kind: "undo"; readonly entryId: number }
  | { readonly kind: "redo"; readonly entryId: number }
  /** Lists what can be undone and done again. */
  | { readonly kind: "list" };

/** A request about operations. Rule N63 in docs/formats/protocol.md. */
export interface OperationMessage {
  readonly kind: "operation";
  /** Counts the requests of a client, from 1, across its connections. */
  readonly requestId: number;
  /** The lowest request without an answer. */
  readonly openRequestId: number;
  /** Whether it may have been sent before, over another connection. */
  readonly isRepeat: boolean;
  readonly request: OperationRequest;
}

/** Cancels a request: unless its changes are visible already, nothing is changed. */
export interface CancelOperation {
  readonly kind: "cancelOperation";
  readonly requestId: number;
}

/** Why a request about operations is refused. */
export type OperationRefusal =
  /** The player's role may not. */
  | "role"
  /** A limit is exceeded. */
  | "limit"
  /** It is large: it is done if it is confirmed. */
  | "confirm"
  | "cancelled"
  /** The rules of the game refuse it. */
  | "vetoed"
  /** The operation is wrong, or does not fit this world. */
  | "operation"
  /** The server does not know what it refers to: a clipboard, or something to undo. */
  | "unknown"
  /** It may have been done before, and the server has forgotten. */
  | "forgotten"
  /** The world cannot do it now. */
  | "world";

/** A limit that an operation exceeds. */
export interface ExceededLimit {
  readonly limit: keyof OperationLimits;
  readonly value: number;
  readonly max: number;
}

/** An operation in a list of those that can be undone or done again. */
export interface ListedOperation {
  readonly entryId: number;
  readonly text: string;
  readonly count: number;
  readonly box: Box;
  /** When it was done, in milliseconds since 1970. */
  readonly timeMs: number;
  /** 0 as long as it is done. Of undone ones, the last one has the greatest number. */
  readonly undone: number;
}

/** What a request led to. */
export type OperationOutcome =
  | {
      readonly kind: "done";
      readonly status: "applied" | "unchanged" | "planned";
      /** The number of voxels with another block or other data. */
      readonly count: number;
      /** The number of voxels that an undo left alone, because they had been changed since. */
      readonly kept: number;
      readonly box: Box | undefined;
      /** Its number among those that can be undone later; 0 if it cannot. */
      readonly entryId: number;
      /** How many comparisons and reads it takes: only of a dry run. */
      readonly work: number;
      /** The limits that it exceeds: only of a dry run. */
      readonly exceeded: readonly ExceededLimit[];
    }
  | { readonly kind: "copied"; readonly clipboardId: number; readonly extents: Position }
  | { readonly kind: "released" }
  | { readonly kind: "listed"; readonly operations: readonly ListedOperation[] }
  | {
      readonly kind: "refused";
      readonly reason: OperationRefusal;
      readonly detail: string;
      /** The limits that it exceeds. */
      readonly exceeded: readonly ExceededLimit[];
    };

/** How far a request is. The first one says that the server has taken it. */
export interface OperationProgressMessage {
  readonly kind: "operationProgress";
  readonly requestId: number;
  /** In chunks. */
  readonly done: number;
  readonly total: number;
}

/** The answer to a request. */
export interface OperationAnswer {
  readonly kind: "operationAnswer";
  readonly requestId: number;
  readonly outcome: OperationOutcome;
}

/** What the player may do with operations, after the welcome; `undefined` if nothing. */
export interface OperationTerms {
  readonly kind: "operationTerms";
  readonly limits: OperationLimits | undefined;
}
