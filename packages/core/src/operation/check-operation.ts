import {
  convertList,
  requireAtMost,
  requireFlag,
  requireList,
  requireObject,
  requireText,
} from "../arguments/checks.ts";
import { type Check, choiceOf, matching, requireKnownFields } from "../arguments/options.ts";
import { printable } from "../arguments/printable.ts";
import { BLOCK_PROPERTIES_MAX } from "../chunk/block-type.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { Axes, type VoxelBox } from "../lattice/axes.ts";
import { CUBE_CHUNKS, HYPERCUBE_CHUNKS, TILE_CHUNKS } from "../lattice/chunk-shape.ts";
import type { Dimensions, Position } from "../lattice/position.ts";
import { requireClipboard } from "./clipboard.ts";
import type { BlockChoice, Mask, Operation, Pattern, Selection } from "./operation.ts";
import {
  axisNames,
  checkBlockName,
  checkBoxEnd,
  checkCoordinate,
  checkCopies,
  checkDimensions,
  checkFaces,
  checkHeight,
  checkPasses,
  checkPatch,
  checkRadius,
  checkSeed,
  checkShare,
  checkThickness,
  checkTurns,
  checkVoxelLimit,
  checkWeight,
  OPERATION_DEPTH_MAX,
  OPERATION_ITEMS_MAX,
  OPERATION_PARTS_MAX,
  OPERATION_POINTS_MAX,
  OPERATION_TEXT_LENGTH_MAX,
  planes,
} from "./operation-limits.ts";
import { readMask, readOperation, readPattern } from "./text/read-text.ts";

/** Checks a field of a part that is `depth` parts deep inside of others. */
type FieldCheck = (check: OperationCheck, at: string, value: unknown, depth: number) => unknown;

interface FieldRule {
  readonly check: FieldCheck;
  readonly isOptional?: boolean;
  /** Whether a checked value means the same as none, and is left out. */
  readonly isDefault?: (value: unknown) => boolean;
}

type Rules = Readonly<Record<string, FieldRule>>;

/** The fields of each kind of value. The first field of a kind is its name. */
type Kinds = Readonly<Record<string, Rules>>;

type Fields = Readonly<Record<string, unknown>>;

const AXES_OF: Readonly<Record<Dimensions, Axes<Dimensions>>> = {
  2: new Axes(TILE_CHUNKS),
  3: new Axes(CUBE_CHUNKS),
  4: new Axes(HYPERCUBE_CHUNKS),
};

const mask: FieldRule = { check: (check, at, value, depth) => check.mask(at, value, depth) };
const pattern: FieldRule = { check: (check, at, value, depth) => check.pattern(at, value, depth) };
const selection: FieldRule = { check: (check, at, value, depth) => check.selection(at, value, depth) };
const masks = listOf("masks", mask.check);
const patterns = listOf("patterns", pattern.check);
const selections = listOf("selections", selection.check);
const choice: FieldRule = {
  check: (check, at, value, depth) =>
    typeof value === "function" ? (value as BlockChoice) : check.pattern(at, value, depth),
};
const voxel: FieldRule = { check: (check, at, value) => check.position(at, value) };
const points: FieldRule = {
  check: (check, at, value) => checkedPoints(at, value, 2, (name, point) => check.position(name, point)),
};
const corners: FieldRule = { check: (_, at, value) => checkedPoints(at, value, 3, checkedCorner) };
const box: FieldRule = { check: (check, at, value) => check.box(at, value) };
const clipboard: FieldRule = {
  check: ({ dimensions }, at, value) => requireClipboard(at, value, dimensions),
};
const name = plain(checkBlockName);
const thickness = optional(plain(checkThickness), 1);
const penRadius = optional(plain(checkRadius), 0);
const faces: FieldRule = { check: ({ dimensions }, at, value) => checkFaces(dimensions)(at, value) };
const axis: FieldRule = {
  check: ({ dimensions }, at, value) => choiceOf(...axisNames(dimensions))(at, value),
};
const plane: FieldRule = {
  check: ({ dimensions }, at, value) => choiceOf(...planes(dimensions))(at, value),
};
const properties = optional(plain(checkedProperties));

