import { type BlockProperties, OrthantError } from "@orthant/core";
import { type JsonObject, objectOf } from "./pack-files.ts";

/** A model as a block state uses it. */
export interface ModelUse {
  readonly model: string;
  /** Quarter turns. */
  readonly x: number;
  readonly y: number;
  readonly isLocked: boolean;
  /** Whether positions turn the block around its vertical axis. */
  readonly isScattered: boolean;
}

type Condition = (properties: BlockProperties) => boolean;

/** The models of a block by values of its properties. */
export interface BlockStates {
  /** Whether all parts that fit are drawn together, and not only the first. */
  readonly isMultipart: boolean;
  readonly parts: readonly { readonly fits: Condition; readonly use: ModelUse }[];
}

const PARTS_MAX = 8_192;
const CONDITION_DEPTH_MAX = 8;
/** Number of turned copies of one model by which a block state says that positions turn it. */
const SCATTERED_USES = 4;

/** Values of a block that does not have the property at all. */
const DEFAULTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["facing", ["north", "up", "down"]],
  ["half", ["bottom", "lower"]],
  ["type", ["bottom", "single"]],
  ["shape", ["straight", "north_south"]],
  ["axis", ["y", "x"]],
  ["hinge", ["left"]],
  ["face", ["floor", "wall"]],
  ["rotation", ["0"]],
]);
const OFF: readonly string[] = ["false", "none", "0", "1"];

/** Reads which models the states of a block have. */
export function readBlockStates(file: JsonObject, path: string): BlockStates {
  const { variants, multipart } = file;
  const isMultipart = Array.isArray(multipart);
  const entries: readonly (readonly [Condition, unknown])[] = isMultipart
    ? multipart.map((part: unknown) => {
        const { when, apply } = objectOf(part);
        return [when === undefined ? (): boolean => true : conditionOf(when, 0, path), apply] as const;
      })
    : Object.entries(objectOf(variants)).map(([key, apply]) => [variantCondition(key), apply] as const);
  if (entries.length > PARTS_MAX)
    throw new OrthantError("ORT_LIMIT", `${entries.length} variants exceed the limit of ${PARTS_MAX}`, {
      path,
    });
  const parts = entries.flatMap(([fits, apply]) => {
    const use = useOf(apply);
    return use === undefined ? [] : [{ fits, use }];
  });
  return { isMultipart, parts };
}

/** Returns the models that are drawn for values of properties. */
export function usesFor(
  { isMultipart, parts }: BlockStates,
  properties: BlockProperties,
): readonly ModelUse[] {
  if (isMultipart) return parts.filter(({ fits }) => fits(properties)).map(({ use }) => use);
  const first = parts.find(({ fits }) => fits(properties)) ?? parts[0];
  return first === undefined ? [] : [first.use];
}

/** Reads the key of a variant, such as `facing=east,half=top`. */
function variantCondition(key: string): Condition {
  const pairs = key
    .split(",")
    .filter((pair) => pair.includes("="))
    .map((pair) => pair.split("=", 2) as [string, string]);
  return (properties) => pairs.every(([name, value]) => hasValue(properties, name, [value]));
}

function conditionOf(when: unknown, depth: number, path: string): Condition {
  if (depth > CONDITION_DEPTH_MAX)
    throw new OrthantError("ORT_LIMIT", `more than ${CONDITION_DEPTH_MAX} conditions are inside each other`, {
      path,
    });
  const entries = Object.entries(objectOf(when));
  const conditions = entries.map(([name, value]): Condition => {
    if ((name === "OR" || name === "AND") && Array.isArray(value)) {
      const inner = value.map((each: unknown) => conditionOf(each, depth + 1, path));
      return (properties) =>
        name === "OR" ? inner.some((fits) => fits(properties)) : inner.every((fits) => fits(properties));
    }
    const text = String(value);
    const isNegated = text.startsWith("!");
    const values = (isNegated ? text.slice(1) : text).split("|");
    return (properties) => hasValue(properties, name, values) !== isNegated;
  });
  return (properties) => conditions.every((fits) => fits(properties));
}

function hasValue(properties: BlockProperties, name: string, values: readonly string[]): boolean {
  if (Object.hasOwn(properties, name)) return values.includes(properties[name] as string);
  const usual = DEFAULTS.get(name) ?? OFF;
  return values.some((value) => usual.includes(value));
}

/** Reads a model, or the first of several among which positions choose. */
function useOf(apply: unknown): ModelUse | undefined {
  const uses: readonly unknown[] = Array.isArray(apply) ? apply : [apply];
  const { model, x, y, uvlock } = objectOf(uses[0]);
  if (typeof model !== "string") return undefined;
  const isScattered = uses.length >= SCATTERED_USES && uses.every((use) => objectOf(use)["model"] === model);
  return { model, x: quarters(x), y: quarters(y), isLocked: uvlock === true, isScattered };
}

function quarters(degrees: unknown): number {
  return typeof degrees === "number" && degrees % 90 === 0 ? (((degrees / 90) % 4) + 4) % 4 : 0;
}
