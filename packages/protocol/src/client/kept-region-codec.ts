import {
  ByteReader,
  ByteWriter,
  crc32,
  decode,
  encode,
  OrthantError,
  PATCH_BYTES_MAX,
  positionsEqual,
  type RegionChange,
  type RegionPatch,
  regionPatchCodec,
  splitPatch,
} from "@orthant/core";
import type { KeptRegion } from "./kept-replica.ts";

/** Maximum number of patches per cached region: one for each of its chunks. */
const KEPT_PATCHES_MAX = 256;

/** Encodes a region for a cache: a checksum, then the length-prefixed patches that restore it. */
export function encodeKeptRegion(worldId: bigint, change: RegionChange, volume: number): Uint8Array {
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
export function decodeKeptRegion(worldId: bigint, kept: KeptRegion, volume: number): readonly RegionPatch[] {
  const input = new ByteReader(kept.bytes);
  const checksum = input.u32();
  if (checksum !== checksumOf(worldId, kept.bytes.subarray(input.offset))) {
    throw input.fail("ORT_CHECKSUM", `region [${kept.region}] was kept for another world, or is damaged`);
  }
  const count = input.count(KEPT_PATCHES_MAX);
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

function requirePiece({ region, clock }: KeptRegion, patch: RegionPatch, index: number, count: number): void {
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
