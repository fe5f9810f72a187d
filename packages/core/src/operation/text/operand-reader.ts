import type { Check } from "../../arguments/options.ts";
import { BLOCK_PROPERTIES_MAX } from "../../chunk/block-type.ts";
import type { VoxelBox } from "../../lattice/axes.ts";
import type { Dimensions, Position } from "../../lattice/position.ts";
import type { Clipboard } from "../clipboard.ts";
import type { BlockMask, Mask, Pattern, Selection, WeightedPattern } from "../operation.ts";
import {
  axisNames,
  checkBoxEnd,
  checkClipboardIndex,
  checkCoordinate,
  checkFaces,
  checkHeight,
  checkPatch,
  checkRadius,
  checkShare,
  checkVoxelLimit,
  checkWeight,
  OPERATION_DEPTH_MAX,
  OPERATION_ITEMS_MAX,
  OPERATION_POINTS_MAX,
} from "../operation-limits.ts";
import { isNumberText } from "./number-text.ts";
import type { TextScanner } from "./text-scanner.ts";

/** Words of masks, which stand before parentheses. */
export const MASK_WORDS: readonly string[] = [
  "solid",
  "surface",
  "data",
  "above",
  "below",
  "next",
  "in",
  "chance",
  "noise",
  "shift",
];
/** Words of patterns. */
export const PATTERN_WORDS: readonly string[] = ["noise"];
/** Words of selections. */
export const SELECTION_WORDS: readonly string[] = [
  "box",
  "sphere",
  "cylinder",
  "prism",
  "connected",
  "union",
  "intersection",
  "difference",
];
const PRISM_POINTS_MIN = 3;
/** Stands before the number of a clipboard that travels beside the text. */
const CLIPBOARD_WORD = "clipboard";

/** Reads masks, patterns and selections as values in which nothing is left out or simplified. */
export class OperandReader {
  readonly scanner: TextScanner;
  readonly dimensions: Dimensions;
  /** What `clipboard(0)`, `clipboard(1)`... stand for. */
  readonly #clipboards: readonly Clipboard[];
  #depth = 0;

  constructor(scanner: TextScanner, dimensions: Dimensions, clipboards: readonly Clipboard[] = []) {
    this.scanner = scanner;
    this.dimensions = dimensions;
    this.#clipboards = clipboards;
  }