const OPERATIONS: Kinds = {
  set: { set: choice },
  replace: { replace: mask, with: choice },
  outline: { outline: pattern, thickness },
  walls: { walls: pattern, thickness },
  hollow: { hollow: pattern, thickness },
  line: { line: points, with: pattern, radius: penRadius },
  curve: { curve: points, with: pattern, radius: penRadius },
  overlay: { overlay: pattern, depth: thickness },
  naturalize: {
    naturalize: {
      check: (check, at, value, depth) => {
        const layers = checkedList(at, value, "patterns: top, soil and rock", 3, 3);
        return layers.map((layer, index) => check.pattern(`${at}[${index}]`, layer, depth));
      },
    },
    depth: optional(plain(checkThickness), 3),
  },
  smooth: { smooth: plain(checkPasses) },
  drain: { drain: mask },
  move: {
    move: voxel,
    leave: { ...optional(pattern), isDefault: isAir },
  },
  stack: { stack: plain(checkCopies), by: voxel },
  rotate: { rotate: plane, turns: optional(plain(checkTurns), 1) },
  mirror: { mirror: axis },
  paste: { paste: clipboard, at: voxel, only: optional(mask) },
  regenerate: { regenerate: plain(matching("it is true", (value) => value === true)) },
};

/** What all kinds of operations may have. */
const OPTIONS: Rules = {
  in: optional(selection),
  seed: optional(plain(checkSeed), 0),
};

const MASKS: Kinds = {
  block: { block: name, properties },
  tag: { tag: name },
  is: { is: plain(choiceOf("solid", "surface", "data")) },
  above: { above: mask },
  below: { below: mask },
  nextTo: { nextTo: mask, least: optional(faces, 1), most: optional(faces) },
  inside: { inside: selection },
  chance: { chance: plain(checkShare) },
  noise: { noise: plain(checkPatch), share: plain(checkShare) },
  all: { all: masks },
  any: { any: masks },
  not: { not: mask },
  shifted: { shifted: mask, by: voxel },
};

const PATTERNS: Kinds = {
  block: { block: optional(name), properties, keep: optional(plain(requireFlag), false) },
  mixed: {
    mixed: listOf("{ weight, pattern }", (check, at, value, depth) => check.weighted(at, value, depth)),
  },
  noise: { noise: plain(checkPatch), of: patterns },
  repeated: { repeated: clipboard },
};

const SELECTIONS: Kinds = {
  sphere: {
    sphere: voxel,
    radius: {
      check: (check, at, value) =>
        Array.isArray(value) || ArrayBuffer.isView(value) ? check.radii(at, value) : checkRadius(at, value),
    },
  },
  cylinder: {
    cylinder: voxel,
    radius: plain(checkRadius),
    height: plain(checkHeight),
    along: optional(axis, "y"),
  },
  prism: { prism: corners, within: box },
  connected: { connected: voxel, through: mask, limit: plain(checkVoxelLimit) },
  union: { union: selections },
  intersection: { intersection: selections },
  difference: { difference: selections },
};

/** Returns a checked copy of an operation in which texts are values, and which leaves out what means the same as nothing. */
export function checkedOperation<D extends Dimensions>(
  value: unknown,
  dimensions: D,
  name = "operation",
): Operation<D> {
  return new OperationCheck(dimensions).operation(
    requireText("name", name),
    value,
  ) as unknown as Operation<D>;
}

/** Returns a checked copy of a mask in the same form. */
export function checkedMask<D extends Dimensions>(value: unknown, dimensions: D, name = "mask"): Mask<D> {
  return new OperationCheck(dimensions).mask(requireText("name", name), value, 0) as Mask<D>;
}

/** Returns a checked copy of a pattern in the same form. */
export function checkedPattern(value: unknown, name = "pattern"): Pattern {
  return new OperationCheck(3).pattern(requireText("name", name), value, 0);
}

/** Returns a checked copy of a selection in the same form. */
export function checkedSelection<D extends Dimensions>(
  value: unknown,
  dimensions: D,
  name = "selection",
): Selection<D> {
  return new OperationCheck(dimensions).selection(requireText("name", name), value, 0) as Selection<D>;
}

/** Checks one value and counts its parts. */
class OperationCheck {
  readonly dimensions: Dimensions;
  readonly #axes: Axes<Dimensions>;
  #parts = 0;
  #letters = 0;

  constructor(dimensions: Dimensions) {
    this.dimensions = checkDimensions("dimensions", dimensions);
    this.#axes = AXES_OF[this.dimensions];
  }

