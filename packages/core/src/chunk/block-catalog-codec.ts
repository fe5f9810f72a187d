import type { ByteReader } from "../bytes/byte-reader.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import { type Codec, encode } from "../bytes/codec.ts";
import { list, string } from "../bytes/combinators.ts";
import { hash64 } from "../bytes/hash64.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { BlockCatalog } from "./block-catalog.ts";
import { ShapeReader, ShapeWriter } from "./block-shape-codec.ts";
import {
  BLOCK_LIGHT_MAX,
  BLOCK_NAME_LENGTH_MAX,
  BLOCK_PROPERTIES_MAX,
  BLOCK_TAGS_MAX,
  BLOCK_VALUES_MAX,
  type BlockProperty,
  type BlockType,
  defaultOpacity,
  findContradiction,
  hasOwnOpacity,
  idCountOf,
  isTransparentName,
  lightOfName,
} from "./block-type.ts";

/** Maximum bytes of an encoded catalog that grows or that is sent: four times those of all blocks of Minecraft. */
export const BLOCK_CATALOG_BYTES_MAX = 262_144;

/** Types without properties, whose names decide what is transparent and what glows. */
const VERSION_WITH_NAMES = 1;
const VERSION_WITH_TYPES = 2;
const VERSION_WITH_OPACITY = 3;
const VERSION_WITH_SHAPES = 4;
/** A UTF-16 unit takes at most three bytes of UTF-8. */
const TEXT_BYTES_MAX = BLOCK_NAME_LENGTH_MAX * 3;
const TYPES_MAX = U16_MAX + 1;

/** A type of version 1. */
const namedTypeCodec: Codec<BlockType> = {
  write(out, { id, name, colour, solid }) {
    out.varU16(id);
    out.string(name, TEXT_BYTES_MAX);
    writeColour(out, colour);
    out.bool(solid);
  },

  read(input) {
    const id = input.varU16();
    const name = input.string(TEXT_BYTES_MAX);
    const colour = readColour(input);
    const solid = input.bool();
    const transparent = isTransparentName(name);
    const light = lightOfName(name);
    const opacity = defaultOpacity({ id, name, transparent });
    const looks = { id, name, colour, solid, transparent, light, opacity };
    return { ...looks, properties: [], tags: [], retired: false, shape: [] };
  },
};

const namedTypesCodec = list(namedTypeCodec, TYPES_MAX);

/** A catalog, prefixed with its version. Rules C15 to C22, C28 and C30 to C32 in docs/formats/chunk-payload.md. */
export const blockCatalogCodec: Codec<BlockCatalog> = {
  write(out, { types }) {
    const version = versionOf(types);
    out.varUint(version);
    typesCodecOf(version).write(out, types);
  },

  read(input) {
    const version = input.varUint();
    if (version < VERSION_WITH_NAMES || version > VERSION_WITH_SHAPES) {
      throw input.fail(
        "ORT_VERSION",
        `unsupported block catalog version ${version} (expected at most ${VERSION_WITH_SHAPES})`,
      );
    }
    const types = typesCodecOf(version).read(input);
    const problem = findContradiction(types);
    if (problem !== undefined) throw input.fail("ORT_BLOCKS", problem);
    const least = versionOf(types);
    if (version !== least) {
      throw input.fail("ORT_BLOCKS", `version ${version} of a catalog that version ${least} can hold`);
    }
    return new BlockCatalog(types);
  },
};

function typesCodecOf(version: number): Codec<readonly BlockType[]> {
  if (version === VERSION_WITH_NAMES) return namedTypesCodec;
  if (version === VERSION_WITH_TYPES) return plainTypesCodec;
  return version === VERSION_WITH_OPACITY ? unshapedTypesCodec : blockTypesCodec;
}

const plainCatalogs = new WeakMap<BlockCatalog, BlockCatalog>();

/**
 * Returns a catalog as programs know it that cannot read version 3: the same one, or one in which all types have their
 * default opacity and no shape. Always the same one for a catalog.
 */
export function plainBlockCatalog(catalog: BlockCatalog): BlockCatalog {
  const plain = getOrAdd(plainCatalogs, catalog, () => {
    if (!catalog.hasShapes && !catalog.types.some(hasOwnOpacity)) return catalog;
    return new BlockCatalog(
      catalog.types.map((type) => ({ ...type, opacity: defaultOpacity(type), shape: [] })),
    );
  });
  return plain;
}

const unshapedCatalogs = new WeakMap<BlockCatalog, BlockCatalog>();

/** Returns a catalog as programs know it that cannot read version 4, in the same way. */
export function unshapedBlockCatalog(catalog: BlockCatalog): BlockCatalog {
  if (!catalog.hasShapes) return catalog;
  return getOrAdd(
    unshapedCatalogs,
    catalog,
    () => new BlockCatalog(catalog.types.map((type) => ({ ...type, shape: [] }))),
  );
}

const hashes = new WeakMap<BlockCatalog, bigint>();

