import {
  BlockCatalog,
  type Box,
  chunkFromVoxels,
  chunkShape,
  DEFAULT_BLOCKS,
  type Position,
  uniformChunk,
} from "@orthant/core";
import { type BlockCatalogChange, blockCatalogHash } from "@orthant/core/chunk";
import { GeneratorRef } from "@orthant/core/generate";
import { CLOCKS_PER_EPOCH } from "@orthant/core/internal";
import {
  boxAt,
  comparePositions,
  positionFrom,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
} from "@orthant/core/lattice";
import type { TurnStep } from "@orthant/core/operations";
import {
  CLOCK_NEVER,
  type Content,
  clockFrom,
  EPOCH_MAX,
  GeneratorMap,
  type PatchLeaf,
  type RegionChange,
  type RegionClock,
  type RegionPatch,
  type VoxelPlacement,
} from "@orthant/core/tree";
import type { RejectionReason } from "@orthant/core/world";
import {
  DEFAULT_OPERATION_LIMITS,
  type GoodbyeReason,
  type NumberedEditResult,
  type OperationOutcome,
  type OperationRequest,
  type Role,
  type SeenEntity,
} from "@orthant/protocol";
import {
  type ClientFrame,
  type ClientMessage,
  PROTOCOL_VERSION,
  type RegionMask,
  regionMask,
  type ServerFrame,
  type ServerMessage,
} from "@orthant/protocol/internal";
import type { Prng } from "../base/prng.ts";
import { randomMoves } from "./random-moves.ts";
import { randomCount, randomList, randomPose, randomText, randomU64, randomVector } from "./random-values.ts";

const REGION_MIN = -(2 ** 29);
const REGION_MAX = 2 ** 29 - 1;

/** Returns a region near the origin, far away or at the very edge. */
function randomRegion(prng: Prng): Position {
  if (prng.chance(0.05)) return positionFrom(() => (prng.chance(0.5) ? REGION_MIN : REGION_MAX));
  const reach = prng.pick([2, 25_000]);
  return positionFrom(() => prng.between(-reach, reach));
}

/** Returns some regions in order, each once. */
function randomRegions(prng: Prng, lengthMax: number): readonly Position[] {
  const regions = [...randomList(prng, lengthMax, () => randomRegion(prng))].sort(comparePositions);
  return regions.filter((region, index) => {
    const previous = regions[index - 1];
    return previous === undefined || comparePositions(previous, region) < 0;
  });
}

/** Returns a clock: `CLOCK_NEVER`, an early one or the last possible one. */
function randomClock(prng: Prng): number {
  if (prng.chance(0.2)) return CLOCK_NEVER;
  if (prng.chance(0.05)) return clockFrom(EPOCH_MAX, CLOCKS_PER_EPOCH - 1);
  return clockFrom(prng.between(1, 5), prng.between(1, 300));
}

/** Returns regions in order, with clocks. */
function randomClocks(prng: Prng): readonly RegionClock[] {
  return randomRegions(prng, 6).map((region) => ({ region, clock: randomClock(prng) }));
}

/** Returns regions near each other, sometimes all those of a box. */
function randomMask(prng: Prng): RegionMask {
  const corner = positionFrom(() => prng.between(-9, 9));
  const box = { min: corner, max: positionFrom((axis) => corner[axis] + prng.between(1, 3)) };
  const missing = prng.pick([0, 0.3, 0.9]);
  return regionMask([corner, ...[...positionsLexicographic(box)].filter(() => !prng.chance(missing))]);
}

const SEA = new GeneratorRef("sea", Uint8Array.of(1, 2), 7n, 0xabcdn);

/** Returns a patch of a few regions in a world whose chunks have this volume. */
function randomPatch(prng: Prng, volume: number): RegionPatch {
  const regions = randomRegions(prng, 3);
  const named = regions.length > 0 ? regions : [randomRegion(prng)];
  return {
    patchSeq: randomCount(prng, 1),
    changes: named.map((region) => randomChange(prng, region, volume)),
  };
}

function randomChange(prng: Prng, region: Position, volume: number): RegionChange {
  const base = prng.pick<RegionChange["base"]>(["air", "generated", CLOCK_NEVER, clockFrom(1, 1)]);
  const first = positionFrom((axis) => region[axis] * REGION_EDGE_CHUNKS);
  const second: Position = [first[0] + 1, first[1], first[2], first[3]];
  const leaf: PatchLeaf = { box: boxAt(first), content: randomContent(prng, volume) };
  return {
    region,
    base,
    next: clockFrom(prng.between(2, 4), prng.between(1, 300)),
    piece: 0,
    leaves: prng.chance(0.3) ? [] : [leaf],
    edits: base === "air" ? [] : [{ chunk: second, edits: [{ index: prng.below(volume), block: 9 }] }],
    data: randomData(prng, [first, second], volume),
  };
}

