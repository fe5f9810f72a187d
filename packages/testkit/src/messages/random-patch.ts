import {
  boxAt,
  CLOCK_NEVER,
  type Content,
  chunkFromVoxels,
  clockOf,
  GeneratorRef,
  type PatchLeaf,
  type Position,
  positionFrom,
  REGION_EDGE_CHUNKS,
  type RegionChange,
  type RegionPatch,
  uniformChunk,
} from "@orthant/core";
import type { Prng } from "../prng.ts";
import { randomCount, randomRegion, randomRegions } from "./random-values.ts";

const SEA = new GeneratorRef("sea", Uint8Array.of(1, 2), 7n, 0xabcdn);

/** Returns a patch of a few regions in a world whose chunks have this volume. */
export function randomPatch(prng: Prng, volume: number): RegionPatch {
  const regions = randomRegions(prng, 3);
  const named = regions.length > 0 ? regions : [randomRegion(prng)];
  return {
    patchSeq: randomCount(prng, 1),
    changes: named.map((region) => randomChange(prng, region, volume)),
  };
}

function randomChange(prng: Prng, region: Position, volume: number): RegionChange {
  const base = prng.pick<RegionChange["base"]>(["air", "generated", CLOCK_NEVER, clockOf(1, 1)]);
  const first = positionFrom((axis) => region[axis] * REGION_EDGE_CHUNKS);
  const second: Position = [first[0] + 1, first[1], first[2], first[3]];
  const leaf: PatchLeaf = { box: boxAt(first), content: randomContent(prng, volume) };
  return {
    region,
    base,
    next: clockOf(prng.between(2, 4), prng.between(1, 300)),
    piece: 0,
    leaves: prng.chance(0.3) ? [] : [leaf],
    edits: base === "air" ? [] : [{ chunk: second, edits: [{ index: prng.below(volume), block: 9 }] }],
  };
}

function randomContent(prng: Prng, volume: number): Content {
  const voxels = Uint16Array.from({ length: volume }, () => prng.below(4));
  voxels[0] = 1;
  return prng.pick<Content>([SEA, uniformChunk(volume, prng.between(1, 65_535)), chunkFromVoxels(voxels)]);
}
