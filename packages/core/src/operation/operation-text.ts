import { OrthantError } from "../error/orthant-error.ts";
import type { Dimensions } from "../lattice/position.ts";
import { checkedOperation } from "./check-operation.ts";
import type { Clipboard } from "./clipboard.ts";
import type { Operation } from "./operation.ts";
import { OPERATION_CLIPBOARDS_MAX } from "./operation-limits.ts";
import { operationText } from "./text/print-text.ts";
import { readOperation } from "./text/read-text.ts";

/** An operation as a text, in which `clipboard(0)` stands for the first of the clipboards beside it. */
export interface OperationText {
  readonly text: string;
  /** Each once, in the order of their first places in the text. */
  readonly clipboards: readonly Clipboard[];
}

/** Returns the one text of a checked operation. Throws `ORT_ARGUMENT` for a function of a game. */
export function textOfOperation(operation: Operation): OperationText {
  const clipboards: Clipboard[] = [];
  const text = operationText(operation, (clipboard) => {
    const known = clipboards.indexOf(clipboard);
    if (known >= 0) return known;
    if (clipboards.length === OPERATION_CLIPBOARDS_MAX)
      throw new OrthantError(
        "ORT_LIMIT",
        `an operation uses more than ${OPERATION_CLIPBOARDS_MAX} clipboards: do it in parts`,
      );
    clipboards.push(clipboard);
    return clipboards.length - 1;
  });
  return { text, clipboards };
}

/** Returns the checked operation of a text. Throws `ORT_ARGUMENT` unless it is the text that {@link textOfOperation} returns. */
export function operationOfText<D extends Dimensions>(
  { text, clipboards }: OperationText,
  dimensions: D,
): Operation<D> {
  const read = readOperation("text", text, dimensions, clipboards);
  const operation = checkedOperation(read, dimensions, "text");
  const canonical = textOfOperation(operation as unknown as Operation);
  const isCanonical =
    canonical.text === text &&
    canonical.clipboards.length === clipboards.length &&
    canonical.clipboards.every((clipboard, index) => clipboard === clipboards[index]);
  if (isCanonical) return operation;
  throw new OrthantError("ORT_ARGUMENT", "the operation has another, shorter or simpler text");
}
