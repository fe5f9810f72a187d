import { convertList, requireFlag, requireObject, requireWhole } from "../arguments/checks.ts";
import { nameFault, printable } from "../arguments/printable.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { type BlockShape, type BlockShapePart, checkedShape, findShapeFault } from "./block-shape.ts";
import { AIR } from "./chunk.ts";

/** One property of a block type, such as where a chest faces. */
export interface BlockProperty {
  readonly name: string;
  /** The values that it can have. The first is the one of a block for which none is given. */
  readonly values: readonly string[];
}

/** Describes one type of block. It has one id for each combination of its properties' values. */
export interface BlockType {
  /** Its first id. A type without properties has no other; the last property's values change fastest. */
  readonly id: number;
  /** Such as `stone` or `game:chest`. */
  readonly name: string;
  /** 0xRRGGBB. */
  readonly colour: number;
  /** Whether it blocks movement. */
  readonly solid: boolean;
  /** Whether what lies behind it is visible. */
  readonly transparent: boolean;
  /** How much light it gives off, from 0 to {@link BLOCK_LIGHT_MAX}. */
  readonly light: number;
  /** How much light it takes from what passes through it, from 0 to {@link BLOCK_LIGHT_MAX}. 15 lets none through. */
  readonly opacity: number;
  readonly properties: readonly BlockProperty[];
  /** Words that a game chooses, in ascending order. Orthant gives them no meaning. */
  readonly tags: readonly string[];
  /** Whether it is out of use: voxels keep it, and nothing offers it to players. */
  readonly retired: boolean;
  /** What it fills of its voxel, for movement and rays. Without parts it fills the whole voxel. */
  readonly shape: readonly BlockShapePart[];
}

/**
 * A type for a new catalog. Without `transparent` and `light` its name decides: blocks whose name ends in the word air,
 * water, glass or ice are transparent, and those named lamp, lava, torch or fire glow. Without `opacity` air has 0,
 * leaves and water have 2, other transparent types 1, and all others 15.
 */
export type NewBlockType = Pick<BlockType, "id" | "name" | "colour" | "solid"> &
  Partial<Omit<BlockType, "id" | "name" | "colour" | "solid" | "shape">> & { readonly shape?: BlockShape };

/** Maximum length of a block's name, a tag, and a property's name or value in UTF-16 units. */
export const BLOCK_NAME_LENGTH_MAX = 64;
/** The light of the brightest block, and the opacity of one that lets no light through. */
export const BLOCK_LIGHT_MAX = 15;
/** Maximum number of properties of a type. */
export const BLOCK_PROPERTIES_MAX = 16;
/** Maximum number of values of a property. */
export const BLOCK_VALUES_MAX = 256;
/** Maximum number of tags of a type. */
export const BLOCK_TAGS_MAX = 32;
const COLOUR_MAX = 0xff_ffff;
const NO_SHAPE: readonly BlockShapePart[] = [];
const ID_COUNT_MAX = U16_MAX + 1;
/** A name that an object of JavaScript keeps in the order in which it was written. */
const PROPERTY_NAME = /^[a-z][a-z0-9_-]*$/i;
/** A block is transparent when the last word of its name is one of these, as in "blue ice". */
const TRANSPARENT_WORDS: ReadonlySet<string> = new Set(["air", "water", "glass", "ice"]);
const GLOWING_NAMES: ReadonlySet<string> = new Set(["lamp", "lava", "torch", "fire"]);
/** Names of blocks that dim light, such as "leaves", "oak leaves" and "minecraft:water". */
const DIM_NAME = /(?:^|[ _:])(?:leaves|water)$/;
const DIM_OPACITY = 2;
const TRANSPARENT_OPACITY = 1;

/** Whether a block is transparent, judged by its name. */
export function isTransparentName(name: string): boolean {
  return TRANSPARENT_WORDS.has(name.split(" ").at(-1) ?? "");
}

/** Returns the light of a block of which only the name is known. */
export function lightOfName(name: string): number {
  return GLOWING_NAMES.has(name) ? BLOCK_LIGHT_MAX : 0;
}

/**
 * Returns the opacity of a type that does not say its own: 0 of air, 2 of leaves and water, 1 of other transparent types,
 * 15 of all others.
 */
export function defaultOpacity({
  id,
  name,
  transparent,
}: Pick<BlockType, "id" | "name" | "transparent">): number {
  if (id === AIR) return 0;
  if (DIM_NAME.test(name)) return DIM_OPACITY;
  return transparent ? TRANSPARENT_OPACITY : BLOCK_LIGHT_MAX;
}

