import {
  type BlockCatalog,
  type BlockDefinitions,
  type BlockDescription,
  type BlockProperties,
  type BlockType,
  OrthantError,
} from "@orthant/core";
import { BLOCK_NAME_LENGTH_MAX, definitionOf, nearNames } from "@orthant/core/chunk";
import { getOrAdd } from "@orthant/core/lattice";
import { type Turn, turnedProperties, turnIn } from "@orthant/core/operations";
import { withMinecraftValues } from "../blocks/minecraft-values.ts";
import { importedName } from "../format/text.ts";
import { turnedType } from "./turned-type.ts";

/** Names that an error lists when none is near. */
const LISTED_MAX = 10;

/** A type that was defined under another name, because the world has one of its name without some properties or values. */
export interface RenamedBlock {
  readonly name: string;
  /** Such as `oak_stairs (2)`. */
  readonly as: string;
}

/** How blocks change on their way. */
interface BlockChanges {
  /** Names of the target for types of the source. */
  readonly names: ReadonlyMap<string, string>;
  /** How what is pasted is turned. */
  readonly turn: Turn;
}

const UNCHANGED: BlockChanges = { names: new Map(), turn: turnIn("xz", 0) };

/** What the blocks of one world become in another. */
interface BlockPlan {
  /** The block of the target for each block of the source. */
  readonly blocks: ReadonlyMap<number, BlockDescription>;
  /** The types that the target lacks. */
  readonly definitions: BlockDefinitions;
  readonly renamed: readonly RenamedBlock[];
}

/**
 * Finds for each block of a source the type of a target with its name and the values of its properties. Of several types
 * `name`, `name (2)`, `name (3)`, the first one that has the values counts; if none has, the next name is defined. Blocks
 * that the source's catalog does not have are left out. A type in `names` becomes the one of that name, which the target
 * has, with those of its values that this one has.
 */
export function planBlocks(
  source: BlockCatalog,
  target: BlockCatalog,
  used: Iterable<number>,
  { names, turn }: BlockChanges = UNCHANGED,
): BlockPlan {
  const found = new Set<string>();
  const blocks = new Map<number, BlockDescription>();
  const defined = new Map<string, BlockType>();
  const renamed = new Map<string, RenamedBlock>();
  const shown = new Map<BlockType, BlockType>();
  for (const id of used) {
    const [known, described] = [source.byId(id), source.describe(id)];
    if (known === undefined || described === undefined) continue;
    const type = getOrAdd(shown, known, () => importableType(turnedType(known, turn)));
    const properties = importableProperties(turnedProperties(turn, described.properties));
    found.add(type.name);
    const asked = names.get(type.name);
    if (asked !== undefined) {
      target.id(asked); // throws, with names that look like it
      blocks.set(id, { type: asked, properties: sharedProperties(target.byName(asked), properties) });
      continue;
    }
    const name = nameFor(type, properties, target, defined);
    if (target.byName(name) === undefined) defined.set(name, type);
    if (name !== known.name) renamed.set(name, { name: known.name, as: name });
    blocks.set(id, { type: name, properties });
  }
  for (const name of names.keys()) {
    if (found.has(name)) continue;
    const all = [...found].sort();
    const near = nearNames(name, all);
    const others = (near.length > 0 ? near : all.slice(0, LISTED_MAX)).join(", ");
    throw new OrthantError("ORT_ARGUMENT", `nothing that is pasted is called "${name}"; there is ${others}`);
  }
  return { blocks, definitions: definitionsOf(defined, target), renamed: [...renamed.values()] };
}

/** Returns a type with texts that a new type may have; worlds of before may have others. */
function importableType(type: BlockType): BlockType {
  const text = (stated: string): string => importedName(stated, BLOCK_NAME_LENGTH_MAX);
  return {
    ...type,
    name: text(type.name),
    properties: type.properties.map(({ name, values }) => ({ name, values: values.map(text) })),
    tags: type.tags.map(text),
  };
}

function importableProperties(properties: BlockProperties): BlockProperties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, importedName(value, BLOCK_NAME_LENGTH_MAX)]),
  );
}

/** Returns the definitions of types by their new names. */
function definitionsOf(defined: ReadonlyMap<string, BlockType>, { endId }: BlockCatalog): BlockDefinitions {
  const names = [...defined.keys()];
  const types = withMinecraftValues([...defined.values()], endId);
  return Object.fromEntries(types.map((type, index) => [names[index] as string, definitionOf(type)]));
}

function nameFor(
  type: BlockType,
  wanted: BlockProperties,
  target: BlockCatalog,
  defined: ReadonlyMap<string, BlockType>,
): string {
  for (let number = 1; ; number++) {
    const name = numbered(type.name, number);
    const there = target.byName(name);
    if (there === undefined ? (defined.get(name) ?? type) === type : hasValues(there, wanted)) return name;
  }
}

function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const end = ` (${number})`;
  return `${importedName(name, BLOCK_NAME_LENGTH_MAX - end.length)}${end}`;
}

/** Returns the properties that a type has, with values that it has. */
function sharedProperties(type: BlockType | undefined, properties: BlockProperties): BlockProperties {
  const isShared = ([name, value]: readonly [string, string]): boolean =>
    type !== undefined && hasValues(type, { [name]: value });
  return Object.fromEntries(Object.entries(properties).filter(isShared));
}

function hasValues({ properties }: BlockType, wanted: BlockProperties): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    properties.some((property) => property.name === name && property.values.includes(value)),
  );
}
