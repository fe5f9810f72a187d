/**
 * Checks of arguments and options that may come from a JavaScript program, and text that is safe to show.
 *
 * @module @orthant/core/arguments
 */

export {
  convertList,
  isListOf,
  requireAtMost,
  requireBlock,
  requireBytes,
  requireChoice,
  requireFlag,
  requireFunction,
  requireId,
  requireList,
  requireObject,
  requirePrintableName,
  requireText,
  requireTime,
  requireWhole,
} from "./arguments/checks.ts";
export {
  type Check,
  callback,
  checkedOptions,
  choiceOf,
  fieldsOf,
  matching,
  type OptionTable,
  requireKnownFields,
  secret,
  unchecked,
  upTo,
  whole,
  withMethods,
} from "./arguments/options.ts";
export { nameFault, printable, printableName } from "./arguments/printable.ts";
export { requireBigint, requireInteger } from "./bytes/integers.ts";
export { wrongArgument } from "./error/orthant-error.ts";
