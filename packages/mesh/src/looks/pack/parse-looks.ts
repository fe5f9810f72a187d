import { BlockCatalog, isOrthantError, OrthantError } from "@orthant/core";
import { requireObject, wrongArgument } from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import type { BlockLook } from "../block-looks.ts";
import type { LookPack } from "../look-pack.ts";
import { MODELS } from "../models/models.ts";
import { requirePicture, type TexturePicture } from "../texture-stack.ts";
import { type JsonNode, jsonNodeOf, parseJsonNode } from "./json-node.ts";
import { type LookProblem, LookProblems, problemText } from "./look-problems.ts";
import { LookReader } from "./look-reader.ts";
import { lookOfSpec, specFor, type TypeSpec } from "./look-spec.ts";
import { fieldsIn, requireFields, TextureReader } from "./texture-reader.ts";

/** Maximum length of a `looks.json`, in UTF-16 units. */
const LOOKS_LENGTH_MAX = 1_048_576;
const FIELDS = ["textures", "models", "blocks"];
const NAMELESS = { path: "", offset: 0 } as const;

/** Decoded pictures by their names, without `.png`. */
export type LookPictures = ReadonlyMap<string, TexturePicture>;

/**
 * Reads a look pack: the text of a `looks.json`, or the same as an object of a program, and the pictures that it names.
 * Throws `ORT_FOREIGN` with the line of the first problem; `checkLooks` lists all of them.
 *
 * @example
 * const pack = parseLooks({ blocks: { stone: "stone" } }, new Map([["stone", picture]]));
 * const looks = looksOf(pack, world.blocks);
 */
export function parseLooks(looks: string | object, pictures: LookPictures): LookPack {
  const { pack, problems } = read(looks, pictures);
  const [first, ...others] = problems.found;
  if (first === undefined) return pack;
  const more = others.length === 0 ? "" : ` (and ${others.length} more; checkLooks lists all)`;
  throw new OrthantError("ORT_FOREIGN", `${problemText(first)}${more}`);
}

/**
 * Returns all that is wrong in a look pack, with lines if it is a text. With a catalog, a look of a block, property or
 * value that the catalog does not have is wrong as well.
 */
export function checkLooks(
  looks: string | object,
  pictures: LookPictures,
  catalog?: BlockCatalog,
): readonly LookProblem[] {
  if (catalog !== undefined && !(catalog instanceof BlockCatalog))
    throw wrongArgument("catalog", catalog, "it is a BlockCatalog");
  try {
    const { problems, types } = read(looks, pictures);
    if (catalog !== undefined) checkNames(types, catalog, problems);
    return problems.found;
  } catch (error) {
    if (!isOrthantError(error, "ORT_FOREIGN", "ORT_LIMIT")) throw error;
    const problems = new LookProblems(typeof looks === "string" ? looks : undefined);
    problems.add({ path: "", offset: error.context.offset }, error.detail);
    return problems.found;
  }
}

interface ReadType {
  readonly node: JsonNode;
  readonly spec: TypeSpec;
}

function read(
  looks: string | object,
  pictures: LookPictures,
): {
  readonly pack: LookPack;
  readonly problems: LookProblems;
  readonly types: ReadonlyMap<string, ReadType>;
} {
  const text = typeof looks === "string" ? looks : undefined;
  if (text === undefined) requireObject("looks", looks, "it is the text of a looks.json, or its object");
  const known = checkedPictures(pictures);
  const problems = new LookProblems(text);
  if (text !== undefined && text.length > LOOKS_LENGTH_MAX)
    throw new OrthantError("ORT_LIMIT", `${text.length} letters exceed the limit of ${LOOKS_LENGTH_MAX}`);
  const root = text === undefined ? jsonNodeOf(looks) : parseText(text, problems);
  const textures = new TextureReader(known, problems);
  const reader = new LookReader(textures, problems);
  const types = new Map<string, ReadType>();
  const fields = root && fieldsIn(root, problems);
  if (fields !== undefined) {
    requireFields(fields, FIELDS, problems);
    for (const [name, readField] of [
      ["textures", (node: JsonNode): void => textures.readNamed(node)],
      ["models", (node: JsonNode): void => reader.readModels(node)],
    ] as const) {
      const node = fields.get(name);
      if (node !== undefined) readField(node);
    }
    const blocks = fields.get("blocks");
    if (blocks === undefined) problems.add(root ?? NAMELESS, 'it has no "blocks"');
    for (const [name, node] of (blocks && fieldsIn(blocks, problems)) ?? []) {
      const spec = reader.readType(node);
      if (spec !== undefined) types.set(name, { node, spec });
    }
  }
  return { pack: packOf(types, textures), problems, types };
}

/** Returns pictures as objects of our own, which no getter can change. Their sizes are checked when looks use them. */
function checkedPictures(pictures: LookPictures): LookPictures {
  if (!(pictures instanceof Map))
    throw wrongArgument("pictures", pictures, 'they are a Map such as new Map([["stone", picture]])');
  const checked = new Map<string, TexturePicture>();
  for (const [name, picture] of pictures as ReadonlyMap<unknown, unknown>) {
    if (typeof name !== "string")
      throw wrongArgument("the name of a picture in pictures", name, "it is a string");
    checked.set(name, requirePicture(`pictures.get(${JSON.stringify(name.slice(0, 40))})`, picture));
  }
  return checked;
}

function parseText(text: string, problems: LookProblems): JsonNode | undefined {
  try {
    return parseJsonNode(text);
  } catch (error) {
    if (!isOrthantError(error, "ORT_FOREIGN", "ORT_LIMIT")) throw error;
    return problems.add({ path: "", offset: error.context.offset ?? 0 }, error.detail);
  }
}

function packOf(types: ReadonlyMap<string, ReadType>, { stack }: TextureReader): LookPack {
  const shared = new Map<string, BlockLook>();
  return {
    textures: stack.textures(),
    lookOf(type, properties) {
      const spec = types.get(type.name)?.spec;
      if (spec === undefined) return undefined;
      const own = specFor(spec, properties);
      const model = own.model === undefined || own.model === "none" ? MODELS.cube : own.model;
      const look = lookOfSpec(own, model, type, properties, stack);
      return getOrAdd(shared, JSON.stringify(look), () => look);
    },
  };
}

function checkNames(
  types: ReadonlyMap<string, ReadType>,
  catalog: BlockCatalog,
  problems: LookProblems,
): void {
  const names = catalog.types.map(({ name }) => name);
  for (const [name, { node, spec }] of types) {
    const type = catalog.byName(name);
    if (type === undefined) {
      problems.addUnknown(node, "block", name, names);
      continue;
    }
    for (const { values } of spec.changes) {
      for (const [property, wanted] of values) {
        const known = type.properties.find((each) => each.name === property)?.values;
        if (known === undefined) {
          const properties = type.properties.map((each) => each.name);
          problems.addUnknown(node, `property of ${name} named`, property, properties);
        }
        for (const value of known === undefined ? [] : wanted) {
          if (!known?.includes(value))
            problems.addUnknown(node, `value of ${property} named`, value, known ?? []);
        }
      }
    }
  }
}
