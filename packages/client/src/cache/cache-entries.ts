import { type BlockCatalog, isOrthantError, OrthantError, type Position } from "@orthant/core";
import {
  ByteReader,
  ByteWriter,
  bytes,
  type Codec,
  checkedWhenRead,
  crc32,
  encodeUtf8,
  record,
  u64,
  varUint,
} from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { positionCodec } from "@orthant/core/lattice";
import { EDIT_RUN_IDS, INTEREST_REGIONS_MAX } from "@orthant/protocol";
import type { CachedRegion, CachedReplica, CachedWorld } from "@orthant/protocol/client";
import type { CacheChange, CacheEntry, ReplicaCache } from "./replica-cache.ts";

/** Increases when the format of entries changes. Entries of other versions are dropped. */
const ENTRY_VERSION = 1;

/** Returns an entry whose value includes its version and a checksum over content and key. */
function encodeEntry<Value>(key: string, codec: Codec<Value>, value: Value): CacheEntry {
  const body = new ByteWriter();
  codec.write(body, value);
  const out = new ByteWriter();
  out.u8(ENTRY_VERSION);
  out.u32(checksumOf(key, body.view()));
  out.raw(body.view());
  return { key, value: out.copy() };
}

/** Returns the content of an entry, or `undefined` if it is damaged or has another version or key. */
function openEntry<Value>({ key, value }: CacheEntry, codec: Codec<Value>): Value | undefined {
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

/** The identity of a client, by which the server recognizes its edits. */
export interface Identity {
  readonly clientId: bigint;
  /** An id above all edit ids that this client has ever used. */
  readonly firstEditId: number;
}

/** Cache key of the identity. */
const IDENTITY_KEY = "identity";
/** Edit ids reserved each time, so that none is used twice, however the client ends. */
const EDIT_IDS_RESERVED = EDIT_RUN_IDS;

const identityCodec = record<Identity>({
  clientId: u64,
  firstEditId: checkedWhenRead(varUint, "ORT_ARGUMENT", (id) =>
    id === 0 ? "edits count from 1" : undefined,
  ),
});

/** Returns the stored identity or a fresh one, and stores it with all ids that we may use marked as used. */
export async function readIdentity(
  cache: ReplicaCache,
  entries: readonly CacheEntry[],
  random: () => bigint,
): Promise<Identity> {
  const entry = entries.find(({ key }) => key === IDENTITY_KEY);
  const stored = entry === undefined ? undefined : openEntry(entry, identityCodec);
  const mayGoOn = stored !== undefined && stored.firstEditId + EDIT_IDS_RESERVED < Number.MAX_SAFE_INTEGER;
  const identity = mayGoOn ? stored : freshIdentity(random);
  const next = { ...identity, firstEditId: identity.firstEditId + EDIT_IDS_RESERVED };
  await cache.store([encodeEntry(IDENTITY_KEY, identityCodec, next)]);
  return identity;
}

/** Returns a unique identity. */
export function freshIdentity(random: () => bigint): Identity {
  return { clientId: random(), firstEditId: 1 };
}

const WORLD_KEY = "world";
const BLOCKS_KEY = "blocks";
const REGION_KEY_START = "region ";

const worldCodec = record<CachedWorld>({
  worldId: u64,
  epoch: record({ number: varUint, id: u64 }),
  generatorsHash: u64,
});

const regionCodec = record<CachedRegion>({ region: positionCodec, clock: varUint, bytes: bytes() });

/** Returns the entry that identifies the world and epoch of the regions. */
export function worldEntry(world: CachedWorld): CacheEntry {
  return encodeEntry(WORLD_KEY, worldCodec, world);
}

/** Returns the entry of the world's catalog of blocks. */
export function blocksEntry(catalog: BlockCatalog): CacheEntry {
  return encodeEntry(BLOCKS_KEY, blockCatalogCodec, catalog);
}

/** Returns the entry of a region, or its removal when there is nothing to keep. */
export function regionEntry(region: Position, kept: CachedRegion | undefined): CacheChange {
  const key = regionKey(region);
  return kept === undefined ? { key, value: undefined } : encodeEntry(key, regionCodec, kept);
}

/** Returns the valid contents of a cache, and the keys of useless entries. */
export function readKept(entries: readonly CacheEntry[]): {
  readonly kept: CachedReplica | undefined;
  readonly uselessKeys: readonly string[];
} {
  const stored = entries.find(({ key }) => key === WORLD_KEY);
  const world = stored === undefined ? undefined : openEntry(stored, worldCodec);
  const blocks = entries.find(({ key }) => key === BLOCKS_KEY);
  const catalog = blocks && openEntry(blocks, blockCatalogCodec);
  const regions: CachedRegion[] = [];
  const uselessKeys: string[] = [];
  for (const entry of entries) {
    if (!entry.key.startsWith(REGION_KEY_START)) continue;
    const region = world === undefined ? undefined : openEntry(entry, regionCodec);
    const isUseful =
      region !== undefined && regionKey(region.region) === entry.key && regions.length < INTEREST_REGIONS_MAX;
    if (isUseful) regions.push(region);
    else uselessKeys.push(entry.key);
  }
  return { kept: world === undefined ? undefined : { ...world, regions, catalog }, uselessKeys };
}

function regionKey(region: Position): string {
  return REGION_KEY_START + region.join(" ");
}