/** Returns a hash of a catalog's encoding: equal catalogs have equal hashes. */
export function blockCatalogHash(catalog: BlockCatalog): bigint {
  return getOrAdd(hashes, catalog, () => hash64(encode(blockCatalogCodec, catalog)));
}

/** Returns the lowest version that can hold types. */
function versionOf(types: readonly BlockType[]): number {
  if (types.some(({ shape }) => shape.length > 0)) return VERSION_WITH_SHAPES;
  if (types.some(hasOwnOpacity)) return VERSION_WITH_OPACITY;
  return types.every(isOfNames) ? VERSION_WITH_NAMES : VERSION_WITH_TYPES;
}

/** Whether version 1 can hold a type with the default opacity and no shape. */
function isOfNames({ name, transparent, light, properties, tags, retired }: BlockType): boolean {
  if (transparent !== isTransparentName(name) || light !== lightOfName(name)) return false;
  return properties.length === 0 && tags.length === 0 && !retired;
}

const SOLID = 1;
const TRANSPARENT = 2;
const RETIRED = 4;
const HAS_LIGHT = 8;
const HAS_PROPERTIES = 16;
const HAS_TAGS = 32;
const FLAGS_MAX = 63;
/** Only from version 3 on. */
const HAS_OPACITY = 64;
const FLAGS_MAX_WITH_OPACITY = FLAGS_MAX + HAS_OPACITY;
/** Only in version 4. */
const HAS_SHAPE = 128;
const FLAGS_MAX_WITH_SHAPE = FLAGS_MAX_WITH_OPACITY + HAS_SHAPE;

const textCodec = string(TEXT_BYTES_MAX);
const propertyTableCodec = list<BlockProperty>(
  {
    write(out, { name, values }) {
      textCodec.write(out, name);
      valuesCodec.write(out, values);
    },
    read: (input) => ({ name: textCodec.read(input), values: valuesCodec.read(input) }),
  },
  TYPES_MAX * BLOCK_PROPERTIES_MAX,
);
const valuesCodec = list(textCodec, BLOCK_VALUES_MAX);
const tagTableCodec = list(textCodec, TYPES_MAX * BLOCK_TAGS_MAX);

/**
 * Returns a codec of types of version 2 to 4, ordered by id. Properties and tags that several types share are written
 * once, in two tables before the types, in order of their first use.
 */
function typesCodec(flagsMax: number): Codec<readonly BlockType[]> {
  return {
    write(out, types) {
      const properties = new Table<BlockProperty>(propertyKey);
      const tags = new Table<string>((tag) => tag);
      for (const type of types) {
        for (const property of type.properties) properties.indexOf(property);
        for (const tag of type.tags) tags.indexOf(tag);
      }
      propertyTableCodec.write(out, properties.items);
      tagTableCodec.write(out, tags.items);
      out.varUint(types.length);
      const shapes = new ShapeWriter();
      let endId = 0;
      for (const type of types) {
        writeType(out, type, { endId, properties, tags, shapes });
        endId = type.id + idCountOf(type);
      }
    },

    read(input) {
      const properties = new ReadTable(input, propertyTableCodec.read(input), propertyKey);
      const tags = new ReadTable(input, tagTableCodec.read(input), (tag) => tag);
      const shapes = new ShapeReader();
      const count = input.count(TYPES_MAX);
      const types: BlockType[] = [];
      let endId = 0;
      for (let index = 0; index < count; index++) {
        const type = readType(input, { endId, flagsMax, properties, tags, shapes });
        types.push(type);
        endId = type.id + idCountOf(type);
      }
      properties.end();
      tags.end();
      return types;
    },
  };
}

/** Types of version 2, which have their default opacity. */
export const plainTypesCodec: Codec<readonly BlockType[]> = typesCodec(FLAGS_MAX);
/** Types of version 3, which have no shapes. */
const unshapedTypesCodec: Codec<readonly BlockType[]> = typesCodec(FLAGS_MAX_WITH_OPACITY);
/** Types of version 4. Those of version 3 have the same bytes. */
export const blockTypesCodec: Codec<readonly BlockType[]> = typesCodec(FLAGS_MAX_WITH_SHAPE);

interface WriteContext {
  /** The end of the previous type's ids. */
  readonly endId: number;
  readonly properties: Table<BlockProperty>;
  readonly tags: Table<string>;
  readonly shapes: ShapeWriter;
}

function writeType(
  out: ByteWriter,
  type: BlockType,
  { endId, properties, tags, shapes }: WriteContext,
): void {
  out.varU16(type.id - endId);
  out.string(type.name, TEXT_BYTES_MAX);
  let flags = (type.solid ? SOLID : 0) | (type.transparent ? TRANSPARENT : 0) | (type.retired ? RETIRED : 0);
  if (type.light > 0) flags |= HAS_LIGHT;
  if (type.properties.length > 0) flags |= HAS_PROPERTIES;
  if (type.tags.length > 0) flags |= HAS_TAGS;
  if (hasOwnOpacity(type)) flags |= HAS_OPACITY;
  if (type.shape.length > 0) flags |= HAS_SHAPE;
  out.u8(flags);
  writeColour(out, type.colour);
  if (type.light > 0) out.u8(type.light);
  if (hasOwnOpacity(type)) out.u8(type.opacity);
  if (type.properties.length > 0) {
    out.varUint(type.properties.length);
    for (const property of type.properties) out.varUint(properties.indexOf(property));
  }
  if (type.tags.length > 0) {
    out.varUint(type.tags.length);
    for (const tag of type.tags) out.varUint(tags.indexOf(tag));
  }
  if (type.shape.length > 0) shapes.write(out, type.shape);
}