  operation(at: string, value: unknown): Operation {
    const read = typeof value === "string" ? readOperation(at, value, this.dimensions) : value;
    const given = fieldsOf(at, read, 'it is an object such as { set: "stone" }, or its text');
    const kind = kindOf(given, OPERATIONS);
    if (kind === undefined)
      throw wrongArgument(at, value, `it has one of ${Object.keys(OPERATIONS).join(", ")}`);
    return this.#checked(at, given, { ...OPERATIONS[kind], ...OPTIONS }, 0) as unknown as Operation;
  }

  mask(at: string, value: unknown, depth: number): Mask {
    const given = this.#part(at, value, depth, "a mask", MASKS, readMask);
    const kind = kindOf(given, MASKS) as string;
    const checked = this.#checked(at, given, MASKS[kind], depth + 1);
    const { least = 1, most = 0, all, any } = checked;
    if (kind === "nextTo" && Object.hasOwn(checked, "most") && (most as number) < (least as number))
      throw wrongArgument(`${at}.most`, most, `it is at least ${at}.least, which is ${least}`);
    const [only, ...others] = (all ?? any ?? []) as readonly Mask[];
    return only !== undefined && others.length === 0 ? only : (checked as unknown as Mask);
  }

  pattern(at: string, value: unknown, depth: number): Pattern {
    const given = this.#part(at, value, depth, "a pattern", PATTERNS, readPattern);
    const kind = kindOf(given, PATTERNS) ?? "block";
    const checked = this.#checked(at, given, PATTERNS[kind], depth + 1);
    if (kind === "block" && checked["block"] === undefined) {
      if (given["keep"] === false)
        throw wrongArgument(`${at}.keep`, false, "it is true where block is left out");
      return { properties: (checked["properties"] ?? {}) as Readonly<Record<string, string>> };
    }
    const [only, ...others] = (checked["mixed"] ?? []) as readonly { readonly pattern: Pattern }[];
    return only !== undefined && others.length === 0 ? only.pattern : (checked as unknown as Pattern);
  }

  weighted(at: string, value: unknown, depth: number): object {
    const given = fieldsOf(at, value, 'it is an object such as { weight: 80, pattern: "stone" }');
    return this.#checked(at, given, { weight: plain(checkWeight), pattern }, depth);
  }

  selection(at: string, value: unknown, depth: number): Selection {
    const advice = `it is a selection: what box(min, max) returns, or an object with one of ${Object.keys(SELECTIONS).join(", ")}`;
    this.#count(at, value, depth);
    const given = fieldsOf(at, value, advice);
    if (given["unit"] !== undefined) return this.box(at, given);
    const kind = kindOf(given, SELECTIONS);
    if (kind === undefined) throw wrongArgument(at, value, advice);
    return this.#checked(at, given, SELECTIONS[kind], depth + 1) as unknown as Selection;
  }

  box(at: string, value: unknown): VoxelBox {
    const given = fieldsOf(at, value, "it is a box of voxels: write box(min, max)");
    requireKnownFields(at, given, ["unit", "min", "max"]);
    const checked = this.#axes.publicVoxels(this.#axes.voxels(at, given));
    requireEach(`${at}.min`, checked.min, checkCoordinate);
    requireEach(`${at}.max`, checked.max, checkBoxEnd);
    return checked;
  }

  position(at: string, value: unknown): Position<Dimensions> {
    const position = this.#axes.publicPosition(this.#axes.position(at, value));
    requireEach(at, position, checkCoordinate);
    return position;
  }

  radii(at: string, value: unknown): readonly number[] {
    const radii = this.#axes.publicPosition(this.#axes.vector(at, value));
    return radii.map((radius, index) => checkRadius(`${at}[${index}]`, radius));
  }