/** Whether a type has another opacity than the default one. */
export function hasOwnOpacity(type: BlockType): boolean {
  return type.opacity !== defaultOpacity(type);
}

/** Returns a type after a change of some fields. An opacity that was the default follows, unless it is among them. */
export function withFields(type: BlockType, fields: Partial<BlockType>): BlockType {
  const next = { ...type, ...fields };
  if (fields.opacity !== undefined || hasOwnOpacity(type)) return next;
  return { ...next, opacity: defaultOpacity(next) };
}

/** Returns how many ids a type takes: the number of combinations of its properties' values. */
export function idCountOf({ properties }: Pick<BlockType, "properties">): number {
  return properties.reduce((count, { values }) => count * values.length, 1);
}

/** Returns copies of types with all fields. Throws `ORT_ARGUMENT` for a field that a type cannot have. */
export function checkedBlockTypes(types: readonly NewBlockType[]): BlockType[] {
  const own: BlockType[] = [];
  // Types that share a shape keep sharing it, so that a few bytes from a server do not become many shapes.
  const shapes = new Map<unknown, BlockShapePart[]>();
  // A loop by index also visits holes.
  for (let index = 0; index < types.length; index++)
    own.push(checkedBlockType(`types[${index}]`, types[index], shapes));
  return own;
}

function checkedBlockType(at: string, given: unknown, shapes: Map<unknown, BlockShapePart[]>): BlockType {
  requireObject(at, given, 'it is an object such as { id: 1, name: "stone", colour: 0x888888, solid: true }');
  const {
    id,
    name,
    colour,
    solid,
    transparent,
    light,
    opacity,
    properties,
    tags,
    retired,
    shape = NO_SHAPE,
  }: Partial<BlockType> = given;
  const checkedName = requireString(`${at}.name`, name);
  const looks = {
    id: requireWhole(`${at}.id`, id, 0, U16_MAX),
    name: checkedName,
    colour: requireColour(`${at}.colour`, colour),
    solid: requireFlag(`${at}.solid`, solid),
    transparent:
      transparent === undefined
        ? isTransparentName(checkedName)
        : requireFlag(`${at}.transparent`, transparent),
    light:
      light === undefined ? lightOfName(checkedName) : requireWhole(`${at}.light`, light, 0, BLOCK_LIGHT_MAX),
  };
  return {
    ...looks,
    opacity:
      opacity === undefined
        ? defaultOpacity(looks)
        : requireWhole(`${at}.opacity`, opacity, 0, BLOCK_LIGHT_MAX),
    properties: properties === undefined ? [] : checkedProperties(`${at}.properties`, properties),
    tags: tags === undefined ? [] : checkedTags(`${at}.tags`, tags),
    retired: retired === undefined ? false : requireFlag(`${at}.retired`, retired),
    shape: getOrAdd(shapes, shape, () => checkedShape(`${at}.shape`, shape)),
  };
}

function checkedProperties(at: string, given: unknown): BlockProperty[] {
  return convertList(at, given, "it is a list of { name, values }", (property, index) => {
    const place = `${at}[${index}]`;
    requireObject(place, property, 'it is an object such as { name: "facing", values: ["north"] }');
    const { name, values }: Partial<BlockProperty> = property;
    return { name: requireString(`${place}.name`, name), values: checkedStrings(`${place}.values`, values) };
  });
}

/** Returns a list of tags in ascending order, each once. */
export function checkedTags(at: string, given: unknown): string[] {
  return [...new Set(checkedStrings(at, given))].sort();
}

/** Returns a copy of a list of strings. */
export function checkedStrings(at: string, given: unknown): string[] {
  return convertList(at, given, "it is a list of strings", (item, index) =>
    requireString(`${at}[${index}]`, item),
  );
}

function requireString(at: string, value: unknown): string {
  if (typeof value !== "string") throw wrongArgument(at, value, "it is a string");
  return value;
}

/** Returns `value` if it is a colour. */
export function requireColour(at: string, value: unknown): number {
  if (isWhole(value, COLOUR_MAX)) return value;
  throw wrongArgument(at, value, "it is a number such as 0xff8800");
}

function isWhole(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
}

