import { requireAtMost } from "../arguments/checks.ts";
import type { Dimensions } from "../lattice/position.ts";
import { checkedMask, checkedOperation, checkedPattern, checkedSelection } from "./check-operation.ts";
import type { Mask, Operation, Pattern, Selection } from "./operation.ts";
import { OPERATION_TEXT_LENGTH_MAX } from "./operation-limits.ts";
import { dimensionsIn, type OperationTextOptions } from "./parse-operation.ts";
import { maskText, operationText, patternText, selectionText } from "./text/print-text.ts";

/**
 * Returns the shortest text of an operation, which `parseOperation` turns into an equal one. Throws `ORT_ARGUMENT` for a
 * function or a clipboard, which have no text.
 *
 * @example
 * printOperation({ replace: "#natural", with: "stone", seed: 7 }); // "replace #natural stone seed 7"
 */
export function printOperation<D extends Dimensions = 3>(
  operation: Operation<D>,
  options: OperationTextOptions<D> = {},
): string {
  const dimensions: Dimensions = dimensionsIn(options);
  return parseable("operation", operationText(checkedOperation(operation, dimensions)));
}

/** Returns the shortest text of a mask. */
export function printMask<D extends Dimensions = 3>(
  mask: Mask<D>,
  options: OperationTextOptions<D> = {},
): string {
  return parseable("mask", maskText(checkedMask(mask, dimensionsIn(options))));
}

/** Returns the shortest text of a pattern. */
export function printPattern(pattern: Pattern): string {
  return parseable("pattern", patternText(checkedPattern(pattern)));
}

/** Returns the shortest text of a selection. */
export function printSelection<D extends Dimensions = 3>(
  selection: Selection<D>,
  options: OperationTextOptions<D> = {},
): string {
  return parseable("selection", selectionText(checkedSelection(selection, dimensionsIn(options))));
}

function parseable(name: string, text: string): string {
  requireAtMost(
    text.length,
    OPERATION_TEXT_LENGTH_MAX,
    `letters of the text of ${name}`,
    "use it as a value",
  );
  return text;
}
