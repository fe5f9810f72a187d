import type { Codec } from "../bytes/codec.ts";
import { list } from "../bytes/combinators.ts";
import { U16_MAX } from "../bytes/integers.ts";
import { BLOCK_NAME_LENGTH_MAX, type Block, BlockCatalog, findContradiction } from "./block-catalog.ts";

const CATALOG_VERSION = 1;
const NAME_BYTES_MAX = BLOCK_NAME_LENGTH_MAX * 3;

const blockCodec: Codec<Block> = {
  write(out, { id, name, colour, solid }) {
    out.varU16(id);
    out.string(name, NAME_BYTES_MAX);
    out.u8(colour >>> 16);
    out.u8((colour >>> 8) & 0xff);
    out.u8(colour & 0xff);
    out.bool(solid);
  },

  read(input) {
    const id = input.varU16();
    const name = input.string(NAME_BYTES_MAX);
    const colour = (input.u8() << 16) | (input.u8() << 8) | input.u8();
    return { id, name, colour, solid: input.bool() };
  },
};

const blocksCodec = list(blockCodec, U16_MAX + 1);

/** A catalog, prefixed with its version. Rules C15 to C18 in docs/formats/chunk-payload.md. */
export const blockCatalogCodec: Codec<BlockCatalog> = {
  write(out, { blocks }) {
    out.varUint(CATALOG_VERSION);
    blocksCodec.write(out, blocks);
  },

  read(input) {
    const version = input.varUint();
    if (version !== CATALOG_VERSION) {
      throw input.fail("ORT_VERSION", `block catalog version ${version}, known is ${CATALOG_VERSION}`);
    }
    const blocks = blocksCodec.read(input);
    const problem = findContradiction(blocks);
    if (problem !== undefined) throw input.fail("ORT_BLOCKS", problem);
    return new BlockCatalog(blocks);
  },
};