  /** Reads `a|b&c`. */
  mask(): Mask {
    return this.#joined(
      "|",
      (any) => ({ any }),
      () =>
        this.#joined(
          "&",
          (all) => ({ all }),
          () => this.#oneMask(),
        ),
    );
  }

  /** Reads `80%a,20%b`. */
  pattern(): Pattern {
    const mixed = this.#list(",", () => this.#weightedPattern());
    const [{ weight, pattern }] = mixed as [WeightedPattern];
    // Also checks the only weight, which makes no difference.
    return mixed.length === 1 && weight > 0 ? pattern : { mixed };
  }

  /** Reads a selection. */
  selection(): Selection {
    const { scanner } = this;
    const from = scanner.offset;
    const word = scanner.peekWord();
    if (!SELECTION_WORDS.includes(word) || scanner.peekBehind(word) !== "(")
      throw scanner.fail("a selection", SELECTION_WORDS);
    return this.#inside(() => {
      this.#open(word);
      const selection = this.#selectionOf(word, from);
      scanner.expect(")");
      return selection;
    });
  }

  /** Reads the coordinates of a voxel: as many whole numbers as the world has axes. */
  position(check: Check<number> = checkCoordinate): Position<Dimensions> {
    const coordinates = axisNames(this.dimensions).map((axis, index) => {
      if (index > 0) this.scanner.comma(axis);
      return this.scanner.number(axis, check);
    });
    return coordinates as unknown as Position<Dimensions>;
  }

  /** Reads `clipboard(0)`. */
  clipboard(): Clipboard {
    const { scanner } = this;
    const from = scanner.offset;
    if (scanner.peekWord() !== CLIPBOARD_WORD || scanner.peekBehind(CLIPBOARD_WORD) !== "(")
      throw scanner.fail("a clipboard");
    this.#open(CLIPBOARD_WORD);
    const index = scanner.number("number of a clipboard", checkClipboardIndex);
    scanner.expect(")");
    const clipboard = this.#clipboards[index];
    if (clipboard === undefined)
      throw scanner.failAt(from, `there are ${this.#clipboards.length} clipboards beside the text`);
    return clipboard;
  }

  #oneMask(): Mask {
    return this.#inside(() => {
      const { scanner } = this;
      if (scanner.takeHere("!")) {
        scanner.skipSpaces();
        return { not: this.#oneMask() };
      }
      if (scanner.takeHere("(")) return this.#grouped(() => this.mask());
      if (scanner.takeHere("#")) return { tag: scanner.name("a tag") };
      const word = scanner.peekWord();
      if (word !== "" && scanner.peekBehind(word) === "(") return this.#maskWith(word);
      return this.#block("a mask");
    });
  }

  #maskWith(word: string): Mask {
    const { scanner } = this;
    if (!MASK_WORDS.includes(word)) throw scanner.fail("a mask", MASK_WORDS);
    this.#open(word);
    const mask = this.#maskOf(word);
    scanner.expect(")");
    return mask;
  }

  #maskOf(word: string): Mask {
    const { scanner } = this;
    switch (word) {
      case "above":
        return { above: this.mask() };
      case "below":
        return { below: this.mask() };
      case "next":
        return this.#nextTo();
      case "in":
        return { inside: this.selection() };
      case "chance":
        return { chance: scanner.percent("chance", checkShare) };
      case "noise": {
        const noise = scanner.number("width of patches", checkPatch);
        scanner.comma("a share");
        return { noise, share: scanner.percent("share", checkShare) };
      }
      case "shift": {
        const by = this.position();
        scanner.comma("a mask");
        return { shifted: this.mask(), by };
      }
      default:
        return { is: word as "solid" | "surface" | "data" };
    }
  }

  #nextTo(): Mask {
    const { scanner } = this;
    const nextTo = this.mask();
    if (!scanner.take(",")) return { nextTo };
    const least = scanner.number("least number of faces", checkFaces(this.dimensions));
    if (!scanner.take(",")) return { nextTo, least };
    const from = scanner.offset;
    const most = scanner.number("most faces", checkFaces(this.dimensions));
    if (most < least)
      throw scanner.failAt(from, `the most faces, ${most}, are fewer than the least, ${least}`);
    return { nextTo, least, most };
  }

  #weightedPattern(): WeightedPattern {
    const { scanner } = this;
    const word = scanner.peekWord();
    if (!isNumberText(word)) return { weight: 1, pattern: this.#onePattern() };
    const weight = scanner.number("weight", checkWeight);
    scanner.expect("%", `"%" behind a weight`);
    scanner.skipSpaces();
    return { weight, pattern: this.#onePattern() };
  }

  #onePattern(): Pattern {
    return this.#inside(() => {
      const { scanner } = this;
      if (scanner.takeHere("(")) return this.#grouped(() => this.pattern());
      if (scanner.takeHere("*")) return { properties: scanner.takeHere("[") ? this.#properties() : {} };
      const word = scanner.peekWord();
      if (word === "" || scanner.peekBehind(word) !== "(") return this.#blockPattern();
      if (word === CLIPBOARD_WORD && this.#clipboards.length > 0) return { repeated: this.clipboard() };
      if (!PATTERN_WORDS.includes(word)) throw scanner.fail("a pattern", PATTERN_WORDS);
      this.#open(word);
      const noise = scanner.number("width of patches", checkPatch);
      scanner.comma("a pattern");
      const of = this.#list(",", () => this.#onePattern());
      scanner.expect(")");
      return { noise, of };
    });
  }

  #blockPattern(): Pattern {
    const { scanner } = this;
    const block = this.#blockName("a pattern");
    if (!scanner.takeHere("[")) return { block };
    scanner.skipSpaces();
    if (!scanner.takeHere("*")) return { block, properties: this.#properties() };
    if (scanner.take(",")) return { block, properties: this.#properties(), keep: true };
    scanner.expect("]", `"," or "]"`);
    return { block, keep: true };
  }

  #block(expected: string): BlockMask {
    const block = this.#blockName(expected);
    return this.scanner.takeHere("[") ? { block, properties: this.#properties() } : { block };
  }

  #blockName(expected: string): string {
    if (isNumberText(this.scanner.peekWord())) throw this.scanner.fail(expected);
    return this.scanner.name(expected);
  }

  /** Reads `facing=east,half=top]`. */
  #properties(): Readonly<Record<string, string>> {
    const { scanner } = this;
    const properties = new Map<string, string>();
    do {
      scanner.skipSpaces();
      const from = scanner.offset;
      const name = scanner.name("a property");
      if (properties.has(name))
        throw scanner.failAt(from, `the property ${JSON.stringify(name)} is there twice`);
      if (properties.size === BLOCK_PROPERTIES_MAX)
        throw scanner.failAt(from, `a block has at most ${BLOCK_PROPERTIES_MAX} properties`);
      scanner.expect("=", `"=" and a value`);
      scanner.skipSpaces();
      properties.set(name, scanner.name("a value"));
    } while (scanner.take(","));
    scanner.expect("]", `"," or "]"`);
    return Object.fromEntries(properties);
  }

  #selectionOf(word: string, from: number): Selection {
    switch (word) {
      case "box":
        return this.#box(from);
      case "sphere":
        return this.#sphere();
      case "cylinder":
        return this.#cylinder();
      case "prism":
        return this.#prism();
      case "connected":
        return this.#connected();
      default: {
        const parts = this.#list(",", () => this.selection());
        return { [word]: parts } as unknown as Selection;
      }
    }
  }

  #box(from: number): VoxelBox {
    const min = this.position();
    this.scanner.comma("the end of the box");
    const max = this.position(checkBoxEnd);
    if (max.some((end, axis) => end <= (min[axis] as number))) {
      const detail = `the box from ${min.join(",")} to ${max.join(",")} is empty; it ends before its second corner`;
      throw this.scanner.failAt(from, detail);
    }
    return { unit: "voxels", min, max };
  }

  #sphere(): Selection {
    const { scanner } = this;
    const sphere = this.position();
    scanner.comma("a radius");
    const radii = [scanner.number("radius", checkRadius)];
    if (!scanner.take(",")) return { sphere, radius: radii[0] as number };
    do radii.push(scanner.number("radius", checkRadius));
    while (radii.length < this.dimensions && scanner.take(","));
    if (radii.length < this.dimensions) scanner.comma(`${this.dimensions} radii`);
    return { sphere, radius: radii as unknown as Position<Dimensions> };
  }

  #cylinder(): Selection {
    const { scanner } = this;
    const cylinder = this.position();
    scanner.comma("a radius");
    const radius = scanner.number("radius", checkRadius);
    scanner.comma("a height");
    const height = scanner.number("height", checkHeight);
    if (!scanner.take(",")) return { cylinder, radius, height };
    return { cylinder, radius, height, along: this.choice("an axis", axisNames(this.dimensions)) };
  }

  #prism(): Selection {
    const { scanner } = this;
    const from = scanner.offset;
    if (scanner.peekWord() !== "box" || scanner.peekBehind("box") !== "(")
      throw scanner.fail("the box of the prism");
    this.#open("box");
    const within = this.#box(from);
    scanner.expect(")");
    const second = this.dimensions === 2 ? "y" : "z";
    const prism: (readonly [number, number])[] = [];
    while (prism.length < PRISM_POINTS_MIN || scanner.take(",")) {
      if (prism.length < PRISM_POINTS_MIN) scanner.comma(`at least ${PRISM_POINTS_MIN} corners`);
      if (prism.length === OPERATION_POINTS_MAX)
        throw scanner.failAt(scanner.offset, `a prism has at most ${OPERATION_POINTS_MAX} corners`);
      const x = scanner.number("x", checkCoordinate);
      scanner.comma(second);
      prism.push([x, scanner.number(second, checkCoordinate)]);
    }
    return { prism, within };
  }

  #connected(): Selection {
    const { scanner } = this;
    const connected = this.position();
    scanner.comma("a mask");
    const through = this.mask();
    scanner.comma("a limit");
    return { connected, through, limit: scanner.number("limit", checkVoxelLimit) };
  }

  /** Reads one of some words. */
  choice<Choice extends string>(expected: string, choices: readonly Choice[]): Choice {
    const word = this.scanner.peekWord();
    if (!choices.includes(word as Choice)) throw this.scanner.fail(expected, choices);
    this.scanner.skip(word);
    return word as Choice;
  }

  #open(word: string): void {
    this.scanner.skip(word);
    this.scanner.takeHere("(");
    this.scanner.skipSpaces();
  }

  #grouped<Value>(read: () => Value): Value {
    this.scanner.skipSpaces();
    const value = read();
    this.scanner.expect(")");
    return value;
  }

  #joined(sign: string, join: (masks: readonly Mask[]) => Mask, read: () => Mask): Mask {
    const masks = this.#list(sign, read);
    return masks.length === 1 ? (masks[0] as Mask) : join(masks);
  }

  #list<Item>(sign: string, read: () => Item): readonly Item[] {
    const items = [read()];
    while (this.scanner.take(sign)) {
      if (items.length === OPERATION_ITEMS_MAX)
        throw this.scanner.failAt(this.scanner.offset, `a list has at most ${OPERATION_ITEMS_MAX} items`);
      items.push(read());
    }
    return items;
  }

  /** Reads what is one level deeper. */
  #inside<Value>(read: () => Value): Value {
    const { scanner } = this;
    // The outermost one is at depth 0.
    if (this.#depth > OPERATION_DEPTH_MAX)
      throw scanner.failAt(
        scanner.offset,
        `parts are more than ${OPERATION_DEPTH_MAX} deep inside each other`,
      );
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }
}
