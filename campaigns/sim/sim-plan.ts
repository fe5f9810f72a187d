import { type Box, type ChunkShape, chunkShape, GeneratorRegistry, type Position } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { boxBetween, clipToAxes, positionFrom, REGION_EDGE_CHUNKS } from "@orthant/core/lattice";
import type { Role } from "@orthant/protocol";
import type { Account, SyncLimits } from "@orthant/protocol/server";
import { type NetworkConditions, type Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import type { DiskPace } from "./crashable-disk.ts";

/** Properties of one client of a case. */
export interface ClientPlan {
  /** `symbolic` when the client has the server's generators. */
  readonly detail: "symbolic" | "concrete";
  readonly takesEditLists: boolean;
  readonly role: Role;
}

/** Properties of one case. The seed alone determines them. */
export interface SimPlan {
  readonly shape: ChunkShape;
  readonly generator: GeneratorRef;
  /** The chunks in which everything happens. */
  readonly arena: Box;
  readonly acknowledge: "applied" | "durable";
  /** Whether edits are in a journal between two saves. */
  readonly durability: "snapshot" | "journal";
  readonly clients: readonly ClientPlan[];
  /** `stream` neither loses nor reorders frames while a link holds, like a socket. */
  readonly network: "stream" | "datagram";
  /** True when most clients are at one place and look at the same, so that the server has audiences of several. */
  readonly isCrowded: boolean;
  /** True when patches are removed from the streams unnoticed. */
  readonly dropsPatches: boolean;
  readonly diskPace: DiskPace;
  /** Limits of the server, low enough in some cases to be reached. */
  readonly limits: Partial<SyncLimits>;
}

/** Voxels per chunk and regions of the arena on each axis, for each number of dimensions. */
const WORLDS: readonly { readonly extents: Position; readonly regions: Position }[] = [
  { extents: [8, 8, 1, 1], regions: [6, 5, 1, 1] },
  { extents: [4, 4, 4, 1], regions: [3, 3, 3, 1] },
  { extents: [2, 3, 2, 2], regions: [3, 2, 2, 2] },
];

/** Generators of a client that lacks the server's. */
export const OTHER_GENERATORS: GeneratorRegistry = new GeneratorRegistry([mazeGenerator]);
/** Generators of the server and of symbolic clients. */
export const SERVER_GENERATORS: GeneratorRegistry = DEFAULT_GENERATORS;

/** Draws the properties of a case. */
export function planOf(prng: Prng): SimPlan {
  const { extents, regions } = prng.pick(WORLDS);
  const durable = prng.chance(0.5);
  return {
    shape: chunkShape(extents),
    generator: drawGenerator(prng),
    arena: arenaOf(regions, extents),
    acknowledge: durable ? "durable" : "applied",
    durability: prng.pick(["snapshot", "journal"]),
    clients: Array.from({ length: drawClientCount(prng) }, (_, index) => drawClient(prng, index)),
    network: prng.chance(0.3) ? "stream" : "datagram",
    isCrowded: prng.chance(0.5),
    dropsPatches: prng.chance(0.08),
    diskPace: { slowChance: prng.pick([0.02, 0.1, 0.3]), slowMsMax: prng.pick([20, 60]) },
    limits: {
      inFlightBytesMax: prng.pick([2_000, 20_000, 1_048_576]),
      pieceBytesMax: prng.pick([400, 524_288]),
      patchesPerTick: prng.pick([2, 16]),
      wholeRegionBytesPerTick: prng.pick([1_000, 131_072]),
      editsBurst: prng.pick([2, 60]),
      editsPerSecond: prng.pick([10, 30]),
    },
  };
}

/** Draws how the network treats frames until the next change. */
export function drawConditions(prng: Prng, network: SimPlan["network"]): NetworkConditions {
  const delayMsMin = prng.between(1, 30);
  const common = {
    ...RELIABLE_NETWORK,
    delayMsMin,
    delayMsMax: delayMsMin + prng.pick([0, 20, 100, 400]),
    noticeMsMax: prng.pick([0, 100, 500, 2_000, 20_000]),
  };
  if (network === "stream") return { ...common, cut: prng.pick([0, 0, 0.002]) };
  return {
    ...common,
    loss: prng.pick([0, 0.02, 0.1, 0.4]),
    duplication: prng.pick([0, 0.05, 0.3]),
    reordering: prng.pick([0, 0.05, 0.3]),
    cut: prng.pick([0, 0, 0.002, 0.01]),
  };
}

function drawGenerator(prng: Prng): GeneratorRef {
  const seed = BigInt(prng.u32());
  const draw = prng.fraction();
  if (draw < 0.15) return generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: 0 }, seed);
  if (draw < 0.6) return generatorRef(flatGenerator, FLAT_DEFAULTS, seed);
  if (draw < 0.97) return generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, seed);
  return generatorRef(terrainGenerator, TERRAIN_DEFAULTS, seed);
}

/** Regions around the origin, so that coordinates have both signs, on the axes that the world has. */
function arenaOf(regions: Position, extents: Position): Box {
  const min = positionFrom((axis) => -Math.floor(regions[axis] / 2) * REGION_EDGE_CHUNKS);
  const max = positionFrom((axis) => min[axis] + regions[axis] * REGION_EDGE_CHUNKS);
  return clipToAxes(chunkShape(extents), boxBetween(min, max)) ?? boxBetween(min, max);
}

function drawClientCount(prng: Prng): number {
  const draw = prng.fraction();
  if (draw < 0.8) return prng.between(2, 4);
  return draw < 0.96 ? prng.between(5, 9) : prng.between(10, 20);
}

function drawClient(prng: Prng, index: number): ClientPlan {
  return {
    detail: prng.chance(0.6) ? "symbolic" : "concrete",
    takesEditLists: prng.chance(0.7),
    role: index > 1 && prng.chance(0.1) ? "viewer" : "builder",
  };
}

/** Encodes a simulated client's number and role as its token. */
export function tokenOf(playerNumber: number, role: Role): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ playerNumber, role }));
}

/** Returns the account of such a token. */
export function accountOf(token: Uint8Array): Account {
  const { playerNumber, role } = JSON.parse(new TextDecoder().decode(token)) as {
    playerNumber: number;
    role: Role;
  };
  return { playerId: BigInt(playerNumber), role, name: `player ${playerNumber}` };
}
