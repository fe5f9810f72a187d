import { requireFlag, requireObject, requireWhole } from "../arguments/checks.ts";
import { checkedOptions, type OptionTable } from "../arguments/options.ts";
import { encode } from "../bytes/codec.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { BlockCatalog, colourOfUnknown } from "./block-catalog.ts";
import { BLOCK_CATALOG_BYTES_MAX, blockCatalogCodec } from "./block-catalog-codec.ts";
import { BlockIds, type BlockProperties } from "./block-ids.ts";
import { type BlockShape, checkedShape } from "./block-shape.ts";
import {
  BLOCK_LIGHT_MAX,
  type BlockProperty,
  type BlockType,
  checkedStrings,
  checkedTags,
  defaultOpacity,
  isTransparentName,
  lightOfName,
  requireColour,
  requirePrintable,
  requirePrintableTexts,
  withFields,
} from "./block-type.ts";
import { AIR } from "./chunk.ts";

/**
 * A type of block as a game defines it. What it does not say is not compared with a type that is there already, and has
 * a default in a new one.
 */
export interface BlockDefinition {
  /** 0xRRGGBB. Default: a colour that follows from the id. */
  readonly colour?: number;
  /** Whether it blocks movement. Default: `true`. */
  readonly solid?: boolean;
  /** Whether what lies behind it is visible. Default: only if its name ends in the word water, glass or ice. */
  readonly transparent?: boolean;
  /** How much light it gives off, from 0 to 15. Default: 15 for lamp, lava, torch and fire, 0 for all others. */
  readonly light?: number;
  /**
   * How much light it takes from what passes through it, from 0 to 15. Default: 2 if its name ends in the word leaves or
   * water, otherwise 1 for what is transparent and 15 for what is not.
   */
  readonly opacity?: number;
  /** Its properties and their values, the first of which is the default. The order counts. */
  readonly properties?: Readonly<Record<string, readonly string[]>>;
  /** Words that the game chooses. Orthant gives them no meaning. */
  readonly tags?: readonly string[];
  /**
   * What it fills of its voxel: boxes for all of its blocks, or the first of several parts that is for a block's values.
   * Movement and rays meet these boxes only. Default: the whole voxel, as `[]` says it, and where no part is for a block.
   */
  readonly shape?: BlockShape;
}

/** What can change of a type that is there. Its ids and properties stay: voxels hold them. */
export type BlockTypeChanges = Omit<BlockDefinition, "properties">;

/** How definitions are compared with the types of a world. */
export interface DefineBlocksOptions {
  /**
   * Whether types that are there change to what their definitions say, as `changeBlock` does it. Default: `false`, which
   * refuses other definitions. For a game under development: two programs that define a type differently would change it
   * at each start.
   */
  readonly change?: boolean;
}

/** Definitions by name. */
export type BlockDefinitions = Readonly<Record<string, BlockDefinition>>;

/** The values that the properties of a definition can have. */
export type PropertiesOf<Definition extends BlockDefinition> = Definition extends {
  readonly properties: infer Properties extends Readonly<Record<string, readonly string[]>>;
}
  ? { readonly [Name in keyof Properties]?: Properties[Name][number] }
  : BlockProperties;

/** A type of block in a world. It stays right when the type is renamed. */
export interface BlockHandle<Properties = BlockProperties> {
  /** The name with which it was defined. */
  readonly name: string;
  /** Returns the id of the block with these values; properties that are not given have their first value. */
  id(properties?: Properties): number;
}

/** The handles of definitions, by name. */
export type BlockHandles<Definitions extends BlockDefinitions> = {
  readonly [Name in keyof Definitions]: BlockHandle<PropertiesOf<Definitions[Name]>>;
};

const CHANGES = ["colour", "solid", "transparent", "light", "opacity", "tags", "shape"];
const FIELDS = [...CHANGES, "properties"];
const defineOptions: OptionTable<DefineBlocksOptions> = { change: requireFlag };

/**
 * Returns a catalog that has all defined types: the same one if it has them already, or one with new types behind the
 * last. A retired type that is defined is in use again. Throws `ORT_ARGUMENT` for a definition that contradicts a type,
 * unless the options let it change the type.
 */
