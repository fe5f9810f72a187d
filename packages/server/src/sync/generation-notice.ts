import { chunkOfVoxel, positionFrom } from "@orthant/core/lattice";
import type { SyncWorld } from "@orthant/protocol/server";
import type { Logger } from "pino";

/** A generator that takes longer for a chunk delays all players, where it works in the server's loop. */
const SLOW_MS = 2;
/** Chunks that are timed at most, and how far from the spawn they are: probably untouched, and in no cache. */
const [TIMED, AWAY_CHUNKS] = [8, 40];

/** Says in the log where untouched space is generated, and warns of a generator that holds up the server. */
export function noteGeneration({ shape, spawn, state }: SyncWorld, log: Logger): void {
  const id = state.generatorMap.current.generatorId;
  if (state.generatesAsync || !state.generatesAnywhere) {
    log.info({ generator: id }, "untouched chunks are generated in workers");
    return;
  }
  const middle = chunkOfVoxel(
    shape,
    positionFrom((axis) => Math.floor(spawn[axis])),
  );
  const [x, y, z, w] = middle;
  // The quickest counts: what a program does for the first time takes longer.
  let chunkMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < TIMED && chunkMs > SLOW_MS; count++) {
    const startMs = performance.now();
    state.realizeChunk(x + AWAY_CHUNKS + count, y, z, w);
    chunkMs = Math.min(chunkMs, Math.round((performance.now() - startMs) * 10) / 10);
  }
  log.info({ generator: id, chunkMs }, "untouched chunks are generated in the server's loop");
  if (chunkMs <= SLOW_MS) return;
  log.warn(
    { generator: id, chunkMs },
    "the generator takes long for a chunk, and all players wait meanwhile: add module: import.meta.url to its definition, and workers generate",
  );
}
