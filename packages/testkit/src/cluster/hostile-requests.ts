import { ownerRequestCodec } from "@orthant/cluster/internal";
import type { Box, Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { positionFrom } from "@orthant/core/lattice";
import type { RequestedEdit } from "@orthant/protocol";
import type { Prng } from "../base/prng.ts";

type OwnerRequest = Parameters<typeof ownerRequestCodec.write>[1];

/** Kinds of requests that a gateway may send. */
export const HOSTILE_KINDS = [
  "fill",
  "copy",
  "voxels",
  "many edits",
  "regions",
  "entities",
  "players",
] as const;

/** Coordinates of voxels and of regions at which computations end or become large. */
const VOXELS = [0, 1, -1, 16, 4_096, 1e8, -1e8, 2 ** 31, -(2 ** 35), 2 ** 35, 2 ** 52, -(2 ** 52)];
const REGIONS = [0, 1, -1, 1e8, 2 ** 29 - 1, -(2 ** 29), 2 ** 29, 2 ** 31 - 1, -(2 ** 31)];
const NUMBERS = [0, 1, 2 ** 31, 2 ** 52, Number.MAX_SAFE_INTEGER];
const IDS = [0n, 1n, 2n ** 63n, 2n ** 64n - 1n];
const LISTED_MAX = 1_000;

/**
 * Returns a request that a process with the rights of a gateway can send to an owner, although no gateway does: with
 * extreme boxes, counts and ids.
 */
export function hostileRequest(prng: Prng, kind: (typeof HOSTILE_KINDS)[number]): Uint8Array {
  return encode(ownerRequestCodec, requestOf(prng, kind));
}

function requestOf(prng: Prng, kind: (typeof HOSTILE_KINDS)[number]): OwnerRequest {
  const number = (): number => prng.pick(NUMBERS);
  const count = prng.pick([1, 16, LISTED_MAX]);
  const many = <Item>(item: (index: number) => Item): readonly Item[] =>
    Array.from({ length: count }, (_, index) => item(index));
  if (kind === "regions") {
    const regions = many(() => {
      return { region: anyRegion(prng), held: number(), latest: number(), at: number(), from: number() };
    });
    return { kind, regions };
  }
  if (kind === "entities")
    return { kind, regions: many(() => ({ region: anyRegion(prng), held: number() })) };
  if (kind === "players") {
    const pose = (): { position: Position; orientation: Position } => {
      return { position: positionFrom(() => prng.pick([0, 1e6, -1e6])), orientation: [0, 0, 0, 1] };
    };
    const playerId = (): bigint => prng.pick(IDS);
    const updates = many(() => ({ playerId: playerId(), name: "x", pose: pose(), sinceMs: number() }));
    return { kind, updates, lookups: many(playerId) };
  }
  const edits = kind === "many edits" ? many(() => anyEdit(prng, "fill")) : [anyEdit(prng, kind)];
  return {
    kind: "edits",
    edits: edits.map((edit) => {
      const origin = { clientId: prng.pick(IDS), editId: Math.max(1, number()), playerId: prng.pick(IDS) };
      return { ...origin, isRepeat: prng.chance(0.5), edit };
    }),
  };
}

function anyEdit(prng: Prng, kind: RequestedEdit["kind"]): RequestedEdit {
  if (kind === "voxels") {
    // Each in another chunk, and all in one request.
    const far = prng.pick(VOXELS);
    const length = prng.pick([1, 8_192, 65_536]);
    const voxelAt = (index: number): Position => [
      far + (index % 256) * 64,
      Math.floor(index / 256) * 64,
      0,
      0,
    ];
    return { kind, placements: Array.from({ length }, (_, index) => ({ voxel: voxelAt(index), block: 1 })) };
  }
  const box = anyBox(prng);
  return kind === "fill"
    ? { kind, box, block: prng.pick([0, 1, 65_535]) }
    : { kind, box, to: positionFrom(() => prng.pick(VOXELS)) };
}

function anyBox(prng: Prng): Box {
  const min = positionFrom(() => prng.pick(VOXELS));
  return { min, max: positionFrom((axis) => min[axis] + prng.pick([1, 16, 100, 512, 1e8, 2 ** 40])) };
}

function anyRegion(prng: Prng): Position {
  return positionFrom(() => prng.pick(REGIONS));
}
