import {
  AIR,
  BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  chunkShape,
  defineGenerator,
  dimensionsOf,
  hashPosition,
  type Position,
} from "@orthant/core";
import type { SeededGenerator } from "@orthant/core/generate";
import {
  boxAt,
  boxBetween,
  chunkOfVoxel,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  voxelIndex,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Prng } from "@orthant/testkit";
import { plainLight } from "@orthant/testkit/light";

/** Blocks of all opacities and lights that differ in a rule. */
export const BLOCKS = new BlockCatalog(
  (
    [
      ["air", 0, 0],
      ["stone", 15, 0],
      ["pane", 0, 0],
      ["fog", 1, 0],
      ["leaf", 2, 0],
      ["cloth", 7, 0],
      ["shade", 14, 0],
      ["lamp", 15, 15],
      ["torch", 0, 14],
      ["ember", 1, 5],
      ["mushroom", 3, 9],
    ] as const
  ).map(([name, opacity, light], id) => ({ id, name, colour: 0, solid: opacity > 1, opacity, light })),
);
const STONE = 1;

export const SHAPES: readonly ChunkShape[] = [
  chunkShape([16, 16, 16]),
  chunkShape([8, 8, 8]),
  chunkShape([5, 7, 6]),
  chunkShape([16, 16]),
  chunkShape([32, 32]),
  chunkShape([6, 9]),
  chunkShape([6, 5, 6, 6]),
];
/** Shapes of worlds of two dimensions, which are compared in no time. */
export const FLAT_SHAPES: readonly ChunkShape[] = SHAPES.filter((shape) => dimensionsOf(shape) === 2);
/** Voxels around the origin in which most edits are. */
const EDITED_VOXELS = 20;
const ROOF_HEIGHT_MAX = 90;
/** Where caves go up to; a world that has no sky goes on above. */
export const GROUND_HEIGHT = 5;

const DEFAULTS = { hasSky: true };
const land = ([2, 3, 4] as const).map((dimensions) =>
  defineGenerator({
    id: `lit:caves-${dimensions}`,
    version: 1,
    dimensions,
    parameters: DEFAULTS,
    open: ({ seed, parameters }) => {
      const key = Number(seed);
      const blockAt = (x: number, y: number, z = 0, w = 0): number => {
        if (y >= GROUND_HEIGHT) return AIR;
        const hash = hashPosition(key, x >> 2, y >> 1, z >> 2, w) % 16;
        return hash < 6 ? STONE : hash === 6 ? 1 + (hashPosition(key, x, y, z, w) % 10) : AIR;
      };
      return parameters.hasSky ? { blockAt, skyAbove: GROUND_HEIGHT } : { blockAt };
    },
  }),
);

/** Returns a land of caves for a shape of chunks, sometimes without a sky. */
export function randomLand(shape: ChunkShape, prng: Prng): SeededGenerator {
  return (land[dimensionsOf(shape) - 2] as (typeof land)[number])({
    seed: BigInt(prng.below(1_000)),
    hasSky: prng.below(8) > 0,
  });
}

/** Returns a voxel near the origin. */
export function randomPlace({ extents }: ChunkShape, prng: Prng): Position {
  return positionFrom((axis) => (extents[axis] > 1 ? prng.between(-EDITED_VOXELS, EDITED_VOXELS) : 0));
}

/** Returns a voxel in a chunk, or close to it. */
export function placeNear({ extents }: ChunkShape, chunk: Position, prng: Prng): Position {
  return positionFrom((axis) =>
    extents[axis] > 1 ? chunk[axis] * extents[axis] + prng.between(-4, extents[axis] + 4) : 0,
  );
}

/** Returns the voxels of an edit: a box, now and then a wide one, and some of those high above everything. */
export function randomPlacements(
  shape: ChunkShape,
  prng: Prng,
  place: Position = randomPlace(shape, prng),
): readonly VoxelPlacement[] {
  const block = prng.below(3) === 0 ? AIR : prng.below(BLOCKS.types.length);
  const isWide = prng.below(24) === 0;
  const roof = isWide && prng.below(2) === 0 ? prng.below(ROOF_HEIGHT_MAX) : 0;
  const [x, y, z, w] = place;
  const from: Position = [x, y + roof, z, w];
  const size = positionFrom((axis) =>
    shape.extents[axis] > 1 && axis !== 1 && isWide ? 1 + prng.below(9) : 1,
  );
  const box = boxBetween(
    from,
    positionFrom((axis) => from[axis] + size[axis]),
  );
  return Array.from(positionsLexicographic(box), (voxel) => ({ voxel, block }));
}

/** Returns the chunks around a chunk, on each axis that the world has. */
export function chunksAround({ extents }: ChunkShape, chunk: Position, distance: number): Box {
  return boxAround(
    chunk,
    positionFrom((axis) => (extents[axis] > 1 ? distance : 0)),
  );
}

/** Returns the chunks within 14 voxels of a chunk. Rule L8. */
export function chunksInReach({ extents }: ChunkShape, chunk: Position): Box {
  return boxAround(
    chunk,
    positionFrom((axis) => (extents[axis] > 1 ? Math.ceil(14 / extents[axis]) : 0)),
  );
}

function boxAround(chunk: Position, distance: Position): Box {
  return boxBetween(
    positionFrom((axis) => chunk[axis] - distance[axis]),
    positionFrom((axis) => chunk[axis] + distance[axis] + 1),
  );
}

/** A world for the plain model. */
export interface ModelWorld {
  readonly shape: ChunkShape;
  readonly catalog: BlockCatalog;
  readonly skyAbove: number | undefined;
  readonly ceiling: number;
  chunkAt(position: Position): Chunk;
}

/** Returns the light of a chunk by the plain model. */
export function modelLight({ chunkAt, ...world }: ModelWorld, chunk: Position): Uint8Array {
  const { shape } = world;
  const chunks = new PositionMap<Uint16Array>();
  const blockAt = (x: number, y: number, z: number, w: number): number => {
    const position = chunkOfVoxel(shape, [x, y, z, w]);
    let voxels = chunks.get(...position);
    if (voxels === undefined) {
      voxels = chunkAt(position).voxels();
      chunks.set(...position, voxels);
    }
    return voxels[voxelIndex(shape, x, y, z, w)] as number;
  };
  return plainLight({ ...world, blockAt }, voxelsOfChunks(shape, boxAt(chunk)));
}

/** Returns how light differs from that of the model. */
export function difference(
  name: string,
  found: Uint8Array | undefined,
  wanted: Uint8Array,
): string | undefined {
  if (found === undefined) return `${name}: no light`;
  const index = wanted.findIndex((byte, at) => byte !== found[at]);
  return index < 0 ? undefined : `${name}: voxel ${index} has ${found[index]}, the model ${wanted[index]}`;
}
