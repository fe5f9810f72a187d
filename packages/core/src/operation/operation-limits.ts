import { requireText, requireWhole } from "../arguments/checks.ts";
import { type Check, matching } from "../arguments/options.ts";
import { I32_MAX, I32_MIN, U32_MAX } from "../bytes/integers.ts";
import { BLOCK_NAME_LENGTH_MAX } from "../chunk/block-type.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { AXIS_NAMES, type Dimensions } from "../lattice/position.ts";
import type { AxisName, Plane } from "./turn.ts";

// What numbers and names of operations may be, for values and for their texts.

/** Maximum length of the text of an operation, or of all texts inside one, in UTF-16 units. */
export const OPERATION_TEXT_LENGTH_MAX = 65_536;
/** How deep masks, patterns and selections may be inside each other. */
export const OPERATION_DEPTH_MAX = 32;
/** Maximum number of masks, patterns and selections of an operation. */
export const OPERATION_PARTS_MAX = 65_536;
/** Maximum number of items of a list. */
export const OPERATION_ITEMS_MAX = 256;
/** Maximum number of points of a line, a curve or a prism. */
export const OPERATION_POINTS_MAX = 1024;

/** Maximum number of different clipboards of an operation that travels as a text. */
export const OPERATION_CLIPBOARDS_MAX = 8;

/** A voxel's coordinate. */
export const checkCoordinate: Check<number> = wholeNumber(I32_MIN, I32_MAX);
/** Where a box ends, behind its last voxel. */
export const checkBoxEnd: Check<number> = wholeNumber(I32_MIN, I32_MAX + 1);
/** The radius of a sphere, a cylinder or a pen. */
export const checkRadius: Check<number> = numberBetween(0, 65_535);
/** The height of a cylinder. */
export const checkHeight: Check<number> = wholeNumber(1, 65_535);
/** The thickness or depth of a layer. */
export const checkThickness: Check<number> = wholeNumber(1, 255);
/** Quarter turns. */
export const checkTurns: Check<number> = wholeNumber(1, 3);
/** How often a selection is copied. */
export const checkCopies: Check<number> = wholeNumber(1, 65_535);
/** How often land is smoothed. */
export const checkPasses: Check<number> = wholeNumber(1, 64);
/** How many connected voxels may be found. */
export const checkVoxelLimit: Check<number> = wholeNumber(1, 16_777_216);
/** The width of patches, in voxels. */
export const checkPatch: Check<number> = numberBetween(1, 65_535);
/** A share of all voxels. */
export const checkShare: Check<number> = numberBetween(0, 1);
/** The seed of an operation. */
export const checkSeed: Check<number> = wholeNumber(0, U32_MAX);
/** The place of a clipboard among those beside a text. */
export const checkClipboardIndex: Check<number> = wholeNumber(0, OPERATION_CLIPBOARDS_MAX - 1);
/** How often a pattern is chosen among others. */
export const checkWeight: Check<number> = matching(
  "it is a finite number above 0",
  (value) => Number.isFinite(value) && (value as number) > 0,
);

/** Returns `value` if it can be the name of a block or tag, or the name or value of a property. */
export function checkBlockName(name: string, value: unknown): string {
  const advice = `it is a string of 1 to ${BLOCK_NAME_LENGTH_MAX} letters`;
  const text = requireText(name, value, advice);
  if (text.length < 1 || text.length > BLOCK_NAME_LENGTH_MAX) throw wrongArgument(name, value, advice);
  return text;
}

/** A number of neighbours that share a face with a voxel. */
export function checkFaces(dimensions: Dimensions): Check<number> {
  return wholeNumber(0, 2 * dimensions);
}

/** Returns `value` if it is the number of axes of a world. */
export function checkDimensions(name: string, value: unknown): Dimensions {
  if (value === 2 || value === 3 || value === 4) return value;
  throw wrongArgument(name, value, "it is 2, 3 or 4");
}

/** Returns the names of the axes of a world. */
export function axisNames(dimensions: Dimensions): readonly AxisName[] {
  return AXIS_NAMES.slice(0, dimensions);
}

/** Returns the planes of a world. */
export function planes(dimensions: Dimensions): readonly Plane[] {
  const axes = axisNames(dimensions);
  return axes.flatMap((first, index) => axes.slice(index + 1).map((second) => `${first}${second}` as Plane));
}

/** Adding 0 turns -0 into 0. */
function wholeNumber(min: number, max: number): Check<number> {
  return (name, value) => requireWhole(name, value, min, max) + 0;
}

function numberBetween(min: number, max: number): Check<number> {
  const advice = `it is a number from ${min} to ${max}`;
  const check = matching<number>(
    advice,
    (value) => typeof value === "number" && value >= min && value <= max,
  );
  return (name, value) => check(name, value) + 0;
}
