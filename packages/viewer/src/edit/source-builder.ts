import type { Dimensions, Position } from "@orthant/core";
import type { CancelSignal, Clipboard, Operation, Selection } from "@orthant/core/operations";
import type { ClipboardTurn } from "./build-messages.ts";

/** How an operation is followed. */
export interface BuildOptions {
  readonly signal: CancelSignal;
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
}

/** An operation that was done. */
export interface DoneOperation {
  /** The number of voxels that it changed. */
  readonly count: number;
  undo(): Promise<DoneOperation>;
}

/** Copied voxels, as the source keeps them. */
export interface HeldClipboard {
  /** What is shown of them. */
  readonly clipboard: Clipboard;
  turned(turn: ClipboardTurn): HeldClipboard;
  paste(at: Position<Dimensions>, options: BuildOptions): Promise<DoneOperation>;
}

/** Changes many voxels at once. Operations and selections have as many coordinates as the world has dimensions. */
export interface SourceBuilder {
  apply(operation: Operation, options: BuildOptions): Promise<DoneOperation>;
  copy(selection: Selection): Promise<HeldClipboard>;
}
