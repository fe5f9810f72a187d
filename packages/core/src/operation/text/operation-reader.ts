import type { Check } from "../../arguments/options.ts";
import type { Dimensions, Position } from "../../lattice/position.ts";
import type { Clipboard } from "../clipboard.ts";
import type { Mask, Operation, OperationKind, Pattern } from "../operation.ts";
import {
  axisNames,
  checkCopies,
  checkPasses,
  checkRadius,
  checkSeed,
  checkThickness,
  checkTurns,
  OPERATION_POINTS_MAX,
  planes,
} from "../operation-limits.ts";
import type { AxisName, Plane } from "../turn.ts";
import { OperandReader } from "./operand-reader.ts";
import type { TextScanner } from "./text-scanner.ts";

type Read = (reader: OperationReader) => OperationKind;

const AIR_PATTERN: Pattern = { block: "air" };
const POINTS_MIN = 2;

/** How the operands of each operation are read, by its word. */
const OPERATIONS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["set", (reader) => ({ set: reader.patternOperand() })],
  ["replace", (reader) => ({ replace: reader.maskOperand(), with: reader.patternOperand() })],
  [
    "outline",
    (reader) => ({ outline: reader.patternOperand(), ...reader.optional("thickness", checkThickness) }),
  ],
  [
    "walls",
    (reader) => ({ walls: reader.patternOperand(), ...reader.optional("thickness", checkThickness) }),
  ],
  [
    "hollow",
    (reader) => ({ hollow: reader.patternOrAir(), ...reader.optional("thickness", checkThickness) }),
  ],
  [
    "line",
    (reader) => ({
      line: reader.points(),
      with: reader.patternOperand(),
      ...reader.optional("radius", checkRadius),
    }),
  ],
  [
    "curve",
    (reader) => ({
      curve: reader.points(),
      with: reader.patternOperand(),
      ...reader.optional("radius", checkRadius),
    }),
  ],
  [
    "overlay",
    (reader) => ({ overlay: reader.patternOperand(), ...reader.optional("depth", checkThickness) }),
  ],
  [
    "naturalize",
    (reader) => ({
      naturalize: [reader.patternOperand(), reader.patternOperand(), reader.patternOperand()],
      ...reader.optional("depth", checkThickness),
    }),
  ],
  ["smooth", (reader) => ({ smooth: reader.passes() })],
  ["drain", (reader) => ({ drain: reader.maskOperand() })],
  ["move", (reader) => ({ move: reader.vector(), ...reader.leave() })],
  ["stack", (reader) => ({ stack: reader.copies(), by: reader.vector() })],
  ["rotate", (reader) => ({ rotate: reader.plane(), ...reader.optional("turns", checkTurns) })],
  ["mirror", (reader) => ({ mirror: reader.axis() })],
  ["regenerate", () => ({ regenerate: true })],
]);

/** The word of a paste, of which there is a text only with clipboards beside it. */
const PASTE_WORD = "paste";
const readPaste: Read = (reader) => ({ ...reader.pasted(), at: reader.vector(), ...reader.only() });

/** Words of operations. */
export const OPERATION_WORDS: readonly string[] = [...OPERATIONS.keys()];

/** Reads an operation as a value in which nothing is simplified. Spaces separate its operands. */
export class OperationReader {
  readonly #scanner: TextScanner;
  readonly #operands: OperandReader;
  readonly #dimensions: Dimensions;
  /** Whether clipboards travel beside the text. */
  readonly #mayPaste: boolean;

  constructor(scanner: TextScanner, dimensions: Dimensions, clipboards: readonly Clipboard[] = []) {
    this.#scanner = scanner;
    this.#operands = new OperandReader(scanner, dimensions, clipboards);
    this.#mayPaste = clipboards.length > 0;
    this.#dimensions = dimensions;
  }

