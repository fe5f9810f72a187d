import { type Chunk, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import type { VoxelEdit } from "@orthant/core/chunk";
import { cubeAt, voxelOfIndex } from "@orthant/core/lattice";
import type { Prng } from "@orthant/testkit";
import { SharedPair, type Traffic } from "./shared-pair.ts";

const EDITS = 20;

/** Chunks in which single voxels are changed: near the origin, far away, and at the end of the lattice. */
export const ONE_VOXEL_CHUNKS: readonly (readonly [name: string, chunk: Position])[] = [
  ["origin", [0, 0, 0, 0]],
  ["chunk-100000", [100_000, 100_000, -100_000, 100_000]],
  ["far-end", [-(2 ** 30), 2 ** 30 - 8, -(2 ** 30), 2 ** 30 - 8]],
];

/** Voxels of one chunk that were changed one by one while a client held the chunk. */
export interface OneVoxelRun {
  readonly before: Chunk;
  readonly after: Chunk;
  readonly edits: readonly VoxelEdit[];
  /** Size of the message for each edit. */
  readonly sizes: readonly number[];
}

/** Changes random voxels of a chunk, each in a tick of its own, and counts the bytes that a client gets. */
export async function changeSingleVoxels(chunk: Position, prng: Prng): Promise<OneVoxelRun> {
  const pair = await SharedPair.make();
  const client = pair.newClient(1n, "equal");
  const traffic = pair.connect(client);
  await pair.tick();
  client.setInterest({ boxes: [cubeAt(chunk, 1)], center: voxelOfIndex(HYPERCUBE_CHUNKS, chunk, 0) });
  await pair.settle(client);
  const before = await pair.world.chunk(chunk);
  const edits = Array.from({ length: EDITS }, (_, edit) => {
    return { index: prng.below(HYPERCUBE_CHUNKS.volume), block: 1 + edit };
  });
  const sizes: number[] = [];
  for (const { index, block } of edits) {
    await pair.world.set(voxelOfIndex(HYPERCUBE_CHUNKS, chunk, index), block);
    sizes.push(await largestFrame(pair, traffic));
  }
  return { before, after: await pair.world.chunk(chunk), edits, sizes };
}

/** Returns the size of the largest frame of the next tick, to skip mere keep-alives. */
async function largestFrame(pair: SharedPair, traffic: Traffic): Promise<number> {
  traffic.downFrames.length = 0;
  await pair.tick();
  return Math.max(...traffic.downFrames);
}
