import { convertList, requireObject } from "../arguments/checks.ts";
import { wrongArgument } from "../error/orthant-error.ts";

/**
 * A box in a voxel, as its lowest and its highest corner, in fractions of the voxel that are multiples of 1/16. On axes that
 * are not given it reaches from one side of the voxel to the other.
 */
export type BlockBox = readonly [min: readonly number[], max: readonly number[]];

/** What blocks of a type with certain values fill of their voxel. */
export interface BlockShapePart {
  /** The values of properties that it is for. Without any, it is for all blocks of the type. */
  readonly when?: Readonly<Record<string, string>>;
  /** At most `BLOCK_BOXES_MAX`; none for a block that stops nothing. */
  readonly boxes: readonly BlockBox[];
}

/** What blocks of a type fill of their voxel: boxes for all of them, or the first part that is for a block's values. */
export type BlockShape = readonly BlockBox[] | readonly BlockShapePart[];

/** Maximum number of boxes of a block. */
export const BLOCK_BOXES_MAX = 8;
/** Maximum number of parts of a shape. */
export const BLOCK_SHAPE_PARTS_MAX = 64;
/** The steps on each axis of a voxel on which the faces of boxes lie. */
export const BOX_STEPS = 16;
/** A box has all axes that a world can have. */
export const BOX_AXES = 4;
const GIVEN_AXES_MIN = 2;

/** Returns a copy of a shape as its parts, whose boxes have all axes. */
export function checkedShape(at: string, given: unknown): BlockShapePart[] {
  if (Array.isArray(given) && Array.isArray(given[0])) return [{ when: {}, boxes: checkedBoxes(at, given) }];
  const advice = "it is a list of boxes such as [[0, 0, 0], [1, 0.5, 1]], or a list of { when, boxes }";
  return convertList(at, given, advice, (part, index) => {
    const place = `${at}[${index}]`;
    requireObject(place, part, 'it is an object such as { when: { open: "yes" }, boxes: [] }');
    const { when, boxes, ...others } = part as Partial<BlockShapePart>;
    const [unknown] = Object.entries(others);
    if (unknown !== undefined)
      throw wrongArgument(`${place}.${unknown[0]}`, unknown[1], "there are when, boxes");
    return { when: checkedValues(`${place}.when`, when), boxes: checkedBoxes(`${place}.boxes`, boxes) };
  });
}

function checkedValues(at: string, given: unknown): Readonly<Record<string, string>> {
  if (given === undefined) return {};
  requireObject(at, given, 'it is an object such as { open: "yes" }');
  const values = Object.entries(given).map(([name, value]): readonly [string, string] => {
    if (typeof value !== "string") throw wrongArgument(`${at}.${name}`, value, "it is a string");
    return [name, value];
  });
  // In one order, so that equal shapes have equal bytes.
  return Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkedBoxes(at: string, given: unknown): BlockBox[] {
  return convertList(at, given, "it is a list of boxes such as [[0, 0, 0], [1, 0.5, 1]]", (box, index) => {
    const place = `${at}[${index}]`;
    if (!Array.isArray(box) || box.length !== 2)
      throw wrongArgument(place, box, "it is two corners such as [[0, 0, 0], [1, 0.5, 1]]");
    const [min, max] = [checkedCorner(`${place}[0]`, box[0], 0), checkedCorner(`${place}[1]`, box[1], 1)];
    if (min.some((low, axis) => low >= (max[axis] as number)))
      throw wrongArgument(place, box, "its second corner is above the first on each axis");
    return [min, max];
  });
}

function checkedCorner(at: string, given: unknown, rest: number): readonly number[] {
  const corner = convertList(at, given, "it is a list of numbers such as [1, 0.5, 1]", (part, axis) => {
    const isStep = Number.isInteger((part as number) * BOX_STEPS);
    if (typeof part === "number" && isStep && part >= 0 && part <= 1) return part + 0;
    throw wrongArgument(`${at}[${axis}]`, part, "it is a multiple of 1/16 from 0 to 1");
  });
  if (corner.length < GIVEN_AXES_MIN || corner.length > BOX_AXES)
    throw wrongArgument(at, given, `it has ${GIVEN_AXES_MIN} to ${BOX_AXES} numbers, one for each axis`);
  return [...corner, ...Array.from({ length: BOX_AXES - corner.length }, () => rest)];
}

/** Properties with their values. */
type Properties = readonly { readonly name: string; readonly values: readonly string[] }[];

/** Returns what is wrong with the shape of a type that has these properties, or `undefined`. */
export function findShapeFault(shape: readonly BlockShapePart[], properties: Properties): string | undefined {
  if (shape.length > BLOCK_SHAPE_PARTS_MAX)
    return `has a shape of ${shape.length} parts, the limit is ${BLOCK_SHAPE_PARTS_MAX}`;
  for (const { when = {}, boxes } of shape) {
    if (boxes.length > BLOCK_BOXES_MAX)
      return `has a shape with ${boxes.length} boxes, the limit is ${BLOCK_BOXES_MAX}`;
    for (const [name, value] of Object.entries(when)) {
      const values = properties.find((property) => property.name === name)?.values;
      if (values === undefined) return `has a shape for values of ${JSON.stringify(name)}, not a property`;
      if (!values.includes(value))
        return `has a shape for ${name}=${JSON.stringify(value)}; the values are ${values.join(", ")}`;
    }
  }
  return undefined;
}

/** Returns a text that is the same for equal shapes only. */
export function shapeKey(shape: readonly BlockShapePart[]): string {
  return JSON.stringify(shape.map(({ when = {}, boxes }) => [Object.entries(when), boxes]));
}

/** Whether boxes are one that fills the voxel. */
export function fillsVoxel(boxes: readonly BlockBox[]): boolean {
  const [box] = boxes;
  if (box === undefined || boxes.length > 1) return false;
  return box[0].every((part) => part === 0) && box[1].every((part) => part === 1);
}
