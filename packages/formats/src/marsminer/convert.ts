import { OrthantError } from "@orthant/core";
import {
  callback,
  checkedOptions,
  choiceOf,
  type OptionTable,
  requireFlag,
  requireObject,
  wrongArgument,
} from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { requireSave, type Save } from "@orthant/save";
import { requireTarget } from "../format/checked-arguments.ts";
import { type ConversionLoss, listingFirst } from "../format/losses.ts";
import { convertFromMarsMiner, type MarsMinerLocations } from "./convert-from.ts";
import { convertToMarsMiner } from "./convert-to.ts";
import { MarsMinerSave, requireCubeSize } from "./save.ts";
import type { MarsMinerState } from "./state.ts";

const OPTIONS: OptionTable<MarsMinerConvertOptions> = {
  acceptLosses: requireFlag,
  onStep: callback,
  locations: choiceOf("blocks", "chunks"),
};

/** Result of a conversion from or to MarsMiner. */
interface MarsMinerConversionReport {
  /** Number of chunks of the Orthant world, which are smaller than those of MarsMiner. */
  readonly chunks: number;
  /** What the other format cannot hold, with counts; empty if everything was converted. */
  readonly losses: readonly ConversionLoss[];
}

/** Options for converting from or to MarsMiner. */
export interface MarsMinerConvertOptions {
  /** Without it, a conversion with losses is refused with `ORT_LOSS` before anything is written. */
  readonly acceptLosses?: boolean;
  /** Unit of chunk positions. Default: derived from the save. */
  readonly locations?: MarsMinerLocations;
  /** Called after each chunk or leaf that is read. */
  readonly onStep?: () => void;
}

/**
 * Writes a state of a MarsMiner save, the present one by default, as an Orthant world to an empty disk.
 * Without a disk, only reports what would be lost. Memory use depends on the index and the largest chunk.
 */
export function convertMarsMiner(
  save: MarsMinerSave,
  target: Disk | undefined,
  options: MarsMinerConvertOptions & { readonly state?: MarsMinerState } = {},
): Promise<MarsMinerConversionReport> {
  if (!(save instanceof MarsMinerSave)) throw wrongArgument("save", save, "it is what openMarsMiner returns");
  requireTarget(target);
  const checked = checkedOptions("the options", options, {
    ...OPTIONS,
    state: requireStateOf,
  });
  const state = checked.state ?? save.state;
  if (state === undefined) {
    throw new OrthantError(
      "ORT_NOT_FOUND",
      "nothing was ever saved in this world, so there is nothing to convert",
    );
  }
  const { locations, onStep: onChunk } = checked;
  return listingFirst(target === undefined, checked, async (losses, isDry) => ({
    chunks: await convertFromMarsMiner({
      ...{ save, state, losses, locations, onChunk },
      target: isDry ? undefined : target,
    }),
  }));
}

/**
 * Writes one generation of an Orthant world as a MarsMiner save of the dialect `draft` to an empty disk.
 * Without a disk, only reports what would be lost. Throws `ORT_DIALECT` for a world whose chunks are not
 * cubes.
 */
export function convertToMarsMinerSave(
  save: Save,
  target: Disk | undefined,
  options: MarsMinerConvertOptions & { readonly cubeSize?: number } = {},
): Promise<MarsMinerConversionReport> {
  requireSave("save", save);
  requireTarget(target);
  const checked = checkedOptions("the options", options, {
    ...OPTIONS,
    cubeSize: (_name, value) => requireCubeSize(value as number),
  });
  const { cubeSize, locations, onStep: onLeaf } = checked;
  return listingFirst(target === undefined, checked, async (losses, isDry) => ({
    chunks: await convertToMarsMiner({
      ...{ save, losses, cubeSize, locations, onLeaf },
      target: isDry ? undefined : target,
    }),
  }));
}

/** A state of a save is an object that the save itself returned. */
function requireStateOf(name: string, value: unknown): MarsMinerState {
  requireObject(name, value, "it is one of those that save.findStates returns");
  const { address, chunks } = value as Partial<MarsMinerState>;
  if (typeof address !== "object" || address === null || !Array.isArray(chunks))
    throw wrongArgument(name, value, "it is one of those that save.findStates returns");
  return value as MarsMinerState;
}