interface ReadContext {
  readonly endId: number;
  readonly flagsMax: number;
  readonly properties: ReadTable<BlockProperty>;
  readonly tags: ReadTable<string>;
  readonly shapes: ShapeReader;
}

function readType(input: ByteReader, { endId, flagsMax, properties, tags, shapes }: ReadContext): BlockType {
  const id = endId + input.varU16();
  if (id > U16_MAX) throw input.fail("ORT_BLOCKS", `block ${id}, the last is ${U16_MAX}`);
  const name = input.string(TEXT_BYTES_MAX);
  const flags = input.u8();
  if (flags > flagsMax) throw input.fail("ORT_TAG", `flags ${flags} of block ${id}`);
  const colour = readColour(input);
  const light = (flags & HAS_LIGHT) === 0 ? 0 : input.u8();
  if (light > BLOCK_LIGHT_MAX || (light === 0 && (flags & HAS_LIGHT) !== 0)) {
    throw input.fail("ORT_BLOCKS", `block ${id} gives off light ${light}, expected 1 to ${BLOCK_LIGHT_MAX}`);
  }
  const transparent = (flags & TRANSPARENT) !== 0;
  const usual = defaultOpacity({ id, name, transparent });
  const opacity = (flags & HAS_OPACITY) === 0 ? usual : input.u8();
  if (opacity > BLOCK_LIGHT_MAX || (opacity === usual && (flags & HAS_OPACITY) !== 0)) {
    throw input.fail(
      "ORT_BLOCKS",
      `block ${id} has opacity ${opacity}, expected 0 to ${BLOCK_LIGHT_MAX} except ${usual}`,
    );
  }
  return {
    id,
    name,
    colour,
    solid: (flags & SOLID) !== 0,
    transparent,
    light,
    opacity,
    properties: (flags & HAS_PROPERTIES) === 0 ? [] : properties.list(BLOCK_PROPERTIES_MAX),
    tags: (flags & HAS_TAGS) === 0 ? [] : tags.list(BLOCK_TAGS_MAX),
    retired: (flags & RETIRED) !== 0,
    shape: (flags & HAS_SHAPE) === 0 ? [] : shapes.read(input),
  };
}

function writeColour(out: ByteWriter, colour: number): void {
  out.u8(colour >>> 16);
  out.u8((colour >>> 8) & 0xff);
  out.u8(colour & 0xff);
}

function readColour(input: ByteReader): number {
  return (input.u8() << 16) | (input.u8() << 8) | input.u8();
}

function propertyKey({ name, values }: BlockProperty): string {
  return JSON.stringify([name, values]);
}

/** Different items in order of their first use. */
class Table<Item> {
  readonly items: Item[] = [];
  readonly #indices = new Map<string, number>();
  readonly #keyOf: (item: Item) => string;

  constructor(keyOf: (item: Item) => string) {
    this.#keyOf = keyOf;
  }

  /** Returns the index of an item, which is added if it is new. */
  indexOf(item: Item): number {
    const key = this.#keyOf(item);
    return getOrAdd(this.#indices, key, () => this.items.push(item) - 1);
  }
}

/** A table that was read. It refuses items that are there twice, out of order or never used: one form for each list. */
class ReadTable<Item> {
  readonly #input: ByteReader;
  readonly #items: readonly Item[];
  #usedCount = 0;

  constructor(input: ByteReader, items: readonly Item[], keyOf: (item: Item) => string) {
    if (new Set(items.map(keyOf)).size < items.length) {
      throw input.fail("ORT_BLOCKS", "a table with one property or tag twice");
    }
    this.#input = input;
    this.#items = items;
  }

  /** Reads a list of indices, which is not empty. */
  list(limit: number): Item[] {
    const count = this.#input.count(limit);
    if (count === 0) throw this.#input.fail("ORT_BLOCKS", "an empty list of properties or tags");
    return Array.from({ length: count }, () => this.#item());
  }

  #item(): Item {
    const index = this.#input.varUint();
    if (index > this.#usedCount || index >= this.#items.length) {
      throw this.#input.fail("ORT_BLOCKS", `property or tag ${index} of a table, next is ${this.#usedCount}`);
    }
    if (index === this.#usedCount) this.#usedCount++;
    return this.#items[index] as Item;
  }

  end(): void {
    if (this.#usedCount < this.#items.length) {
      throw this.#input.fail("ORT_BLOCKS", "a table with a property or tag that no type has");
    }
  }
}
