import { availableParallelism } from "node:os";

const LANES_MAX = 16;

/** Runs `work` in several lanes at once, one for each core. */
export async function inLanes(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), LANES_MAX) }, work));
}
