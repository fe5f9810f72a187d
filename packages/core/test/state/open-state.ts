import { type ChunkShape, HYPERCUBE_CHUNKS } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratorRef,
  generatorRef,
} from "@orthant/core/generate";
import { type CacheLimits, WorldState } from "@orthant/core/tree";

/** The world that the seed documents start with: a floor two voxels high in four dimensions. */
export const FLOOR: GeneratorRef = generatorRef(flatGenerator, FLAT_DEFAULTS, 0n);

/** Returns an unedited world. */
export function openState(
  generator: GeneratorRef = FLOOR,
  shape: ChunkShape = HYPERCUBE_CHUNKS,
  cacheLimits?: CacheLimits,
): WorldState {
  const generators = DEFAULT_GENERATORS;
  return WorldState.open({ generators, generator, shape, ...(cacheLimits && { cacheLimits }) });
}
