import type { BlockCatalog } from "@orthant/core";
import { type ByteReader, type Codec, encode } from "@orthant/core/bytes";
import { blockCatalogChangeCodec, blockCatalogCodec, blockCatalogHash } from "@orthant/core/chunk";
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

/** A catalog of blocks, as bytes. */
export const catalogCodec: Codec<BlockCatalog> = blocksPart(blockCatalogCodec);
const changeCodec = blocksPart(blockCatalogChangeCodec);

/** Reads a catalog that must have a hash. */
function readCatalog(input: ByteReader, blocksHash: bigint): BlockCatalog {
  const catalog = catalogCodec.read(input);
  if (blockCatalogHash(catalog) === blocksHash) return catalog;
  throw input.fail("ORT_MESSAGE", "a catalog of blocks with another hash");
}

/** The catalog of blocks, or what changed in it. Rule N44 in docs/formats/protocol.md. */
export const blocksCodec: Codec<BlocksMessage> = {
  write(out, { blocksHash, content }) {
    out.u64(blocksHash);
    out.bool("change" in content);
    if ("change" in content) {
      out.u64(content.base);
      changeCodec.write(out, content.change);
    } else catalogCodec.write(out, content.catalog);
  },
  read(input) {
    const blocksHash = input.u64();
    if (!input.bool())
      return { kind: "blocks", blocksHash, content: { catalog: readCatalog(input, blocksHash) } };
    return { kind: "blocks", blocksHash, content: { base: input.u64(), change: changeCodec.read(input) } };
  },
};

/** Reads the hash of a catalog and, unless the client has it, the catalog. */
export function readBlocks(input: ByteReader): Pick<Welcome, "blocksHash" | "catalog"> {
  const blocksHash = input.u64();
  return { blocksHash, catalog: input.bool() ? readCatalog(input, blocksHash) : undefined };
}
