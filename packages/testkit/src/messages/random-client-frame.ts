import { type Box, positionFrom, type VoxelPlacement } from "@orthant/core";
import { type ClientFrame, type ClientMessage, PROTOCOL_VERSION } from "@orthant/protocol/internal";
import type { Prng } from "../prng.ts";
import {
  randomClocks,
  randomCount,
  randomList,
  randomMask,
  randomPose,
  randomText,
  randomU64,
  randomVector,
} from "./random-values.ts";

type RandomMessages = {
  readonly [Kind in ClientMessage["kind"]]: (prng: Prng) => Extract<ClientMessage, { readonly kind: Kind }>;
};

const MESSAGES: RandomMessages = {
  hello: (prng) => ({
    kind: "hello",
    version: PROTOCOL_VERSION,
    manifestHash: randomU64(prng),
    featureBits: prng.pick([0n, 1n, randomU64(prng)]),
    clientId: randomU64(prng),
    token: prng.bytes(prng.below(40)),
    name: randomText(prng),
    kept: prng.chance(0.5)
      ? undefined
      : { worldId: randomU64(prng), epoch: { number: prng.between(1, 1_000), id: randomU64(prng) } },
    openEditId: randomCount(prng, 1),
  }),
  interest: (prng) => ({
    kind: "interest",
    interestId: randomCount(prng, 1),
    center: randomVector(prng, 1),
    motion: randomVector(prng, 1),
    boxes: randomList(prng, 3, () => randomBox(prng)),
    held: randomClocks(prng),
    heldBlank: randomList(prng, 3, () => randomMask(prng)),
  }),
  setVoxels: (prng) => ({
    kind: "setVoxels",
    editId: randomCount(prng, 1),
    placements: [randomPlacement(prng), ...randomList(prng, 5, () => randomPlacement(prng))],
  }),
  move: (prng) => ({ kind: "move", ...randomPose(prng) }),
  resync: (prng) => ({ kind: "resync", expected: randomCount(prng, 1), regions: randomClocks(prng) }),
  entitiesLost: () => ({ kind: "entitiesLost" }),
  game: (prng) => ({ kind: "game", payload: prng.bytes(prng.below(40)) }),
};

/** Returns a frame of a few messages that a client may send: any kinds, any values. */
export function randomClientFrame(prng: Prng): ClientFrame {
  const kinds = Object.values<(prng: Prng) => ClientMessage>(MESSAGES);
  return {
    acknowledged: randomCount(prng, 0),
    applied: randomCount(prng, 0),
    messages: randomList(prng, 4, () => prng.pick(kinds)(prng)),
  };
}

function randomBox(prng: Prng): Box {
  const min = positionFrom(() => prng.between(-(2 ** 31), 2 ** 31 - 1));
  return { min, max: positionFrom((axis) => Math.min(2 ** 31, min[axis] + prng.between(1, 40))) };
}

function randomPlacement(prng: Prng): VoxelPlacement {
  const reach = prng.pick([4, 2 ** 47 - 1]);
  return { voxel: positionFrom(() => prng.between(-reach, reach)), block: prng.below(65_536) };
}
