import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import {
  convertMarsMiner,
  convertToMarsMinerSave,
  describeMarsMinerAddress,
  type MarsMinerSave,
  type MarsMinerState,
  type OpenMarsMinerOptions,
  openMarsMiner,
  verifyMarsMiner,
} from "@orthant/formats";
import { type Save, verifySave } from "@orthant/save";
import type { OpenConversion } from "../open-conversion.ts";
import { UsageError } from "../usage.ts";

/** Converts a MarsMiner world to a native one; `address` selects an older state, as in `info --count`. */
export async function conversionFromMarsMiner(
  disk: Disk,
  options: OpenMarsMinerOptions,
  address: string | undefined,
): Promise<OpenConversion> {
  const save = await openMarsMiner(disk, options);
  const state = await chosenState(save, address).catch(async (error: unknown) => {
    await save.close();
    throw error;
  });
  return {
    from: save.dialect,
    to: "tree",
    unit: "chunks",
    steps: state.chunks.length,
    run: (target, onStep) => convertMarsMiner(save, target, { acceptLosses: true, state, onStep }),
    verify: (made) => verifySave(made),
    close: () => save.close(),
  };
}

/** Converts a native world to a MarsMiner save. */
export function conversionToMarsMiner(save: Save, { cubeSize }: OpenMarsMinerOptions): OpenConversion {
  const size = cubeSize === undefined ? {} : { cubeSize };
  return {
    from: "tree",
    to: "marsminer",
    unit: "leaves",
    steps: save.index.totals.leaves,
    run: (target, onStep) => convertToMarsMinerSave(save, target, { acceptLosses: true, onStep, ...size }),
    verify: (made): Promise<readonly Finding[]> => verifyMarsMiner(made, size),
    close: () => save.close(),
  };
}

async function chosenState(save: MarsMinerSave, address: string | undefined): Promise<MarsMinerState> {
  if (address === undefined) {
    if (save.state !== undefined) return save.state;
    throw new OrthantError(
      "ORT_NOT_FOUND",
      "nothing was ever saved in this world, so there is nothing to convert",
    );
  }
  const states = await save.findStates();
  const found = states.find((state) => describeMarsMinerAddress(state.address) === address);
  if (found !== undefined) return found;
  throw new UsageError(`no state is at "${address}"; orthant info --count lists those that are intact`);
}