export function defineBlocks(
  catalog: BlockCatalog,
  definitions: BlockDefinitions,
  options: DefineBlocksOptions = {},
): BlockCatalog {
  requireObject("blocks", definitions, "they are an object such as { copper: { colour: 0xb87333 } }");
  const { change: mayChange = false } = checkedOptions("the options", options, defineOptions);
  const kept = new Map<string, BlockType>();
  const added: BlockType[] = [];
  let { endId } = catalog;
  for (const [name, definition] of Object.entries(definitions)) {
    const defined = checkedDefinition(name, definition);
    const type = catalog.byName(name);
    if (type === undefined) {
      const next = newType(name, endId, defined);
      requirePrintableTexts(next);
      endId += new BlockIds(next).count;
      added.push(next);
      continue;
    }
    const difference = findDifference(type, defined);
    if (difference !== undefined && (!mayChange || difference.field === "properties"))
      throw contradiction(name, difference);
    const after = { ...changedType(type, defined), retired: false };
    if (type.retired || difference !== undefined) kept.set(name, after);
  }
  if (added.length + kept.size === 0) return catalog;
  if (endId > U16_MAX + 1) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `the new blocks need ids up to ${endId - 1}, the last is ${U16_MAX}`,
    );
  }
  return grown([...catalog.types.map((type) => kept.get(type.name) ?? type), ...added]);
}

/** Returns the definition of a type as it is. */
export function definitionOf({
  id: _,
  name: __,
  properties,
  retired: ___,
  ...behaviour
}: BlockType): BlockDefinition {
  return {
    ...behaviour,
    properties: Object.fromEntries(properties.map(({ name, values }) => [name, values])),
  };
}

/** Returns the handles of definitions in a catalog that has them. */
export function blockHandles<Definitions extends BlockDefinitions>(
  catalog: BlockCatalog,
  definitions: Definitions,
): BlockHandles<Definitions> {
  const handles = Object.keys(definitions).map((name) => {
    const ids = new BlockIds(catalog.byName(name) as BlockType);
    const handle: BlockHandle = { name, id: (properties) => ids.idOf(properties) };
    return [name, handle] as const;
  });
  return Object.fromEntries(handles) as BlockHandles<Definitions>;
}

/** Returns a catalog in which a type has another name. If only the new name is there, it is the same catalog. */
export function renameBlock(catalog: BlockCatalog, name: string, newName: string): BlockCatalog {
  if (typeof newName !== "string") throw wrongArgument("newName", newName, "it is a string");
  if (catalog.byName(name) === undefined && catalog.byName(newName) !== undefined) return catalog;
  const id = catalog.id(name);
  if (name === newName) return catalog;
  if (catalog.byName(newName) !== undefined)
    throw wrongArgument("newName", newName, "another block of this world has this name");
  const renamed = { ...(catalog.byId(id) as BlockType), name: newName };
  requirePrintable(id, [newName]);
  return grown(catalog.types.map((type) => (type.id === id ? renamed : type)));
}

/** Returns a catalog in which a type is what the changes say, or the same one if it is that already. */
export function changeBlock(catalog: BlockCatalog, name: string, changes: BlockTypeChanges): BlockCatalog {
  const type = catalog.byId(catalog.id(name)) as BlockType;
  requireObject("changes", changes, "they are an object such as { colour: 0x6fa287, light: 3 }");
  const { properties }: BlockDefinition = changes;
  if (properties !== undefined)
    throw wrongArgument(
      "changes.properties",
      properties,
      "properties stay, because voxels hold their values",
    );
  const changed = changedType(type, checkedFields("changes", changes, CHANGES));
  return changed === type ? catalog : grown(catalog.types.map((one) => (one === type ? changed : one)));
}

/** Returns a type with some fields, or the type itself if it has them. */
function changedType(type: BlockType, fields: CheckedDefinition): BlockType {
  if (findDifference(type, fields) === undefined) return type;
  if (type.id === AIR) throw wrongArgument("name", type.name, "air stays as it is");
  requirePrintable(type.id, fields.tags ?? []);
  return withFields(type, fields);
}

/** Returns a catalog in which a type is retired. */
export function retireBlock(catalog: BlockCatalog, name: string): BlockCatalog {
  const id = catalog.id(name);
  if (catalog.byId(id)?.retired === true) return catalog;
  return grown(catalog.types.map((type) => (type.id === id ? { ...type, retired: true } : type)));
}

