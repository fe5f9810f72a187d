import { type ChunkShape, dimensionsOf } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import { EngineCase } from "./engine-case.ts";
import { LitCase } from "./lit-case.ts";
import { SHAPES } from "./lit-land.ts";

/** Comparisons in a world, by its dimensions: the model takes long in four. */
const ROUNDS = { 2: 20, 3: 12, 4: 2 } as const;
/** One of this many worlds is on a disk, and is saved and opened again. */
const WORLDS_A_WORLD_ON_DISK = 3;
const SEEDS_APART = 1_000_003;

/** What became of a world. */
export interface LightWorldResult {
  readonly edits: number;
  /** How its light differed from the model's, if it did. */
  readonly fault: string | undefined;
}

/** How a world is played. */
interface LightWorldOptions {
  /** Shapes of chunks, one of which the world has. */
  readonly shapes?: readonly ChunkShape[];
  readonly roundsMax?: number | undefined;
}

/** Edits a world at random, and compares its light with a plain model's. */
export async function playLightWorld(
  seed: number,
  world: number,
  { shapes = SHAPES, roundsMax = Number.POSITIVE_INFINITY }: LightWorldOptions = {},
): Promise<LightWorldResult> {
  const prng = new Prng(seed * SEEDS_APART + world);
  const isOnDisk = world % WORLDS_A_WORLD_ON_DISK === 1;
  const lit = isOnDisk ? await EngineCase.create(prng, shapes) : new LitCase(prng, shapes);
  const rounds = Math.min(roundsMax, ROUNDS[dimensionsOf(lit.shape)]);
  try {
    for (let round = 0; round < rounds; round++) {
      const difference = await lit.round();
      if (difference === undefined) continue;
      const fault = `world ${world} of seed ${seed}, [${lit.shape.extents}], round ${round}: ${difference}`;
      return { edits: lit.edits, fault };
    }
    return { edits: lit.edits, fault: undefined };
  } finally {
    if (lit instanceof EngineCase) await lit.close();
  }
}
