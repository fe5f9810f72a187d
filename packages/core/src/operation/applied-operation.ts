import type { VoxelBox } from "../lattice/axes.ts";
import type { Dimensions } from "../lattice/position.ts";
import type { CancelSignal, Selection } from "./operation.ts";

/** How many chunks are done, of all that may change. */
export interface OperationProgress {
  readonly done: number;
  readonly total: number;
}

/** How an operation is done. */
export interface ApplyOptions<D extends Dimensions = Dimensions> {
  /** The voxels that it changes, if the operation itself does not say it. */
  readonly in?: Selection<D>;
  /** Whether to change nothing, and only tell what would be changed. Default: false. */
  readonly dryRun?: boolean;
  /** Cancels the operation: an `AbortSignal`. Then nothing is changed. */
  readonly signal?: CancelSignal;
  /** Called when a part is computed. It begins again at a lower number when others edit what the operation reads. */
  readonly onProgress?: (progress: OperationProgress) => void;
}

/** What an operation changed. */
export interface AppliedOperation<D extends Dimensions = Dimensions> {
  /** `planned`: a dry run, which changed nothing. */
  readonly status: "applied" | "unchanged" | "planned";
  /** The number of voxels with another block or other data. */
  readonly count: number;
  /** The number of voxels that an undo left alone, because they had been changed since; 0 for anything else. */
  readonly kept: number;
  /** A box around them, of whole chunks within that of the operation; `undefined` without any. */
  readonly box: VoxelBox<D> | undefined;
  /**
   * Takes it back, whole or not at all: voxels that have been changed since stay as they are. Its own `undo` does it again. An
   * operation that changed nothing, and a dry run, undo nothing.
   */
  undo(): Promise<AppliedOperation<D>>;
}
