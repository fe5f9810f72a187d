import {
  box,
  type ChunkBox,
  CUBE_CHUNKS,
  chunkBox,
  type Dimensions,
  type Position,
  systemTime,
  type Vector,
  type VoxelBox,
} from "@orthant/core";
import {
  FLAT_DEFAULTS,
  flatGenerator,
  generatorRef,
  type SeededGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import type { Prng } from "@orthant/testkit";
import type { NewEntity, PlayerUpdate } from "@orthant/world";
import { freeze } from "./damage.ts";

// Makers of valid arguments. They stay in a small part of the world, so that calls meet each other.

freeze(CUBE_CHUNKS, FLAT_DEFAULTS, flatGenerator, systemTime, TERRAIN_DEFAULTS, terrainGenerator);

const VOXEL_REACH = 40;
const CHUNK_REACH = 3;
const FAR_VOXEL = 1_000_000;

/** Returns the position of a voxel, seldom a far one. */
export function position(prng: Prng, dimensions: Dimensions): Position<Dimensions> {
  const reach = prng.chance(0.05) ? FAR_VOXEL : VOXEL_REACH;
  return tuple(dimensions, () => prng.between(-reach, reach));
}

/** Returns the position of a chunk. */
export function chunkPosition(prng: Prng, dimensions: Dimensions): Position<Dimensions> {
  return tuple(dimensions, () => prng.between(-CHUNK_REACH, CHUNK_REACH));
}

/** Returns a point or a direction. */
export function vector(prng: Prng, dimensions: Dimensions): Vector<Dimensions> {
  return tuple(dimensions, () => prng.fraction() * 2 * VOXEL_REACH - VOXEL_REACH);
}

/** Returns a small box of voxels. */
export function voxelBox(prng: Prng, dimensions: Dimensions): VoxelBox {
  const min = position(prng, dimensions);
  const max = min.map((coordinate) => coordinate + prng.between(1, 6));
  return box(min as Position<3>, max as unknown as Position<3>);
}

/** Returns a small box of chunks. */
export function chunks(prng: Prng, dimensions: Dimensions): ChunkBox {
  const min = chunkPosition(prng, dimensions);
  const max = min.map((coordinate) => coordinate + prng.between(1, 2));
  return chunkBox(min as Position<3>, max as unknown as Position<3>);
}

/** Returns an entity; all fields have values, so that each of them is damaged sometimes. */
export function entity(prng: Prng, dimensions: Dimensions): NewEntity<Dimensions> {
  return {
    kind: prng.below(10),
    position: vector(prng, dimensions),
    orientation: [prng.fraction(), prng.fraction(), 0, 1],
    velocity: vector(prng, dimensions),
    scale: prng.fraction() * 3,
    block: prng.below(7),
    name: text(prng),
    tags: [text(prng), text(prng)],
    data: prng.bytes(prng.below(9)),
  };
}

/** Returns one of a few players. */
export function player(prng: Prng, dimensions: Dimensions): PlayerUpdate<Dimensions> {
  return {
    playerId: playerId(prng),
    authKey: prng.bytes(4),
    name: text(prng),
    position: vector(prng, dimensions),
    orientation: [prng.fraction(), prng.fraction(), 0, 1],
    tags: [text(prng)],
    inventory: prng.bytes(prng.below(9)),
    metadata: [[text(prng), prng.bytes(3)]],
  };
}

/** Returns the id of one of a few players. */
export function playerId(prng: Prng): bigint {
  return BigInt(prng.between(1, 4));
}

/** Returns data for a voxel: bytes, a value of JSON, or `null`, which removes it. */
export function data(prng: Prng): unknown {
  return prng.pick([prng.bytes(prng.below(9)), { items: [text(prng)] }, text(prng), prng.below(9), null]);
}

/** Returns a short text. */
export function text(prng: Prng): string {
  return `${prng.pick(["Ada", "Grace", "Zoë", "東京"])} ${prng.below(100)}`;
}

/** Returns a generator for any number of dimensions. */
export function generator(prng: Prng): SeededGenerator {
  const parameters = { ...FLAT_DEFAULTS, top: prng.between(-4, 4) };
  return { ref: generatorRef(flatGenerator, parameters, 0n), generator: flatGenerator };
}

function tuple(dimensions: Dimensions, coordinate: () => number): Position<Dimensions> {
  return Array.from({ length: dimensions }, coordinate) as unknown as Position<Dimensions>;
}
