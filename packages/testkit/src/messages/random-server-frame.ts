import { BlockCatalog, chunkShape, GeneratorRef } from "@orthant/core";
import type { Entity, GoodbyeReason, NumberedEditResult, RejectionReason, Role } from "@orthant/protocol";
import { PROTOCOL_VERSION, type ServerFrame, type ServerMessage } from "@orthant/protocol/internal";
import type { Prng } from "../prng.ts";
import { randomPatch } from "./random-patch.ts";
import {
  randomCount,
  randomList,
  randomMask,
  randomPose,
  randomRegion,
  randomText,
  randomU64,
  randomVector,
} from "./random-values.ts";

/** Volume of the chunks in the patches of random frames. */
export const RANDOM_FRAME_VOLUME = 16;

const SHAPE = chunkShape([4, 4, 1, 1]);
const BLOCKS = new BlockCatalog([
  { id: 0, name: "air", colour: 0, solid: false },
  { id: 7, name: "stone", colour: 0x80_80_80, solid: true },
]);
const ROLES: readonly Role[] = ["viewer", "builder", "admin"];
const GOODBYES: readonly GoodbyeReason[] = ["version", "features", "limit", "shutdown", "failure"];
const REJECTIONS: readonly RejectionReason[] = ["role", "rate", "vetoed", "block"];

type RandomMessages = {
  readonly [Kind in ServerMessage["kind"]]: (prng: Prng) => Extract<ServerMessage, { readonly kind: Kind }>;
};

const MESSAGES: RandomMessages = {
  welcome: (prng) => ({
    kind: "welcome",
    version: PROTOCOL_VERSION,
    manifestHash: randomU64(prng),
    featureBits: prng.pick([0n, 1n]),
    worldId: randomU64(prng),
    epoch: { number: prng.between(1, 1_000), id: randomU64(prng) },
    worldName: randomText(prng),
    shape: SHAPE,
    generator: new GeneratorRef("flat", prng.bytes(prng.below(8)), randomU64(prng), randomU64(prng)),
    catalog: BLOCKS,
    spawn: randomVector(prng, 64),
    playerId: randomU64(prng),
    role: prng.pick(ROLES),
    resumed: prng.chance(0.5),
    tickMs: prng.between(1, 1_000),
    ...randomPose(prng),
  }),
  goodbye: (prng) => ({
    kind: "goodbye",
    reason: prng.pick(GOODBYES),
    detail: randomText(prng),
    retryAfterMs: prng.chance(0.5) ? undefined : randomCount(prng, 0),
  }),
  heartbeat: (prng) => ({
    kind: "heartbeat",
    interestId: randomCount(prng, 0),
    complete: prng.chance(0.5),
    sent: randomCount(prng, 0),
  }),
  patch: (prng) => ({ kind: "patch", patch: randomPatch(prng, RANDOM_FRAME_VOLUME) }),
  blank: (prng) => ({
    kind: "blank",
    streamNumber: randomCount(prng, 1),
    content: prng.chance(0.5) ? "air" : "generated",
    mask: randomMask(prng),
  }),
  forget: (prng) => ({ kind: "forget", streamNumber: randomCount(prng, 1), mask: randomMask(prng) }),
  reset: (prng) => ({ kind: "reset", streamNumber: randomCount(prng, 1) }),
  editResults: (prng) => ({ kind: "editResults", results: randomEditResults(prng) }),
  entities: (prng) => ({
    kind: "entities",
    region: randomRegion(prng),
    left: randomList(prng, 3, () => randomCount(prng, 0)),
    entered: randomList(prng, 3, () => randomEntity(prng)),
    moved: randomList(prng, 3, () => ({ number: randomCount(prng, 0), ...randomPose(prng) })),
  }),
  allEntities: (prng) => ({ kind: "allEntities", entities: randomList(prng, 3, () => randomEntity(prng)) }),
  game: (prng) => ({ kind: "game", payload: prng.bytes(prng.below(40)) }),
};

/** Returns a frame of a few messages that a server may send: any kinds, any values. */
export function randomServerFrame(prng: Prng): ServerFrame {
  const kinds = Object.values<(prng: Prng) => ServerMessage>(MESSAGES);
  return { number: randomCount(prng, 1), messages: randomList(prng, 4, () => prng.pick(kinds)(prng)) };
}

function randomEditResults(prng: Prng): readonly NumberedEditResult[] {
  let editId = 0;
  return Array.from({ length: prng.between(1, 4) }, (): NumberedEditResult => {
    editId += prng.between(1, 300);
    return prng.chance(0.5)
      ? { editId, outcome: prng.pick(["applied", "unchanged", "duplicate"]) }
      : { editId, outcome: "rejected", reason: prng.pick(REJECTIONS), detail: randomText(prng) };
  });
}

function randomEntity(prng: Prng): Entity {
  return {
    number: randomCount(prng, 0),
    isPlayer: prng.chance(0.5),
    id: prng.chance(0.5) ? randomU64(prng) : 3n,
    entityClass: prng.below(256),
    kind: prng.below(65_536),
    scale: prng.pick([1, 0.5, -0, Number.NaN]),
    block: prng.below(65_536),
    name: randomText(prng),
    ...randomPose(prng),
  };
}
