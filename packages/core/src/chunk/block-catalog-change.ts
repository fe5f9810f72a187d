import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { list } from "../bytes/combinators.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { BlockCatalog } from "./block-catalog.ts";
import { blockTypesCodec, plainTypesCodec } from "./block-catalog-codec.ts";
import { shapeKey } from "./block-shape.ts";
import { BLOCK_NAME_LENGTH_MAX, type BlockType, hasOwnOpacity, withFields } from "./block-type.ts";

/**
 * What turns a catalog into a later one of the same world: types are renamed, retired, redefined and added, never
 * removed.
 */
export interface BlockCatalogChange {
  /** The types of which only the name or use changed, in order of their ids. */
  readonly changed: readonly ChangedBlockType[];
  /** The types of which more changed, in order of their ids. */
  readonly redefined: readonly RedefinedBlockType[];
  /** The types behind the last one, in order of their ids. */
  readonly added: readonly BlockType[];
}

/** The new name and use of a type. An opacity that was the default follows the name. */
interface ChangedBlockType {
  /** The first id of the type. */
  readonly id: number;
  readonly name: string;
  readonly retired: boolean;
}

/** Everything of a type that can change. */
type RedefinedBlockType = Omit<BlockType, "properties">;

/** Returns what turns one catalog into a later one, or `undefined` if they are equal. */
export function diffBlockCatalogs(from: BlockCatalog, to: BlockCatalog): BlockCatalogChange | undefined {
  const changed: ChangedBlockType[] = [];
  const redefined: RedefinedBlockType[] = [];
  from.types.forEach((before, index) => {
    const after = to.types[index];
    if (after?.id !== before.id) throw new Error(`block ${before.id} is missing in the later catalog`);
    if (isSame(before, after)) return;
    const { id, name, retired } = after;
    if (isSame(withFields(before, { name, retired }), after)) changed.push({ id, name, retired });
    else {
      const { properties: _, ...rest } = after;
      redefined.push(rest);
    }
  });
  const added = to.types.slice(from.types.length);
  return changed.length + redefined.length + added.length === 0 ? undefined : { changed, redefined, added };
}

/** Whether two types with the same properties are the same in all else. */
function isSame(a: BlockType, b: BlockType): boolean {
  if (a === b) return true;
  for (const field of ["name", "retired", "colour", "solid", "transparent", "light", "opacity"] as const)
    if (a[field] !== b[field]) return false;
  if (a.shape !== b.shape && shapeKey(a.shape) !== shapeKey(b.shape)) return false;
  return a.tags.length === b.tags.length && a.tags.every((tag, index) => tag === b.tags[index]);
}

/** Applies a change. Throws `ORT_BLOCKS` if it does not fit the catalog. */
export function applyBlockChange(catalog: BlockCatalog, change: BlockCatalogChange): BlockCatalog {
  const changes = new Map<number, Partial<BlockType>>();
  for (const fields of [...change.changed, ...change.redefined]) {
    if (changes.has(fields.id)) throw new OrthantError("ORT_BLOCKS", `two changes of block ${fields.id}`);
    changes.set(fields.id, fields);
  }
  const kept = catalog.types.map((type) => {
    const fields = changes.get(type.id);
    changes.delete(type.id);
    return fields === undefined ? type : withFields(type, fields);
  });
  const [missing] = changes.keys();
  if (missing !== undefined)
    throw new OrthantError("ORT_BLOCKS", `a change of block ${missing}, which is not a type`);
  const [first] = change.added;
  if (first !== undefined && first.id < catalog.endId) {
    throw new OrthantError("ORT_BLOCKS", `a new block ${first.id} before ${catalog.endId}`);
  }
  try {
    return new BlockCatalog([...kept, ...change.added]);
  } catch (error) {
    const reason = error instanceof OrthantError ? error.detail : String(error);
    throw new OrthantError("ORT_BLOCKS", `a change that does not fit: ${reason}`, {}, { cause: error });
  }
}

const changedTypesCodec = list<ChangedBlockType>(
  {
    write(out, { id, name, retired }) {
      out.varU16(id);
      out.string(name, BLOCK_NAME_LENGTH_MAX * 3);
      out.bool(retired);
    },
    read: (input) => ({
      id: input.varU16(),
      name: input.string(BLOCK_NAME_LENGTH_MAX * 3),
      retired: input.bool(),
    }),
  },
  U16_MAX + 1,
);

/**
 * Whether a change needs only what all programs know: no type is redefined, and those added have their default opacity and
 * no shape.
 */
export function isPlainBlockChange({ redefined, added }: BlockCatalogChange): boolean {
  return redefined.length === 0 && !added.some((type) => hasOwnOpacity(type) || type.shape.length > 0);
}

/** A change of a catalog for which {@link isPlainBlockChange} holds. Rule C23 in docs/formats/chunk-payload.md. */
export const blockCatalogChangeCodec: Codec<BlockCatalogChange> = {
  write(out, { changed, added }) {
    changedTypesCodec.write(out, changed);
    plainTypesCodec.write(out, added);
  },

  read(input) {
    const changed = readChanged(input);
    const added = plainTypesCodec.read(input);
    if (changed.length + added.length === 0) throw input.fail("ORT_BLOCKS", "a change that changes nothing");
    return { changed, redefined: [], added };
  },
};

/** Any other change of a catalog. Rule C29 in docs/formats/chunk-payload.md. */
export const blockRedefinitionCodec: Codec<BlockCatalogChange> = {
  write(out, { changed, redefined, added }) {
    changedTypesCodec.write(out, changed);
    blockTypesCodec.write(
      out,
      redefined.map((type) => ({ ...type, properties: [] })),
    );
    blockTypesCodec.write(out, added);
  },

  read(input) {
    const changed = readChanged(input);
    const redefined = blockTypesCodec.read(input).map(({ properties, ...rest }) => {
      if (properties.length > 0) throw input.fail("ORT_BLOCKS", `new properties of block ${rest.id}`);
      return rest;
    });
    const change = { changed, redefined, added: blockTypesCodec.read(input) };
    if (isPlainBlockChange(change)) throw input.fail("ORT_BLOCKS", "a change that redefines nothing");
    const ids = new Set([...changed, ...redefined].map(({ id }) => id));
    if (ids.size < changed.length + redefined.length) throw input.fail("ORT_BLOCKS", "a block changed twice");
    return change;
  },
};

function readChanged(input: ByteReader): readonly ChangedBlockType[] {
  const changed = changedTypesCodec.read(input);
  if (changed.some(({ id }, index) => index > 0 && (changed[index - 1] as ChangedBlockType).id >= id)) {
    throw input.fail("ORT_BLOCKS", "changed blocks out of order");
  }
  return changed;
}