/** Returns a catalog of types, if it is small enough to be sent. */
function grown(types: readonly BlockType[]): BlockCatalog {
  const catalog = new BlockCatalog(types);
  const bytes = encode(blockCatalogCodec, catalog).length;
  if (bytes <= BLOCK_CATALOG_BYTES_MAX) return catalog;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `the blocks of the world would take ${bytes} bytes, the limit is ${BLOCK_CATALOG_BYTES_MAX}: use fewer or shorter names`,
  );
}

/** The fields of a definition that are given. */
type CheckedDefinition = Partial<Omit<BlockType, "id" | "name" | "retired">>;

function checkedDefinition(name: string, given: unknown): CheckedDefinition {
  const at = `blocks.${name}`;
  requireObject(at, given, "it is an object such as { colour: 0xb87333, solid: true }");
  return checkedFields(at, given, FIELDS);
}

/** Returns the fields that are given. Throws `ORT_ARGUMENT` for one that is not in `known`. */
function checkedFields(at: string, given: object, known: readonly string[]): CheckedDefinition {
  const unknown = Object.keys(given).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    const value = (given as Record<string, unknown>)[unknown];
    throw wrongArgument(`${at}.${unknown}`, value, `there are ${known.join(", ")}`);
  }
  const { colour, solid, transparent, light, opacity, properties, tags, shape } = given as BlockDefinition;
  return {
    ...(colour !== undefined && { colour: requireColour(`${at}.colour`, colour) }),
    ...(solid !== undefined && { solid: requireFlag(`${at}.solid`, solid) }),
    ...(transparent !== undefined && { transparent: requireFlag(`${at}.transparent`, transparent) }),
    ...(light !== undefined && { light: requireWhole(`${at}.light`, light, 0, BLOCK_LIGHT_MAX) }),
    ...(opacity !== undefined && { opacity: requireWhole(`${at}.opacity`, opacity, 0, BLOCK_LIGHT_MAX) }),
    ...(properties !== undefined && { properties: checkedProperties(`${at}.properties`, properties) }),
    ...(tags !== undefined && { tags: checkedTags(`${at}.tags`, tags) }),
    ...(shape !== undefined && { shape: checkedShape(`${at}.shape`, shape) }),
  };
}

function checkedProperties(at: string, given: unknown): BlockProperty[] {
  requireObject(at, given, 'they are an object such as { facing: ["north", "east"] }');
  return Object.entries(given).map(([name, values]) => ({
    name,
    values: checkedStrings(`${at}.${name}`, values),
  }));
}

function newType(name: string, id: number, defined: CheckedDefinition): BlockType {
  const { transparent = isTransparentName(name) } = defined;
  return {
    id,
    name,
    colour: colourOfUnknown(id),
    solid: true,
    transparent,
    light: lightOfName(name),
    opacity: defaultOpacity({ id, name, transparent }),
    properties: [],
    tags: [],
    retired: false,
    shape: [],
    ...defined,
  };
}

/** A field in which a definition differs from a type, and both values. */
interface Difference {
  readonly field: string;
  readonly there: string;
  readonly wanted: string;
}

/** Returns in which field a definition differs from a type, or `undefined`. Properties come first: they cannot change. */
function findDifference(type: BlockType, defined: CheckedDefinition): Difference | undefined {
  for (const field of ["properties", ...CHANGES] as (keyof CheckedDefinition)[]) {
    if (defined[field] === undefined) continue;
    const there = formatField(field, type[field]);
    const wanted = formatField(field, defined[field]);
    if (there !== wanted) return { field, there, wanted };
  }
  return undefined;
}

function formatField(field: string, value: unknown): string {
  if (field === "colour") return `0x${(value as number).toString(16).padStart(6, "0")}`;
  if (field !== "properties") return JSON.stringify(value);
  const properties = (value as readonly BlockProperty[]).map(
    ({ name, values }) => `${JSON.stringify(name)}: ${JSON.stringify(values)}`,
  );
  return properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
}

function contradiction(name: string, { field, there, wanted }: Difference): OrthantError {
  const advice =
    field === "properties"
      ? "voxels hold them, so define a block with another name, or retire this one"
      : "change it with changeBlock, or all blocks with defineBlocks(definitions, { change: true })";
  return new OrthantError(
    "ORT_ARGUMENT",
    `the block ${JSON.stringify(name)} is there with another meaning: its ${field} is ${there} in this world and ${wanted} in the definition; ${advice}`,
  );
}
