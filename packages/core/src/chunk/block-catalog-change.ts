import type { Codec } from "../bytes/codec.ts";
import { list } from "../bytes/combinators.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { BlockCatalog } from "./block-catalog.ts";
import { blockTypesCodec } from "./block-catalog-codec.ts";
import { BLOCK_NAME_LENGTH_MAX, type BlockType } from "./block-type.ts";

/** What turns a catalog into a later one of the same world: types are renamed, retired and added, never removed. */
export interface BlockCatalogChange {
  /** The types whose name or use changed, in order of their ids. */
  readonly changed: readonly ChangedBlockType[];
  /** The types behind the last one, in order of their ids. */
  readonly added: readonly BlockType[];
}

/** The new name and use of a type. */
export interface ChangedBlockType {
  /** The first id of the type. */
  readonly id: number;
  readonly name: string;
  readonly retired: boolean;
}

/** Returns what turns one catalog into a later one, or `undefined` if they are equal. */
export function diffBlockCatalogs(from: BlockCatalog, to: BlockCatalog): BlockCatalogChange | undefined {
  const changed: ChangedBlockType[] = [];
  from.types.forEach((before, index) => {
    const after = to.types[index];
    if (after?.id !== before.id) throw new Error(`block ${before.id} is missing in the later catalog`);
    const { id, name, retired } = after;
    if (name !== before.name || retired !== before.retired) changed.push({ id, name, retired });
  });
  const added = to.types.slice(from.types.length);
  return changed.length + added.length === 0 ? undefined : { changed, added };
}

/** Applies a change. Throws `ORT_BLOCKS` if it does not fit the catalog. */
export function applyBlockChange(catalog: BlockCatalog, change: BlockCatalogChange): BlockCatalog {
  const changes = new Map(change.changed.map((changed) => [changed.id, changed]));
  const kept = catalog.types.map((type) => {
    const changed = changes.get(type.id);
    changes.delete(type.id);
    return changed === undefined ? type : { ...type, name: changed.name, retired: changed.retired };
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

/** A change of a catalog. Rule C23 in docs/formats/chunk-payload.md. */
export const blockCatalogChangeCodec: Codec<BlockCatalogChange> = {
  write(out, { changed, added }) {
    changedTypesCodec.write(out, changed);
    blockTypesCodec.write(out, added);
  },

  read(input) {
    const changed = changedTypesCodec.read(input);
    if (changed.some(({ id }, index) => index > 0 && (changed[index - 1] as ChangedBlockType).id >= id)) {
      throw input.fail("ORT_BLOCKS", "changed blocks out of order");
    }
    const added = blockTypesCodec.read(input);
    if (changed.length + added.length === 0) throw input.fail("ORT_BLOCKS", "a change that changes nothing");
    return { changed, added };
  },
};