  /** Returns the fields of a mask or a pattern, which may be a text. */
  #part(
    at: string,
    value: unknown,
    depth: number,
    what: string,
    kinds: Kinds,
    read: (name: string, text: string, dimensions: Dimensions) => Mask | Pattern,
  ): Fields {
    this.#count(at, value, depth);
    const advice = `it is ${what}: a text such as "stone", or an object with one of ${Object.keys(kinds).join(", ")}`;
    if (typeof value === "string") {
      this.#letters += value.length;
      requireAtMost(this.#letters, OPERATION_TEXT_LENGTH_MAX, `letters up to ${at}`, "write shorter texts");
      return read(at, value, this.dimensions) as unknown as Fields;
    }
    const given = fieldsOf(at, value, advice);
    const isKind = kindOf(given, kinds) !== undefined;
    // A pattern without a block keeps the voxel's own.
    const isOwnBlock = kinds === PATTERNS && (given["properties"] ?? given["keep"]) !== undefined;
    if (!isKind && !isOwnBlock) throw wrongArgument(at, value, advice);
    return given;
  }

  #count(at: string, value: unknown, depth: number): void {
    if (depth > OPERATION_DEPTH_MAX)
      throw wrongArgument(at, value, `parts are at most ${OPERATION_DEPTH_MAX} deep inside each other`);
    this.#parts++;
    requireAtMost(
      this.#parts,
      OPERATION_PARTS_MAX,
      `parts up to ${at}`,
      "use fewer masks, patterns and selections",
    );
  }

  #checked(at: string, given: Fields, rules: Rules = {}, depth: number): Fields {
    requireKnownFields(at, given, Object.keys(rules));
    const checked: (readonly [field: string, value: unknown])[] = [];
    for (const [field, { check, isOptional, isDefault }] of Object.entries(rules)) {
      const found = given[field];
      if (found === undefined && isOptional) continue;
      const value = check(this, `${at}.${field}`, found, depth);
      if (!isDefault?.(value)) checked.push([field, value]);
    }
    return Object.fromEntries(checked);
  }
}

function requireEach(at: string, numbers: readonly number[], check: Check<number>): void {
  for (const [index, number] of numbers.entries()) check(`${at}[${index}]`, number);
}

/** Copies the fields, so that each of them is read once. */
function fieldsOf(at: string, value: unknown, advice: string): Fields {
  requireObject(at, value, advice);
  return { ...value };
}

function kindOf(given: Fields, kinds: Kinds): string | undefined {
  return Object.keys(kinds).find((kind) => given[kind] !== undefined);
}

function plain(check: Check<unknown>): FieldRule {
  return { check: (_, at, value) => check(at, value) };
}

function optional(rule: FieldRule, fallback?: unknown): FieldRule {
  return { ...rule, isOptional: true, isDefault: (value) => value === fallback };
}

function listOf(things: string, check: FieldCheck): FieldRule {
  return {
    check: (checker, at, value, depth) => {
      const items = checkedList(at, value, things, 1, OPERATION_ITEMS_MAX);
      return convertList(at, items, things, (item, index) => check(checker, `${at}[${index}]`, item, depth));
    },
  };
}

function checkedPoints<Point>(
  at: string,
  value: unknown,
  min: number,
  check: (at: string, point: unknown) => Point,
): readonly Point[] {
  const list = checkedList(at, value, "points", min, OPERATION_POINTS_MAX);
  return convertList(at, list, "points", (point, index) => check(`${at}[${index}]`, point));
}

function checkedCorner(at: string, value: unknown): readonly number[] {
  return checkedList(at, value, "whole numbers", 2, 2).map((coordinate, index) =>
    checkCoordinate(`${at}[${index}]`, coordinate),
  );
}

/** Returns a copy of a list, whose holes are `undefined`. */
function checkedList(
  at: string,
  value: unknown,
  things: string,
  min: number,
  max: number,
): readonly unknown[] {
  const advice = `it is a list of ${min === max ? min : `${min} to ${max}`} ${things}`;
  requireList(at, value, advice);
  if (value.length < min || value.length > max) throw wrongArgument(at, value, advice);
  return Array.from(value);
}

/** Returns properties in the order of their names; `undefined` if there are none. */
function checkedProperties(at: string, value: unknown): Readonly<Record<string, string>> | undefined {
  const given = Object.entries(fieldsOf(at, value, 'it is an object such as { facing: "east" }'));
  if (given.length > BLOCK_PROPERTIES_MAX)
    throw wrongArgument(`the number of ${at}`, given.length, `it is at most ${BLOCK_PROPERTIES_MAX}`);
  const entries = given
    .filter(([, text]) => text !== undefined)
    .map(([property, text]) => {
      const known = checkBlockName(`a name in ${at}`, property);
      return [known, checkBlockName(`${at}.${printable(known)}`, text)] as const;
    });
  if (entries.length === 0) return undefined;
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isAir(pattern: unknown): boolean {
  const { block, properties, keep } = pattern as { block?: string; properties?: object; keep?: boolean };
  return block === "air" && properties === undefined && keep === undefined;
}