  operation(): Operation {
    const scanner = this.#scanner;
    const word = scanner.peekWord();
    const read = OPERATIONS.get(word) ?? (this.#mayPaste && word === PASTE_WORD ? readPaste : undefined);
    if (read === undefined) throw scanner.fail("an operation", OPERATION_WORDS);
    scanner.skip(word);
    let operation: Operation = read(this);
    let expected = '"in", "seed" or the end';
    if (this.#takeClause("in")) {
      this.#gap("a selection");
      operation = { ...operation, in: this.#operands.selection() };
      expected = '"seed" or the end';
    }
    if (this.#takeClause("seed")) {
      this.#gap("a whole number");
      operation = { ...operation, seed: scanner.number("seed", checkSeed) };
      expected = "the end";
    }
    scanner.skipSpaces();
    if (!scanner.isAtEnd) throw scanner.fail(expected);
    return operation;
  }

  maskOperand(): Mask {
    this.#gap("a mask");
    return this.#operands.mask();
  }

  patternOperand(): Pattern {
    this.#gap("a pattern");
    return this.#operands.pattern();
  }

  patternOrAir(): Pattern {
    return this.#hasOperand() && !this.#scanner.isAtNumber ? this.#operands.pattern() : AIR_PATTERN;
  }

  pasted(): { readonly paste: Clipboard } {
    this.#gap("a clipboard");
    return { paste: this.#operands.clipboard() };
  }

  only(): { readonly only?: Mask } {
    return this.#hasOperand() ? { only: this.#operands.mask() } : {};
  }

  leave(): { readonly leave?: Pattern } {
    return this.#hasOperand() ? { leave: this.#operands.pattern() } : {};
  }

  points(): readonly Position<Dimensions>[] {
    const points: Position<Dimensions>[] = [];
    while (points.length < POINTS_MIN || (this.#hasOperand() && this.#scanner.isAtNumber)) {
      if (points.length === OPERATION_POINTS_MAX) {
        const detail = `a line has at most ${OPERATION_POINTS_MAX} points`;
        throw this.#scanner.failAt(this.#scanner.offset, detail);
      }
      points.push(this.vector());
    }
    return points;
  }

  vector(): Position<Dimensions> {
    this.#gap(`${axisNames(this.#dimensions).join(",")}`);
    return this.#operands.position();
  }

  /** Reads a field that may be left out. */
  optional<Name extends string>(field: Name, check: Check<number>): { readonly [Key in Name]?: number } {
    const value = this.#optionalNumber(field, check);
    return value === undefined ? {} : ({ [field]: value } as { readonly [Key in Name]: number });
  }

  passes(): number {
    return this.#optionalNumber("number of passes", checkPasses) ?? 1;
  }

  copies(): number {
    this.#gap("a whole number");
    return this.#scanner.number("number of copies", checkCopies);
  }

  plane(): Plane {
    this.#gap("a plane");
    return this.#operands.choice("a plane", planes(this.#dimensions));
  }

  axis(): AxisName {
    this.#gap("an axis");
    return this.#operands.choice("an axis", axisNames(this.#dimensions));
  }

  #optionalNumber(name: string, check: Check<number>): number | undefined {
    return this.#hasOperand() && this.#scanner.isAtNumber ? this.#scanner.number(name, check) : undefined;
  }

  /** Whether an operand comes next that may be left out. */
  #hasOperand(): boolean {
    this.#scanner.skipSpaces();
    return this.#scanner.isBehindSpace && !this.#scanner.isAtClause;
  }

  /** Skips the spaces before an operand. */
  #gap(expected: string): void {
    this.#scanner.skipSpaces();
    if (this.#scanner.isAtClause) throw this.#scanner.fail(expected);
    if (!this.#scanner.isBehindSpace) throw this.#scanner.fail(`a space and ${expected}`);
  }

  #takeClause(word: string): boolean {
    this.#scanner.skipSpaces();
    if (!this.#scanner.isBehindSpace || !this.#scanner.isAtClause || this.#scanner.peekWord() !== word)
      return false;
    this.#scanner.skip(word);
    return true;
  }
}
