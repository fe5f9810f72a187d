import type { Disk } from "@orthant/disk";
import { type DetectedLegacyWorld, importLegacyWorld, openLegacyWorld } from "@orthant/formats";
import { verifySave } from "@orthant/save";
import type { Context } from "../context.ts";
import type { OpenConversion } from "../open-conversion.ts";

/** Converts a `.v4dw` file to a native world. */
export async function conversionFromLegacy(
  disk: Disk,
  { evidence }: DetectedLegacyWorld,
  context: Context,
): Promise<OpenConversion> {
  const world = await openLegacyWorld(disk, evidence);
  return {
    from: "v4dw",
    to: "tree",
    unit: "chunks",
    run: (made) => importLegacyWorld(world, made, context.clock.nowMs()),
    verify: (made) => verifySave(made),
    close: async () => undefined,
  };
}
