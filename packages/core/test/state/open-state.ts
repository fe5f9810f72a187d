import {
  type CacheLimits,
  type ChunkShape,
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  HYPERCUBE_CHUNKS,
} from "@orthant/core";
import { type GeneratorRef, generatorRef, WorldState } from "@orthant/core/engine";

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
