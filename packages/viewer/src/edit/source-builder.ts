import type { Dimensions, Position, Vector } from "@orthant/core";
import type { CancelSignal, Clipboard, Operation, Selection, TurnStep } from "@orthant/core/operations";

/** How an operation is followed. */
export interface BuildOptions {
  readonly signal: CancelSignal;
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
  /** Whether the visitor knows that it is large. */
  readonly confirm: boolean;
}

/** An operation that was done. */
export interface DoneOperation {
  /** The number of voxels that it changed. */
  readonly count: number;
  undo(): Promise<DoneOperation>;
}

/** Copied voxels, as the source keeps them. */
export interface HeldClipboard {
  readonly size: Vector<Dimensions>;
  /** What is shown of them; `undefined` if they are too many. */
  readonly shown: Clipboard | undefined;
  turned(turn: TurnStep): HeldClipboard;
  paste(at: Position<Dimensions>, options: BuildOptions): Promise<DoneOperation>;
}

/** Changes many voxels at once. Operations and selections have as many coordinates as the world has dimensions. */
export interface SourceBuilder {
  apply(operation: Operation, options: BuildOptions): Promise<DoneOperation>;
  copy(selection: Selection): Promise<HeldClipboard>;
  /** Returns what the visitor did earlier, the oldest first. */
  earlier(): Promise<{
    readonly done: readonly EarlierOperation[];
    readonly undone: readonly EarlierOperation[];
  }>;
}

/** An operation of an earlier visit. */
export interface EarlierOperation {
  readonly text: string;
  readonly operation: DoneOperation;
}
