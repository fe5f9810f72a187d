import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { MarsMinerState } from "../marsminer/records/state-reader.ts";
import type { MarsMinerSave } from "../marsminer/save.ts";
import type { Save } from "../polychora/save.ts";
import { convertFromMarsMiner } from "./from-marsminer.ts";
import { listingFirst } from "./listing-first.ts";
import type { ConversionLoss } from "./losses.ts";
import type { MarsMinerLocations } from "./marsminer-facts.ts";
import { convertToMarsMiner } from "./to-marsminer.ts";

/** What became of a conversion from or to MarsMiner. */
export interface MarsMinerConversionReport {
  /** Chunks of the Orthant world, which are smaller than those of MarsMiner. */
  readonly chunks: number;
  /** What the other format has no room for, each with how often; none when all of it carried over. */
  readonly losses: readonly ConversionLoss[];
}

/** How to convert from or to MarsMiner. */
export interface MarsMinerConvertOptions {
  /** Without it a conversion that would lose anything is refused with `ORT_LOSS`, before anything is written. */
  readonly acceptLosses?: boolean;
  /** What the places of chunks count; told by the save unless given. */
  readonly locations?: MarsMinerLocations;
  /** Told after each chunk or leaf that is read. */
  readonly onStep?: () => void;
}

/**
 * Writes a state of a MarsMiner save, the present one unless another is given, as a world of ours on a disk with
 * nothing on it; without a disk it only says what would be lost. Memory follows the index and the largest chunk.
 */
export function convertMarsMiner(
  save: MarsMinerSave,
  target: Disk | undefined,
  options: MarsMinerConvertOptions & { readonly state?: MarsMinerState } = {},
): Promise<MarsMinerConversionReport> {
  const state = options.state ?? save.state;
  if (state === undefined) {
    throw new OrthantError(
      "ORT_NOT_FOUND",
      "nothing was ever saved in this world, so there is nothing to convert",
    );
  }
  const { locations, onStep: onChunk } = options;
  return listingFirst(target === undefined, options, async (losses, isDry) => ({
    chunks: await convertFromMarsMiner({
      ...{ save, state, losses, locations, onChunk },
      target: isDry ? undefined : target,
    }),
  }));
}

/**
 * Writes one generation of a world of ours as a MarsMiner save of the seed's dialect, on a disk with nothing on it;
 * without a disk it only says what would be lost. `ORT_DIALECT` for a world whose chunks are no cubes.
 */
export function convertToMarsMinerSave(
  save: Save,
  target: Disk | undefined,
  options: MarsMinerConvertOptions & { readonly cubeSize?: number } = {},
): Promise<MarsMinerConversionReport> {
  const { cubeSize, locations, onStep: onLeaf } = options;
  return listingFirst(target === undefined, options, async (losses, isDry) => ({
    chunks: await convertToMarsMiner({
      ...{ save, losses, cubeSize, locations, onLeaf },
      target: isDry ? undefined : target,
    }),
  }));
}
