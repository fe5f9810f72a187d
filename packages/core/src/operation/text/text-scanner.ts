import { requireAtMost, requireText } from "../../arguments/checks.ts";
import type { Check } from "../../arguments/options.ts";
import { printableName } from "../../arguments/printable.ts";
import { nearNames } from "../../chunk/nearest-names.ts";
import { isOrthantError, OrthantError } from "../../error/orthant-error.ts";
import { checkBlockName, OPERATION_TEXT_LENGTH_MAX } from "../operation-limits.ts";
import { isNumberText, parseNumber } from "./number-text.ts";

const WORD = /[\p{L}\p{M}\p{N}_:./-]+/uy;
const SPACES = /[ \t\r\n]*/y;
const PERCENT = /[ \t\r\n]*%/y;
/** A string of JSON, or its beginning. */
const QUOTED = /"(?:[^"\\]|\\.)*"?/sy;
const FOUND_LENGTH_MAX = 40;
const PERCENT_SHIFT = 2;
/** Words that begin a clause behind an operation. As names of blocks they are quoted. */
const CLAUSES: readonly string[] = ["in", "seed"];

/** Whether a name can be written without quotes. */
export function isBareWord(name: string): boolean {
  return wordAt(name, 0) === name && printableName(name) === name;
}

/** Whether the name of a block can be written without quotes: it is not a number and not the word of a clause. */
export function isBareBlock(name: string): boolean {
  return isBareWord(name) && !isNumberText(name) && !CLAUSES.includes(name);
}

/** Reads the words and signs of a text. Errors name the column, from 1 on, what was expected and what was found. */
export class TextScanner {
  readonly #name: string;
  readonly #text: string;
  #offset = 0;

  constructor(name: string, text: unknown) {
    this.#name = name;
    this.#text = requireText(name, text);
    requireAtMost(this.#text.length, OPERATION_TEXT_LENGTH_MAX, `letters of ${name}`, "write a shorter one");
  }

  get offset(): number {
    return this.#offset;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#text.length;
  }

  /** Whether a space comes before what is next. */
  get isBehindSpace(): boolean {
    return this.#offset > 0 && matchAt(SPACES, this.#text, this.#offset - 1) !== "";
  }

  skipSpaces(): void {
    this.#offset += matchAt(SPACES, this.#text, this.#offset).length;
  }

  /** Returns the word that comes next, which may be empty. */
  peekWord(): string {
    return wordAt(this.#text, this.#offset);
  }

  /** Returns the sign behind the word that comes next. */
  peekBehind(word: string): string {
    return this.#text.charAt(this.#offset + word.length);
  }

  /** Whether a number comes next that is not a weight. */
  get isAtNumber(): boolean {
    const word = this.peekWord();
    if (!isNumberText(word)) return false;
    return matchAt(PERCENT, this.#text, this.#offset + word.length) === "";
  }

  /** Whether the end or a clause comes next. */
  get isAtClause(): boolean {
    const word = this.peekWord();
    return this.isAtEnd || (CLAUSES.includes(word) && this.peekBehind(word) !== "(");
  }

  /** Skips what was peeked. */
  skip(word: string): void {
    this.#offset += word.length;
  }

  /** Skips a sign, with the spaces around it. Returns whether it was there. */
  take(sign: string): boolean {
    const from = this.#offset;
    this.skipSpaces();
    if (this.takeHere(sign)) {
      this.skipSpaces();
      return true;
    }
    this.#offset = from;
    return false;
  }

  /** Skips a sign without spaces before it. Returns whether it was there. */
  takeHere(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#offset)) return false;
    this.#offset += sign.length;
    return true;
  }

  /** Skips a sign, with the spaces before it. Throws if it is not there. */
  expect(sign: string, expected: string = JSON.stringify(sign)): void {
    this.skipSpaces();
    if (!this.takeHere(sign)) throw this.fail(expected);
  }

  /** Skips the comma between two arguments. */
  comma(next: string): void {
    this.expect(",", `"," and ${next}`);
    this.skipSpaces();
  }

  /** Reads a name, bare or quoted. */
  name(expected: string): string {
    const from = this.#offset;
    const word = this.peekWord();
    if (word !== "") {
      this.skip(word);
      return this.checked(from, "the name", word, checkBlockName);
    }
    const quoted = matchAt(QUOTED, this.#text, from);
    if (quoted === "") throw this.fail(expected);
    this.skip(quoted);
    return this.checked(from, "the name", this.#unquoted(from, quoted), checkBlockName);
  }

  /** Reads a number that a check accepts. */
  number(name: string, check: Check<number>): number {
    return this.#number(name, check, `a number, the ${name}`, 0);
  }

  /** Reads a number with a percent sign as a share. */
  percent(name: string, check: Check<number>): number {
    const expected = `a number with "%", the ${name}`;
    const share = this.#number(name, check, expected, PERCENT_SHIFT);
    this.expect("%");
    return share;
  }

  /** Runs a check. Its error gets a column. */
  checked<Value>(from: number, name: string, value: unknown, check: Check<Value>): Value {
    try {
      return check(name, value);
    } catch (error) {
      if (!isOrthantError(error, "ORT_ARGUMENT")) throw error;
      throw this.failAt(from, error.detail);
    }
  }

  /** Returns an error that says what was expected here. `known` are the words that may stand here. */
  fail(expected: string, known: readonly string[] = []): OrthantError {
    const word = this.peekWord();
    const near = nearNames(word, known).map((name) => JSON.stringify(name));
    const advice =
      near.length > 0
        ? `; the nearest ${near.length === 1 ? "is" : "are"} ${near.join(", ")}`
        : known.length > 0
          ? `; there ${known.length === 1 ? "is" : "are"} ${known.join(", ")}`
          : "";
    return this.failAt(this.#offset, `expected ${expected}, found ${this.#found(word)}${advice}`);
  }

  /** Returns an error at an offset. */
  failAt(offset: number, detail: string): OrthantError {
    return new OrthantError("ORT_ARGUMENT", `${this.#name}, column ${offset + 1}: ${detail}`);
  }

  #number(name: string, check: Check<number>, expected: string, shift: number): number {
    const from = this.#offset;
    const word = this.peekWord();
    if (!isNumberText(word)) throw this.fail(expected);
    this.skip(word);
    return this.checked(from, `the ${name}`, parseNumber(word, shift), check);
  }

  #unquoted(from: number, quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch (cause) {
      const detail = `${this.#name}, column ${from + 1}: expected a string of JSON, such as "blue ice"`;
      throw new OrthantError("ORT_ARGUMENT", detail, {}, { cause });
    }
  }

  #found(word: string): string {
    if (this.isAtEnd) return "the end";
    let found = word;
    if (word === "") found = String.fromCodePoint(this.#text.codePointAt(this.#offset) as number);
    else if (word.length > FOUND_LENGTH_MAX) found = `${word.slice(0, FOUND_LENGTH_MAX)}...`;
    else if (this.peekBehind(word) === "(") found = `${word}(`;
    return printableName(JSON.stringify(found));
  }
}

function wordAt(text: string, offset: number): string {
  return matchAt(WORD, text, offset);
}

/** Returns what a sticky pattern matches at an offset, which may be empty. */
function matchAt(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? "";
}
