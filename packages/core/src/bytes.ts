/**
 * Codecs: how values become bytes, and how bytes from a disk or a socket are checked.
 *
 * @module @orthant/core/bytes
 */

export { BitReader, BitWriter, RICE_VALUE_MAX, riceCost } from "./bytes/bits.ts";
export { ByteReader, type ByteReaderOptions, type Dialect } from "./bytes/byte-reader.ts";
export { ByteWriter } from "./bytes/byte-writer.ts";
export { type Codec, decode, decodeForeign, encode, type FixedCodec } from "./bytes/codec.ts";
export {
  bytes,
  checked,
  checkedWhenRead,
  combined,
  constant,
  list,
  oneOf,
  option,
  perAxis,
  record,
  repeated,
  string,
  type VariantCodecs,
  variants,
  versioned,
} from "./bytes/combinators.ts";
export { crc8 } from "./bytes/crc8.ts";
export { crc32 } from "./bytes/crc32.ts";
export {
  deflateRaw,
  deflateRawOffThread,
  deflateWrapped,
  type FirstStream,
  inflateFirst,
  inflateRaw,
  inflateRawOffThread,
  inflateUpTo,
} from "./bytes/deflate.ts";
export { hash64 } from "./bytes/hash64.ts";
export {
  bytesEqual,
  I32_MAX,
  I32_MIN,
  I64_MAX,
  I64_MIN,
  optionalBytesEqual,
  U8_MAX,
  U16_MAX,
  U32_MAX,
  U64_MAX,
  unzigzag,
  zigzag,
} from "./bytes/integers.ts";
export { copyBytes, joinBytes } from "./bytes/plain-bytes.ts";
export {
  bool,
  f32,
  f64,
  i8,
  i32,
  u8,
  u16,
  u32,
  u64,
  u64Number,
  varI16,
  varI32,
  varI64,
  varInt,
  varU16,
  varU32,
  varU64,
  varUint,
} from "./bytes/primitives.ts";
export { magic, type Struct, type StructValue, struct } from "./bytes/struct.ts";
export { decodeUtf8, encodeUtf8 } from "./bytes/utf8.ts";
