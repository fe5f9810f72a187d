import type { Box, Chunk, Position } from "@orthant/core";
import type {
  CancelSignal,
  Clipboard,
  Operation,
  OperationProgress,
  Selection,
  TurnStep,
} from "@orthant/core/operations";
import type { ClockChange } from "@orthant/core/tree";
import type { ListedOperation } from "../../message/operation-message.ts";

/** Who is asked whether an operation may go on. What a method throws ends the operation, and nothing is changed. */
export interface OperationGuard {
  /** Before work is done, in comparisons and reads for each of some voxels. */
  spend(work: number, voxels: number): void;
  /** While voxels are remembered one by one: connected ones, and those of a line. */
  remember(voxels: number): void;
  /** While voxels are computed that change. */
  change(voxels: number): void;
}

/** How an operation runs. */
export interface GuardedRun {
  readonly bounds: OperationGuard;
  readonly signal: CancelSignal;
  readonly onProgress: (progress: OperationProgress) => void;
}

/** How an operation runs that changes the world. */
export interface OwnedRun extends GuardedRun {
  /** Whose operations it can be undone with later. */
  readonly owner: string;
  /** Makes it happen once, also after a restart. */
  readonly request: { readonly clientId: bigint; readonly requestId: number; readonly isRepeat: boolean };
  /** How much can be undone later. */
  readonly history: { readonly entriesMax: number; readonly bytesMax: number; readonly ageMs: number };
  /** Called when all is computed, before anything is changed, perhaps several times. What it throws refuses the operation. */
  readonly accept: (changes: PlannedChanges) => Promise<void>;
}

/** What an operation is about to change. */
export interface PlannedChanges {
  readonly count: number;
  readonly box: Box | undefined;
  readonly changed: readonly {
    readonly position: Position;
    readonly before: Chunk;
    readonly chunk: Chunk;
  }[];
}

/** What an operation changed. */
export interface MadeOperation {
  readonly count: number;
  readonly kept: number;
  readonly box: Box | undefined;
  readonly clocks: readonly ClockChange[];
  /** Its number among those that can be undone later; 0 if it cannot. */
  readonly entryId: number;
}

/** Operations of the world that a server shares. */
export interface SyncOperations {
  /** Returns what a checked operation would change. */
  plan(
    operation: Operation,
    run: GuardedRun,
  ): Promise<{ readonly count: number; readonly box: Box | undefined }>;
  /** Does what a checked operation says: all of it at once, or nothing. */
  apply(operation: Operation, run: OwnedRun): Promise<MadeOperation>;
  /** Takes an operation of the owner back, the last one by default. Throws `ORT_ARGUMENT` if there is none. */
  undo(entryId: number | undefined, run: OwnedRun): Promise<MadeOperation>;
  /** Does one again that was undone, the last one by default. Throws `ORT_ARGUMENT` if there is none. */
  redo(entryId: number | undefined, run: OwnedRun): Promise<MadeOperation>;
  /** Returns what an owner can undo and do again, oldest first. */
  list(owner: string, ageMs: number): Promise<readonly ListedOperation[]>;
  /** Copies voxels. Throws `ORT_LIMIT` for more bytes. */
  copy(selection: Selection, run: GuardedRun & { readonly bytesMax: number }): Promise<Clipboard>;
  /** Returns the memory of a clipboard. */
  bytesOf(clipboard: Clipboard): number;
  turned(clipboard: Clipboard, steps: readonly TurnStep[]): Promise<Clipboard>;
}
