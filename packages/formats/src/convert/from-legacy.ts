import { cubeAt, floorDivide, HYPERCUBE_CHUNKS, PositionMap, positionFrom } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { BlockEntry, LeafChange, LegacyWorld } from "@orthant/save";
import { BulkSaveWriter, plainDescription } from "@orthant/save";
import type { ConversionReport } from "./losses.ts";

/** Edge, in chunks, of the cells in which a world is written. The writer splits those that are too large. */
const CELL_EDGE_CHUNKS = 8;

/** Writes a `.v4dw` world as a tree to an empty disk. Without a disk, only counts. Nothing is lost. */
export async function importLegacyWorld(
  world: LegacyWorld,
  target: Disk | undefined,
  nowMs: number,
): Promise<ConversionReport> {
  const writer = target && (await BulkSaveWriter.create(target, HYPERCUBE_CHUNKS));
  try {
    await writer?.add(leavesOf(world));
    await writer?.finish({
      nowMs,
      global: {
        base: world.base,
        worldSeed: 0n,
        generators: [],
        nextEntityId: 1n,
        playerEntityHints: [],
        description: plainDescription(HYPERCUBE_CHUNKS),
      },
      players: [],
    });
  } finally {
    await writer?.close();
  }
  return { chunks: world.blocks.length, entities: 0, players: 0, losses: [] };
}

function leavesOf({ blocks }: LegacyWorld): readonly LeafChange[] {
  const cells = new PositionMap<BlockEntry[]>();
  for (const block of blocks) {
    const cell = positionFrom((axis) => floorDivide(block.position[axis], CELL_EDGE_CHUNKS));
    const found = cells.get(...cell);
    if (found === undefined) cells.set(...cell, [block]);
    else found.push(block);
  }
  return Array.from(cells, ([cell, inCell]) => ({
    cell: cubeAt(
      positionFrom((axis) => cell[axis] * CELL_EDGE_CHUNKS),
      CELL_EDGE_CHUNKS,
    ),
    blocks: inCell,
  }));
}