function randomData(prng: Prng, chunks: readonly Position[], volume: number): RegionChange["data"] {
  if (prng.chance(0.5)) return [];
  return chunks.map((chunk) => {
    const value = prng.bytes(prng.below(40));
    return { chunk, edits: [{ index: prng.below(volume), data: value }] };
  });
}

function randomContent(prng: Prng, volume: number): Content {
  const voxels = Uint16Array.from({ length: volume }, () => prng.below(4));
  voxels[0] = 1;
  return prng.pick<Content>([SEA, uniformChunk(volume, prng.between(1, 65_535)), chunkFromVoxels(voxels)]);
}

type RandomClientMessages = {
  readonly [Kind in ClientMessage["kind"]]: (prng: Prng) => Extract<ClientMessage, { readonly kind: Kind }>;
};

const CLIENT_MESSAGES: RandomClientMessages = {
  hello: (prng) => ({
    kind: "hello",
    version: PROTOCOL_VERSION,
    generators: [...new Set(Array.from({ length: prng.below(4) }, () => randomU64(prng)))].sort((a, b) =>
      a < b ? -1 : 1,
    ),
    featureBits: prng.pick([0n, 1n, randomU64(prng)]),
    clientId: randomU64(prng),
    token: prng.bytes(prng.below(40)),
    name: randomText(prng),
    kept: prng.chance(0.5)
      ? undefined
      : { worldId: randomU64(prng), epoch: { number: prng.between(1, 1_000), id: randomU64(prng) } },
    openEditId: randomCount(prng, 1),
    blocksHash: randomU64(prng),
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
  voxels: (prng) => ({
    kind: "voxels",
    editId: randomCount(prng, 1),
    placements: [randomPlacement(prng), ...randomList(prng, 5, () => randomPlacement(prng))],
  }),
  move: (prng) => ({ kind: "move", timeMs: randomCount(prng, 0), ...randomPose(prng) }),
  resync: (prng) => ({ kind: "resync", expected: randomCount(prng, 1), regions: randomClocks(prng) }),
  entitiesLost: () => ({ kind: "entitiesLost" }),
  game: (prng) => ({ kind: "game", payload: prng.bytes(prng.below(40)) }),
  blocksSeen: (prng) => ({ kind: "blocksSeen", blocksHash: randomU64(prng) }),
  placedSeen: (prng) => ({ kind: "placedSeen", number: randomCount(prng, 1) }),
  fill: (prng) => ({
    kind: "fill",
    editId: randomCount(prng, 1),
    box: randomVoxelBox(prng),
    block: prng.below(65_536),
  }),
  copy: (prng) => ({
    kind: "copy",
    editId: randomCount(prng, 1),
    box: randomVoxelBox(prng),
    to: positionFrom(() => prng.between(-1_000, 1_000)),
  }),
  operation: (prng) => {
    const requestId = randomCount(prng, 1);
    const openRequestId = prng.chance(0.5) ? requestId : prng.between(1, Math.min(requestId, 1_000));
    return {
      kind: "operation",
      requestId,
      openRequestId,
      isRepeat: prng.chance(0.5),
      request: randomRequest(prng),
    };
  },
  cancelOperation: (prng) => ({ kind: "cancelOperation", requestId: randomCount(prng, 1) }),
};

function randomRequest(prng: Prng): OperationRequest {
  return prng.pick<OperationRequest>([
    {
      kind: "apply",
      text: randomText(prng),
      clipboards: randomList(prng, 3, () => ({
        clipboardId: randomCount(prng, 1),
        steps: randomList(prng, 3, () => prng.pick<TurnStep>([{ rotate: "zw", turns: 3 }, { mirror: "w" }])),
      })),
      isDry: prng.chance(0.5),
      isConfirmed: prng.chance(0.5),
    },
    { kind: "copy", selection: randomText(prng) },
    { kind: "release", clipboardId: randomCount(prng, 1) },
    { kind: "undo", entryId: randomCount(prng, 0) },
    { kind: "redo", entryId: randomCount(prng, 0) },
    { kind: "list" },
  ]);
}

function randomOutcome(prng: Prng): OperationOutcome {
  const box = randomVoxelBox(prng);
  const exceeded = randomList(prng, 3, () => ({
    limit: prng.pick(["voxelsMax", "confirmVoxels"] as const),
    value: randomCount(prng, 0),
    max: randomCount(prng, 0),
  }));
  return prng.pick<OperationOutcome>([
    {
      kind: "done",
      status: prng.pick(["applied", "unchanged", "planned"]),
      count: randomCount(prng, 0),
      kept: randomCount(prng, 0),
      box: prng.chance(0.5) ? box : undefined,
      entryId: randomCount(prng, 0),
      work: randomCount(prng, 0),
      exceeded,
    },
    {
      kind: "copied",
      clipboardId: randomCount(prng, 1),
      extents: positionFrom(() => prng.between(1, 300)),
    },
    { kind: "released" },
    {
      kind: "listed",
      operations: randomList(prng, 3, () => ({
        entryId: randomCount(prng, 1),
        text: randomText(prng),
        count: randomCount(prng, 0),
        box,
        timeMs: randomCount(prng, 0),
        undone: randomCount(prng, 0),
      })),
    },
    {
      kind: "refused",
      reason: prng.pick(["role", "limit", "forgotten"]),
      detail: randomText(prng),
      exceeded,
    },
  ]);
}

/** Returns a frame of a few messages that a client may send: any kinds, any values. */
export function randomClientFrame(prng: Prng): ClientFrame {
  const kinds = Object.values<(prng: Prng) => ClientMessage>(CLIENT_MESSAGES);
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

function randomVoxelBox(prng: Prng): Box {
  const reach = prng.pick([4, 2 ** 46]);
  const min = positionFrom(() => prng.between(-reach, reach));
  return { min, max: positionFrom((axis) => min[axis] + prng.between(1, 300)) };
}

function randomPlacement(prng: Prng): VoxelPlacement {
  const reach = prng.pick([4, 2 ** 47 - 1]);
  const placement = { voxel: positionFrom(() => prng.between(-reach, reach)), block: prng.below(65_536) };
  if (prng.chance(0.7)) return placement;
  const data = prng.chance(0.3) ? null : prng.bytes(prng.below(40));
  return prng.chance(0.5) ? { ...placement, data } : { voxel: placement.voxel, data };
}

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

type RandomServerMessages = {
  readonly [Kind in ServerMessage["kind"]]: (prng: Prng) => Extract<ServerMessage, { readonly kind: Kind }>;
};

function randomGenerators(prng: Prng): GeneratorMap {
  const generator = (): GeneratorRef =>
    new GeneratorRef("flat", prng.bytes(prng.below(8)), randomU64(prng), randomU64(prng));
  const boxes = Array.from({ length: prng.below(4) }, (_, x) => ({
    box: { min: [2 * x, prng.below(9) - 4, 0, 0], max: [2 * x + 1, 9, 1, 1] } as Box,
    generator: generator(),
  }));
  return GeneratorMap.from(generator(), boxes);
}

const SERVER_MESSAGES: RandomServerMessages = {
  welcome: (prng) => ({
    kind: "welcome",
    version: PROTOCOL_VERSION,
    featureBits: prng.pick([0n, 1n]),
    worldId: randomU64(prng),
    epoch: { number: prng.between(1, 1_000), id: randomU64(prng) },
    worldName: randomText(prng),
    shape: SHAPE,
    generators: randomGenerators(prng),
    ...prng.pick([
      { blocksHash: blockCatalogHash(BLOCKS), catalog: BLOCKS },
      { blocksHash: randomU64(prng), catalog: undefined },
    ]),
    spawn: randomVector(prng, 64),
    playerId: randomU64(prng),
    role: prng.pick(ROLES),
    resumed: prng.chance(0.5),
    limits: {
      bytesPerSecond: prng.below(2 ** 32),
      editsPerSecond: prng.below(100_000) / 1_000,
      editsBurst: prng.below(1_000),
      editVoxelsMax: prng.below(10_000),
      editBoxVoxelsMax: prng.below(2 ** 32),
      editChunksMax: prng.below(1_000),
      editChunksPerSecond: prng.below(100_000) / 1_000,
      editDataBytesMax: prng.below(100_000),
      editDataBytesPerSecond: prng.below(100_000),
      copyVoxelsMax: prng.below(2 ** 32),
      gameMessagesPerSecond: prng.below(100_000) / 1_000,
    },
    tickMs: prng.between(1, 1_000),
    // The default, so that messages behind a welcome have the same bytes as those without one.
    precision: { positionSteps: 64, orientationSteps: 40 },
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
    left: randomList(prng, 3, () => randomCount(prng, 0)),
    entered: randomList(prng, 3, () => randomEntity(prng)),
  }),
  moves: randomMoves,
  motions: (prng) => ({
    kind: "motions",
    motions: randomList(prng, 3, () => ({
      number: randomCount(prng, 0),
      velocity: positionFrom(() => prng.between(-9_000, 9_000)),
    })),
  }),
  allEntities: (prng) => ({ kind: "allEntities", entities: randomList(prng, 3, () => randomEntity(prng)) }),
  game: (prng) => ({ kind: "game", payload: prng.bytes(prng.below(40)) }),
  blocks: (prng) => ({
    kind: "blocks",
    ...prng.pick([
      { blocksHash: blockCatalogHash(BLOCKS), content: { catalog: BLOCKS } },
      {
        blocksHash: randomU64(prng),
        content: {
          base: randomU64(prng),
          change: {
            changed: [{ id: 100 + prng.below(100), name: "rock", retired: prng.chance(0.5) }],
            redefined: prng.chance(0.5) ? [] : randomRedefinitions(prng),
            added: prng.chance(0.5) ? [] : DEFAULT_BLOCKS.types.slice(prng.between(1, 15)),
          },
        },
      },
    ]),
  }),
  entityDetails: (prng) => ({
    kind: "entityDetails",
    details: randomList(prng, 3, () => ({
      number: randomCount(prng, 0),
      tags: randomList(prng, 3, () => randomText(prng)),
      data: prng.bytes(prng.below(40)),
    })),
  }),
  placed: (prng) => ({
    kind: "placed",
    number: randomCount(prng, 1),
    ...randomPose(prng),
    moveMs: randomCount(prng, 0),
    reason: "home",
  }),
  clock: (prng) => ({ kind: "clock", timeMs: prng.below(65_536) }),
  operationProgress: (prng) => ({
    kind: "operationProgress",
    requestId: randomCount(prng, 1),
    done: randomCount(prng, 0),
    total: randomCount(prng, 0),
  }),
  operationAnswer: (prng) => ({
    kind: "operationAnswer",
    requestId: randomCount(prng, 1),
    outcome: randomOutcome(prng),
  }),
  hold: (prng) => ({ kind: "hold", streamNumber: randomCount(prng, 1) }),
  release: (prng) => ({ kind: "release", streamNumber: randomCount(prng, 1) }),
  operationTerms: (prng) => ({
    kind: "operationTerms",
    limits: prng.chance(0.5) ? DEFAULT_OPERATION_LIMITS : undefined,
  }),
};

const SLAB = [
  [0, 0, 0, 0],
  [1, 0.5, 1, 1],
] as const;

function randomRedefinitions(prng: Prng): BlockCatalogChange["redefined"] {
  return DEFAULT_BLOCKS.types.slice(prng.between(1, 15)).map(({ properties: _, ...type }) => ({
    ...type,
    light: prng.below(16),
    opacity: prng.below(16),
    tags: prng.pick([[], ["wet"], ["a", "wet"]]),
    // Of types without properties, which a client takes over: it disconnects at what is wrong.
    shape: prng.pick([[], [{ when: {}, boxes: [] }], [{ when: {}, boxes: [SLAB] }]]),
  }));
}

/** Returns a frame of a few messages that a server may send: any kinds, any values. */
export function randomServerFrame(prng: Prng): ServerFrame {
  const kinds = Object.values<(prng: Prng) => ServerMessage>(SERVER_MESSAGES);
  return { number: randomCount(prng, 1), messages: randomList(prng, 4, () => prng.pick(kinds)(prng)) };
}

function randomEditResults(prng: Prng): readonly NumberedEditResult[] {
  let editId = 0;
  return Array.from({ length: prng.between(1, 4) }, (): NumberedEditResult => {
    editId += prng.between(1, 300);
    return prng.chance(0.5)
      ? { editId, status: prng.pick(["applied", "unchanged", "duplicate"]) }
      : { editId, status: "rejected", reason: prng.pick(REJECTIONS), detail: randomText(prng) };
  });
}

function randomEntity(prng: Prng): Omit<SeenEntity, "tags" | "data"> {
  return {
    number: randomCount(prng, 0),
    isPlayer: prng.chance(0.5),
    id: prng.chance(0.5) ? randomU64(prng) : 3n,
    entityClass: prng.below(256),
    kind: prng.below(65_536),
    scale: prng.pick([1, 0.5, -0, Number.NaN]),
    block: prng.below(65_536),
    name: randomText(prng),
    ...randomPose(prng, 40),
  };
}
