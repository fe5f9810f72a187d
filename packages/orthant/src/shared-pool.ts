import type { GenerationPool } from "@orthant/core/generate";
import { generationPool } from "@orthant/worker-pool/node";

let pool: GenerationPool | undefined;

/** Returns the pool of this process. Its workers start when there is work, and end with the process. */
export function sharedPool(): GenerationPool {
  pool ??= generationPool();
  return pool;
}
