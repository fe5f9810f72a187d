import { checkedOptions, type OptionTable } from "../arguments/options.ts";
import type { Dimensions } from "../lattice/position.ts";
import { checkedMask, checkedOperation, checkedPattern, checkedSelection } from "./check-operation.ts";
import type { Mask, Operation, Pattern, Selection } from "./operation.ts";
import { checkDimensions } from "./operation-limits.ts";
import { readMask, readOperation, readPattern, readSelection } from "./text/read-text.ts";

/** For which worlds a text is. */
export interface OperationTextOptions<D extends Dimensions = Dimensions> {
  /** The number of coordinates of its positions. Default: 3. */
  readonly dimensions?: D;
}

const DIMENSIONS_DEFAULT = 3;
const OPTIONS: OptionTable<OperationTextOptions> = { dimensions: checkDimensions };

/**
 * Returns the operation of a text. Throws `ORT_ARGUMENT` with the column of a mistake, what was expected and what was found.
 *
 * @example
 * await world.apply(parseOperation("replace #natural 80%stone,20%gravel"), { in: walls });
 */
export function parseOperation<D extends Dimensions = 3>(
  text: string,
  options: OperationTextOptions<D> = {},
): Operation<D> {
  const dimensions = dimensionsIn(options);
  return checkedOperation(readOperation("text", text, dimensions), dimensions, "text");
}

/** Returns the mask of a text. */
export function parseMask<D extends Dimensions = 3>(
  text: string,
  options: OperationTextOptions<D> = {},
): Mask<D> {
  const dimensions = dimensionsIn(options);
  return checkedMask(readMask("text", text, dimensions), dimensions, "text");
}

/** Returns the pattern of a text. */
export function parsePattern(text: string): Pattern {
  return checkedPattern(readPattern("text", text, DIMENSIONS_DEFAULT), "text");
}

/** Returns the selection of a text. */
export function parseSelection<D extends Dimensions = 3>(
  text: string,
  options: OperationTextOptions<D> = {},
): Selection<D> {
  const dimensions = dimensionsIn(options);
  return checkedSelection(readSelection("text", text, dimensions), dimensions, "text");
}

/** Returns the number of dimensions in checked options. */
export function dimensionsIn<D extends Dimensions>(options: OperationTextOptions<D>): D {
  const { dimensions = DIMENSIONS_DEFAULT } = checkedOptions("options", options, OPTIONS);
  return dimensions as D;
}
