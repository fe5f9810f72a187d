import { TILES_PER_CHUNK, type TileChunk } from "@orthant/core/chunk";
import type { Wire1Message } from "@orthant/protocol/internal";
import type { Wire1Command } from "@orthant/protocol/wire1";
import type { Prng } from "../base/prng.ts";
import { randomList } from "./random-values.ts";

type RandomCommands = {
  readonly [Kind in Wire1Command["kind"]]: (prng: Prng) => Extract<Wire1Command, { readonly kind: Kind }>;
};

const BATCH_CHUNKS = 3;

const COMMANDS: RandomCommands = {
  jump: () => ({ kind: "jump" }),
  attack: () => ({ kind: "attack" }),
  motionInput: (prng) => ({
    kind: "motionInput",
    axisMilli: prng.between(-1_000, 1_000),
    jumps: prng.chance(0.5),
  }),
  setTile: (prng) => ({ kind: "setTile", x: anyI32(prng), y: anyI32(prng), material: anyU16(prng) }),
  loadChunk: (prng) => ({ kind: "loadChunk", chunkX: anyI32(prng), chunkY: anyI32(prng) }),
  unloadChunk: (prng) => ({ kind: "unloadChunk", chunkX: anyI32(prng), chunkY: anyI32(prng) }),
  collectResource: (prng) => ({
    kind: "collectResource",
    resource: positiveU16(prng),
    amount: positiveU32(prng),
  }),
  spawnDrop: (prng) => ({
    kind: "spawnDrop",
    x: anyI32(prng),
    y: anyI32(prng),
    material: positiveU16(prng),
    amount: positiveU32(prng),
  }),
  pickupProbe: (prng) => ({ kind: "pickupProbe", x: anyI32(prng), y: anyI32(prng) }),
  interaction: (prng) => ({
    kind: "interaction",
    interaction: anyU16(prng),
    x: anyI32(prng),
    y: anyI32(prng),
    material: anyU16(prng),
    result: anyU16(prng),
  }),
  actionPrimary: (prng) => ({
    kind: "actionPrimary",
    x: anyI32(prng),
    y: anyI32(prng),
    hotbarRow: prng.below(256),
    hotbarSlot: prng.below(256),
  }),
  craftRecipe: (prng) => ({ kind: "craftRecipe", recipe: prng.below(256) }),
  attackEnemy: () => ({ kind: "attackEnemy" }),
  attackBoss: () => ({ kind: "attackBoss" }),
  fireProjectile: (prng) => ({
    kind: "fireProjectile",
    x: anyI32(prng),
    y: anyI32(prng),
    velocityMilliX: anyI32(prng),
    velocityMilliY: anyI32(prng),
    damage: positiveU16(prng),
    lifetimeTicks: positiveU16(prng),
    faction: positiveU16(prng),
  }),
};

/** Returns a valid datagram of Wire v1: mostly commands of any kind, sometimes chunks. */
export function randomWire1Message(prng: Prng): Wire1Message {
  if (prng.chance(0.1)) return { kind: "control", control: prng.pick(["syn", "ack", "heartbeat"] as const) };
  if (prng.chance(0.05)) return { kind: "chunk", chunk: randomTileChunk(prng) };
  if (prng.chance(0.05)) {
    const chunks = randomList(prng, BATCH_CHUNKS, () => randomTileChunk(prng));
    return { kind: "batch", chunks: inOrder(chunks) };
  }
  return { kind: "command", playerId: prng.u32(), command: randomWire1Command(prng) };
}

/** Returns a command of any kind, with any valid values. */
export function randomWire1Command(prng: Prng): Wire1Command {
  return prng.pick(Object.values<(prng: Prng) => Wire1Command>(COMMANDS))(prng);
}

function randomTileChunk(prng: Prng): TileChunk {
  const materials = prng.pick([2, 10, 65_536]);
  const tiles = Uint16Array.from({ length: TILES_PER_CHUNK }, () => prng.below(materials));
  return { x: anyI32(prng), y: anyI32(prng), tiles };
}

function inOrder(chunks: readonly TileChunk[]): readonly TileChunk[] {
  const sorted = [...chunks].sort((a, b) => a.x - b.x || a.y - b.y);
  return sorted.filter(({ x, y }, index) => sorted[index - 1]?.x !== x || sorted[index - 1]?.y !== y);
}

function anyI32(prng: Prng): number {
  return prng.chance(0.1)
    ? prng.pick([-(2 ** 31), 2 ** 31 - 1])
    : prng.between(-70, 70) * prng.pick([1, 999]);
}

function anyU16(prng: Prng): number {
  return prng.below(prng.pick([10, 65_536]));
}

function positiveU16(prng: Prng): number {
  return 1 + prng.below(prng.pick([10, 65_535]));
}

function positiveU32(prng: Prng): number {
  return 1 + prng.below(prng.pick([10, 2 ** 32 - 1]));
}
