import type { Dimensions } from "@orthant/core";
import { callback, checkedOptions, requireFlag, withMethods, wrongArgument } from "@orthant/core/arguments";
import type { Axes } from "@orthant/core/lattice";
import {
  type AppliedOperation,
  type ApplyOptions,
  checkedOperation,
  checkedSelection,
  type Operation,
} from "@orthant/core/operations";
import type { EngineOperation, EngineOperations } from "../engine/engine-operations.ts";

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
  const { count, kept, box } = made;
  const status = count === 0 ? "unchanged" : isPlanned ? "planned" : "applied";
  return {
    status,
    count,
    kept,
    box: box && axes.publicVoxels(box),
    async undo() {
      if (status !== "applied")
        return { ...shown(place, made, isPlanned), status: "unchanged", count: 0, box: undefined };
      return shown(place, await operations.undo(made, { axes }), false);
    },
  };
}
