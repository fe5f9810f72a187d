import type { Dimensions, VoxelBox } from "@orthant/core";
import { callback, checkedOptions, requireFlag, withMethods, wrongArgument } from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import {
  type CancelSignal,
  checkedOperation,
  checkedSelection,
  type Operation,
  type Selection,
} from "@orthant/core/operations";
import type { EngineOperation, EngineOperations } from "../engine/engine-operations.ts";
import type { OperationProgress } from "../operation/operation-run.ts";

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
  /** A box around them, of whole chunks within that of the operation; `undefined` without any. */
  readonly box: VoxelBox<D> | undefined;
  /**
   * Takes it back, whole or not at all: voxels that have been changed since stay as they are. Its own `undo` does it again. An
   * operation that changed nothing, and a dry run, undo nothing.
   */
  undo(): Promise<AppliedOperation<D>>;
}

/** What operations of a world work with. */
interface OperationPlace<D extends Dimensions> {
  readonly operations: EngineOperations;
  readonly axes: Axes<D>;
}

/** Does what an operation says, or only tells what it would change. */
export async function applyOperation<D extends Dimensions>(
  place: OperationPlace<D>,
  operation: Operation<D> | string,
  options: ApplyOptions<D>,
): Promise<AppliedOperation<D>> {
  const { operations, axes } = place;
  const { dimensions } = axes;
  const {
    dryRun = false,
    signal,
    onProgress,
    ...given
  } = checkedOptions<ApplyOptions<D>>("the options", options, {
    in: (name, value) => checkedSelection(value, dimensions, name),
    dryRun: requireFlag,
    signal: withMethods("it is an AbortSignal", "throwIfAborted"),
    onProgress: callback,
  });
  const checked = checkedOperation(operation, dimensions);
  if (given.in !== undefined && checked.in !== undefined)
    throw wrongArgument("options.in", given.in, "the operation itself says where");
  const whole: Operation = { ...checked, ...given };
  const context = { axes, signal, onProgress };
  const made = await (dryRun ? operations.plan(whole, context) : operations.apply(whole, context));
  return shown(place, made, dryRun);
}

function shown<D extends Dimensions>(
  place: OperationPlace<D>,
  made: EngineOperation,
  isPlanned: boolean,
): AppliedOperation<D> {
  const { operations, axes } = place;
  const { count, box } = made;
  const status = count === 0 ? "unchanged" : isPlanned ? "planned" : "applied";
  return {
    status,
    count,
    box: box && axes.publicVoxels(box),
    async undo() {
      if (status !== "applied")
        return { ...shown(place, made, isPlanned), status: "unchanged", count: 0, box: undefined };
      return shown(place, await operations.undo(made, { axes }), false);
    },
  };
}
