import type { BlockCatalog } from "@orthant/core";
import { type ByteReader, type Codec, encode } from "@orthant/core/bytes";
import {
  blockCatalogChangeCodec,
  blockCatalogCodec,
  blockCatalogHash,
  blockRedefinitionCodec,
  isPlainBlockChange,
} from "@orthant/core/chunk";
import { CATALOG_BYTES_MAX } from "./limits.ts";
import type { BlocksMessage, Welcome } from "./server-message.ts";

/** A length-prefixed value about blocks, so that the length is checked before anything is read. */
function blocksPart<Value>(codec: Codec<Value>): Codec<Value> {
  return {
    write: (out, value) => out.bytes(encode(codec, value), CATALOG_BYTES_MAX),
    read(input) {
      const inner = input.within(input.count(CATALOG_BYTES_MAX));
      const value = codec.read(inner);
      inner.end();
      return value;
    },
  };
}

const catalogCodec = blocksPart(blockCatalogCodec);
const changeCodec = blocksPart(blockCatalogChangeCodec);
const redefinitionCodec = blocksPart(blockRedefinitionCodec);
/** What a message has, in tag order. */
const CONTENTS = ["catalog", "change", "redefinition"] as const;

/** Reads a catalog that must have a hash. */
function readCatalog(input: ByteReader, blocksHash: bigint): BlockCatalog {
  const catalog = catalogCodec.read(input);
  if (blockCatalogHash(catalog) === blocksHash) return catalog;
  throw input.fail("ORT_MESSAGE", "a catalog of blocks with another hash");
}

/** The catalog of blocks, or what changed in it. Rules N44 and N59 in docs/formats/protocol.md. */
export const blocksCodec: Codec<BlocksMessage> = {
  write(out, { blocksHash, content }) {
    const kind = kindOf(content);
    out.u64(blocksHash);
    out.tag(CONTENTS.indexOf(kind), CONTENTS.length);
    if ("change" in content) {
      out.u64(content.base);
      (kind === "change" ? changeCodec : redefinitionCodec).write(out, content.change);
    } else catalogCodec.write(out, content.catalog);
  },
  read(input) {
    const blocksHash = input.u64();
    const kind = CONTENTS[input.tag(CONTENTS.length)];
    if (kind === "catalog")
      return { kind: "blocks", blocksHash, content: { catalog: readCatalog(input, blocksHash) } };
    const base = input.u64();
    const change = (kind === "change" ? changeCodec : redefinitionCodec).read(input);
    return { kind: "blocks", blocksHash, content: { base, change } };
  },
};

function kindOf(content: BlocksMessage["content"]): (typeof CONTENTS)[number] {
  if ("catalog" in content) return "catalog";
  return isPlainBlockChange(content.change) ? "change" : "redefinition";
}

/** The hash of a catalog and, unless the client has it, the catalog. */
export const knownBlocksCodec: Codec<Pick<Welcome, "blocksHash" | "catalog">> = {
  write(out, { blocksHash, catalog }) {
    out.u64(blocksHash);
    out.bool(catalog !== undefined);
    if (catalog !== undefined) catalogCodec.write(out, catalog);
  },
  read(input) {
    const blocksHash = input.u64();
    return { blocksHash, catalog: input.bool() ? readCatalog(input, blocksHash) : undefined };
  },
};
