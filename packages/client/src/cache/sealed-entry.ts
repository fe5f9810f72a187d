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

/** Increases when the format of entries changes. Entries of other versions are dropped. */
const ENTRY_VERSION = 1;

/** Returns an entry whose value includes its version and a checksum over content and key. */
export function sealEntry<Value>(key: string, codec: Codec<Value>, value: Value): CacheEntry {
  const body = new ByteWriter();
  codec.write(body, value);
  const out = new ByteWriter();
  out.u8(ENTRY_VERSION);
  out.u32(checksumOf(key, body.view()));
  out.raw(body.view());
  return { key, value: out.copy() };
}

/** Returns the content of an entry, or `undefined` if it is damaged or has another version or key. */
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
    // A cache may lose anything; the client fetches it again.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Covers the version, the key and both lengths, so that neither zeros nor a moved entry pass. */
function checksumOf(key: string, body: Uint8Array): number {
  const head = new ByteWriter();
  head.u8(ENTRY_VERSION);
  head.bytes(encodeUtf8(key));
  head.varUint(body.length);
  return crc32(body, crc32(head.view()));
}
