import { bytes, type Codec, type Position, positionCodec } from "@orthant/core";
import { INTEREST_REGIONS_MAX, type KeptRegion, type KeptReplica, type KeptWorld } from "@orthant/protocol";
import type { CacheChange, CacheEntry } from "./replica-cache.ts";
import { openEntry, sealEntry } from "./sealed-entry.ts";

const WORLD_KEY = "world";
const REGION_KEY_START = "region ";

const worldCodec: Codec<KeptWorld> = {
  write(out, { worldId, era, manifestHash }) {
    out.u64(worldId);
    out.varUint(era.number);
    out.u64(era.id);
    out.u64(manifestHash);
  },
  read: (input) => ({
    worldId: input.u64(),
    era: { number: input.varUint(), id: input.u64() },
    manifestHash: input.u64(),
  }),
};

const contentCodec = bytes();

const regionCodec: Codec<KeptRegion> = {
  write(out, kept) {
    positionCodec.write(out, kept.region);
    out.varUint(kept.clock);
    contentCodec.write(out, kept.bytes);
  },
  read: (input) => ({
    region: positionCodec.read(input),
    clock: input.varUint(),
    bytes: contentCodec.read(input),
  }),
};

/** Returns the entry that identifies the world and era of the regions. */
export function worldEntry({ worldId, era, manifestHash }: KeptWorld): CacheEntry {
  return sealEntry(WORLD_KEY, worldCodec, { worldId, era, manifestHash });
}

/** Returns the entry of a region, or its removal when there is nothing to keep. */
export function regionEntry(region: Position, kept: KeptRegion | undefined): CacheChange {
  const key = regionKey(region);
  return kept === undefined ? { key, value: undefined } : sealEntry(key, regionCodec, kept);
}

/** Returns the valid contents of a cache, and the keys of useless entries. */
export function readKept(entries: readonly CacheEntry[]): {
  readonly kept: KeptReplica | undefined;
  readonly uselessKeys: readonly string[];
} {
  const stored = entries.find(({ key }) => key === WORLD_KEY);
  const world = stored === undefined ? undefined : openEntry(stored, worldCodec);
  const regions: KeptRegion[] = [];
  const uselessKeys: string[] = [];
  for (const entry of entries) {
    if (!entry.key.startsWith(REGION_KEY_START)) continue;
    const region = world === undefined ? undefined : openEntry(entry, regionCodec);
    const isUseful =
      region !== undefined && regionKey(region.region) === entry.key && regions.length < INTEREST_REGIONS_MAX;
    if (isUseful) regions.push(region);
    else uselessKeys.push(entry.key);
  }
  return { kept: world === undefined ? undefined : { ...world, regions }, uselessKeys };
}

function regionKey(region: Position): string {
  return REGION_KEY_START + region.join(" ");
}
