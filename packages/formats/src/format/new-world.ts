import type { ChunkShape } from "@orthant/core";
import { cubeAt, floorDivide, PositionMap, positionFrom } from "@orthant/core/lattice";
import {
  type ChunkEntry,
  type GlobalState,
  type LeafChange,
  plainDescription,
  type WorldDescription,
} from "@orthant/save";

/** Returns the facts of a world of another program, which is empty around what is converted. */
export function emptyGlobal(shape: ChunkShape, description: Partial<WorldDescription> = {}): GlobalState {
  return {
    base: { kind: "empty" },
    worldSeed: 0n,
    generators: [],
    nextEntityId: 1n,
    playerEntityHints: [],
    description: { ...plainDescription(shape), ...description },
  };
}

/** Edge, in chunks, of the cubes in which a world is written. The writer splits those that are too large. */
const CUBE_EDGE_CHUNKS = 8;

/** Returns chunks by the cubes in which they are written. */
export function leavesOfChunks(chunks: readonly ChunkEntry[]): readonly LeafChange[] {
  const cubes = new PositionMap<ChunkEntry[]>();
  for (const entry of chunks) {
    const cube = positionFrom((axis) => floorDivide(entry.position[axis], CUBE_EDGE_CHUNKS));
    cubes.getOrAdd(...cube, () => []).push(entry);
  }
  return Array.from(cubes, ([cube, inCube]) => {
    const corner = positionFrom((axis) => cube[axis] * CUBE_EDGE_CHUNKS);
    return { cube: cubeAt(corner, CUBE_EDGE_CHUNKS), chunks: inCube };
  });
}
