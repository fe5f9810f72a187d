import {
  ByteReader,
  ByteWriter,
  type Codec,
  crc32,
  encodeUtf8,
  isOrthantError,
  OrthantError,
} from "@orthant/core";
import type { CacheEntry } from "./replica-cache.ts";

/** Rises when what entries hold changes; entries of other versions are dropped. */
const ENTRY_VERSION = 1;

/** An entry whose value says whether it is whole, of this version, and under its own key. */
export function sealEntry<Value>(key: string, codec: Codec<Value>, value: Value): CacheEntry {
  const body = new ByteWriter();
  codec.write(body, value);
  const out = new ByteWriter();
  out.u8(ENTRY_VERSION);
  out.u32(checksumOf(key, body.view()));
  out.raw(body.view());
  return { key, value: out.copy() };
}

/** What a sealed entry holds; `undefined` when it is damaged, of another version, or another key's. */
export function openEntry<Value>({ key, value }: CacheEntry, codec: Codec<Value>): Value | undefined {
  try {
    const input = new ByteReader(value);
    const version = input.u8();
    if (version !== ENTRY_VERSION) throw input.fail("ORT_VERSION", `an entry of version ${version}`);
    const checksum = input.u32();
    if (checksum !== checksumOf(key, value.subarray(input.offset))) {
      throw new OrthantError("ORT_CHECKSUM", `the entry "${key}" is damaged`);
    }
    const held = codec.read(input);
    input.end();
    return held;
  } catch (error) {
    // A cache may lose what it likes: it is fetched again.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Covers the version, the key and both lengths, so that zeros never pass, nor an entry that was moved. */
function checksumOf(key: string, body: Uint8Array): number {
  const head = new ByteWriter();
  head.u8(ENTRY_VERSION);
  head.bytes(encodeUtf8(key));
  head.varUint(body.length);
  return crc32(body, crc32(head.view()));
}