/** Returns what is wrong with types in order of their ids, or `undefined`. */
export function findContradiction(types: readonly BlockType[]): string | undefined {
  const [air] = types;
  if (air?.id !== AIR || air.name !== "air" || air.solid) return "block 0 is not air";
  if (air.properties.length > 0 || air.retired) return "air has properties or is retired";
  if (air.opacity > 0) return `air has opacity ${air.opacity}`;
  if (air.shape.length > 0) return "air has a shape";
  const names = new Set<string>();
  const shapes = new ShapeChecks();
  let nextId = 0;
  for (const type of types) {
    const { id, name } = type;
    if (id < nextId) return `block ${id} after block ${nextId - 1}`;
    const problem = findFault(type) ?? shapes.findFault(type);
    if (problem !== undefined) return `block ${id} ${problem}`;
    if (names.has(name)) return `two blocks are named ${name}`;
    names.add(name);
    nextId = id + idCountOf(type);
    if (nextId > ID_COUNT_MAX) return `block ${id} takes ids up to ${nextId - 1}, the last is ${U16_MAX}`;
  }
  return undefined;
}

/**
 * Throws `ORT_ARGUMENT` for a type with a text that cannot be shown as it is. For new types only: a world that has others
 * from before stays readable.
 */
export function requirePrintableTexts({ id, name, properties, tags }: BlockType): void {
  // Names of properties have only letters, digits and two signs.
  requirePrintable(id, [name, ...properties.flatMap(({ values }) => values), ...tags]);
}

/** Throws `ORT_ARGUMENT` if one of the new texts of a type cannot be shown as it is. */
export function requirePrintable(id: number, texts: readonly string[]): void {
  for (const text of texts) {
    const fault = nameFault(text);
    if (fault !== undefined)
      throw wrongArgument(`a name, value or tag of block ${id}`, printable(text), fault);
  }
}

/** Returns what is wrong with one type, or `undefined`. */
function findFault({ name, properties, tags }: BlockType): string | undefined {
  const fault = textFault(name);
  if (fault !== undefined) return `has a name ${fault}`;
  if (properties.length > BLOCK_PROPERTIES_MAX) {
    return `has ${properties.length} properties, the limit is ${BLOCK_PROPERTIES_MAX}`;
  }
  if (new Set(properties.map((property) => property.name)).size < properties.length) {
    return "has two properties of one name";
  }
  let count = 1;
  for (const property of properties) {
    const problem = findPropertyFault(property);
    if (problem !== undefined) return problem;
    count *= property.values.length;
    // Checked at each step: the product of all could leave the range in which numbers are exact.
    if (count > ID_COUNT_MAX) return `has more than ${ID_COUNT_MAX} combinations of values`;
  }
  if (tags.length > BLOCK_TAGS_MAX) return `has ${tags.length} tags, the limit is ${BLOCK_TAGS_MAX}`;
  const wrong = tags.find((tag) => textFault(tag) !== undefined);
  if (wrong !== undefined) return `has a tag ${textFault(wrong)}`;
  const ascends = tags.every((tag, index) => index === 0 || (tags[index - 1] as string) < tag);
  return ascends ? undefined : "has tags out of order";
}

/** Checks each shape once for all types that share it and have the same properties: a few bytes can name it for many. */
class ShapeChecks {
  readonly #checked = new Map<readonly BlockShapePart[], Set<string>>();

  findFault({ shape, properties }: BlockType): string | undefined {
    if (shape.length === 0) return undefined;
    const key = JSON.stringify(properties.map(({ name, values }) => [name, values]));
    const checked = getOrAdd(this.#checked, shape, () => new Set<string>());
    if (checked.has(key)) return undefined;
    const fault = findShapeFault(shape, properties);
    if (fault === undefined) checked.add(key);
    return fault;
  }
}

function findPropertyFault({ name, values }: BlockProperty): string | undefined {
  if (name.length > BLOCK_NAME_LENGTH_MAX || !PROPERTY_NAME.test(name)) {
    const rule = `a letter, then letters, digits, "_" or "-", ${BLOCK_NAME_LENGTH_MAX} at most`;
    return `has a property named ${JSON.stringify(name.slice(0, BLOCK_NAME_LENGTH_MAX))}; a name is ${rule}`;
  }
  if (values.length < 1 || values.length > BLOCK_VALUES_MAX) {
    return `has a property ${name} of ${values.length} values, expected 1 to ${BLOCK_VALUES_MAX}`;
  }
  if (new Set(values).size < values.length) return `has a property ${name} with a value twice`;
  const wrong = values.find((value) => textFault(value) !== undefined);
  return wrong === undefined ? undefined : `has a property ${name} with a value ${textFault(wrong)}`;
}

function textFault(text: string): string | undefined {
  if (text.length === 0 || text.length > BLOCK_NAME_LENGTH_MAX) {
    return `of ${text.length} letters, expected 1 to ${BLOCK_NAME_LENGTH_MAX}`;
  }
  return /\p{Cs}/u.test(text) ? "with half a surrogate pair" : undefined;
}
