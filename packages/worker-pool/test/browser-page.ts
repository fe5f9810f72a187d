import { CUBE_CHUNKS, terrain } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { generationPool } from "@orthant/worker-pool/browser";

/** What the page reports: whether the workers generated what the page did, and how many leaves there are. */
export interface PoolReport {
  readonly isSame: boolean;
  readonly leaves: number;
}

/** The functions that tests call in the page. */
export interface GenerationPage {
  generate(): Promise<PoolReport>;
}

// The global of browsers; the tests of this repository are compiled with the types of Node.
declare const Worker: new (address: string, options: { readonly type: "module" }) => globalThis.Worker;

const page: GenerationPage = {
  async generate() {
    const pool = generationPool({
      workers: 2,
      startWorker: () => new Worker("/worker.js", { type: "module" }),
    });
    const { ref } = terrain({ seed: 5n });
    const box = { min: [-2, -2, -2, 0], max: [2, 2, 2, 1] } as const;
    const here = DEFAULT_GENERATORS.open(ref, CUBE_CHUNKS).describe(box);
    const space = pool.open({ ref, shape: CUBE_CHUNKS, module: undefined });
    const there = await space?.describe(box).result;
    await pool.close();
    return { isSame: there?.equals(here) === true, leaves: here.leafCount };
  },
};
Object.assign(globalThis, { page });
