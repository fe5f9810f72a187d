import { type BlockCatalog, OrthantError, type Position } from "@orthant/core";
import { ByteReader, ByteWriter, crc32, decode, encode } from "@orthant/core/bytes";
import { positionsEqual } from "@orthant/core/lattice";
import {
  type Epoch,
  PATCH_BYTES_MAX,
  type RegionChange,
  type RegionPatch,
  regionPatchCodec,
  splitPatch,
} from "@orthant/core/tree";

/** The world and epoch that cached regions belong to. */
export interface CachedWorld {
  readonly worldId: bigint;
  readonly epoch: Epoch;
  /** Hash of the world's generators and their places; with others, untouched space might differ. */
  readonly generatorsHash: bigint;
}

/** One cached region. */
export interface CachedRegion {
  readonly region: Position;
  readonly clock: number;
  /** The complete content with a checksum. A damaged region is dropped and fetched again. */
  readonly bytes: Uint8Array;
}

/**
 * The regions that a client held, for a cache that outlives it. A cache that stores them in parts must remove
 * forgotten regions no later than it stores the world they were forgotten for.
 */
export interface CachedReplica extends CachedWorld {
  readonly regions: readonly CachedRegion[];
  /** The last catalog of blocks, which a server need not send again. */
  readonly catalog?: BlockCatalog | undefined;
}

/** Maximum number of patches per cached region: one for each of its chunks. */
const REGION_PATCHES_MAX = 256;

/** Encodes a region for a cache: a checksum, then the length-prefixed patches that restore it. */
export function encodeCachedRegion(worldId: bigint, change: RegionChange, volume: number): Uint8Array {
  const patches = splitPatch({ patchSeq: 0, changes: [change] }, volume);
  const body = new ByteWriter();
  body.varUint(patches.length);
  for (const patch of patches) body.bytes(encode(regionPatchCodec(volume), patch), PATCH_BYTES_MAX);
  const out = new ByteWriter();
  out.u32(checksumOf(worldId, body.view()));
  out.raw(body.view());
  return out.copy();
}

/** Decodes the patches that restore a cached region. Throws an `OrthantError` for any other content. */
export function decodeCachedRegion(
  worldId: bigint,
  kept: CachedRegion,
  volume: number,
): readonly RegionPatch[] {
  const input = new ByteReader(kept.bytes);
  const checksum = input.u32();
  if (checksum !== checksumOf(worldId, kept.bytes.subarray(input.offset))) {
    throw input.fail("ORT_CHECKSUM", `region [${kept.region}] was kept for another world, or is damaged`);
  }
  const count = input.count(REGION_PATCHES_MAX);
  const patches: RegionPatch[] = [];
  for (let index = 0; index < count; index++) {
    const patch = decode(regionPatchCodec(volume), input.bytes(PATCH_BYTES_MAX));
    requirePiece(kept, patch, index, count);
    patches.push(patch);
  }
  input.end();
  if (count === 0) throw input.fail("ORT_PATCH_FORM", `nothing was kept of region [${kept.region}]`);
  return patches;
}

function requirePiece(
  { region, clock }: CachedRegion,
  patch: RegionPatch,
  index: number,
  count: number,
): void {
  const [change] = patch.changes;
  const isPiece =
    change !== undefined &&
    patch.changes.length === 1 &&
    positionsEqual(change.region, region) &&
    typeof change.base !== "number" &&
    change.piece === index &&
    change.next === (index === count - 1 ? clock : undefined);
  if (isPiece) return;
  throw new OrthantError(
    "ORT_PATCH_FORM",
    `patch ${index} is not one of region [${region}] at clock ${clock}`,
  );
}

/** Includes the world id, because regions of two worlds may have the same clock but different contents. */
function checksumOf(worldId: bigint, body: Uint8Array): number {
  const head = new ByteWriter();
  head.u64(worldId);
  return crc32(body, crc32(head.view()));
}
