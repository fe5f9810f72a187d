import type { Dimensions } from "../../lattice/position.ts";
import type { Clipboard } from "../clipboard.ts";
import type { Mask, Operation, Pattern, Selection } from "../operation.ts";
import { OperandReader } from "./operand-reader.ts";
import { OperationReader } from "./operation-reader.ts";
import { TextScanner } from "./text-scanner.ts";

// Each returns a value in which nothing is simplified. `name` is what errors call the text.

/** Reads the text of a mask. */
export function readMask(name: string, text: unknown, dimensions: Dimensions): Mask {
  return readWhole(name, text, (scanner) => new OperandReader(scanner, dimensions).mask());
}

/** Reads the text of a pattern. */
export function readPattern(name: string, text: unknown, dimensions: Dimensions): Pattern {
  return readWhole(name, text, (scanner) => new OperandReader(scanner, dimensions).pattern());
}

/** Reads the text of a selection. */
export function readSelection(name: string, text: unknown, dimensions: Dimensions): Selection {
  return readWhole(name, text, (scanner) => new OperandReader(scanner, dimensions).selection());
}

/** Reads the text of an operation, with the clipboards beside it. */
export function readOperation(
  name: string,
  text: unknown,
  dimensions: Dimensions,
  clipboards?: readonly Clipboard[],
): Operation {
  return readWhole(name, text, (scanner) => new OperationReader(scanner, dimensions, clipboards).operation());
}

function readWhole<Value>(name: string, text: unknown, read: (scanner: TextScanner) => Value): Value {
  const scanner = new TextScanner(name, text);
  scanner.skipSpaces();
  const value = read(scanner);
  scanner.skipSpaces();
  if (!scanner.isAtEnd) throw scanner.fail("the end");
  return value;
}
