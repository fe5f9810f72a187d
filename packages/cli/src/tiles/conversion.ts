import type { Disk } from "@orthant/disk";
import { exportTileSave, importTileSave, openTileSave } from "@orthant/formats";
import { type Save, verifySave } from "@orthant/save";
import type { Context } from "../context.ts";
import type { OpenConversion } from "../open-conversion.ts";

/** Converts a tile save to a native world. Notes when it uses the backup of a damaged save. */
export async function conversionFromTiles(disk: Disk, context: Context): Promise<OpenConversion> {
  const { save, file, fault } = await openTileSave(disk);
  if (fault !== undefined) context.note(`${fault.message}; ${file} is converted instead`);
  return {
    from: "tilesave",
    to: "tree",
    unit: "chunks",
    run: (made) => importTileSave(save, made, context.clock.nowMs()),
    verify: (made) => verifySave(made),
    close: async () => undefined,
  };
}

/** Converts a native world to a tile save. */
export function conversionToTiles(save: Save): OpenConversion {
  return {
    from: "tree",
    to: "tilesave",
    unit: "leaves",
    steps: save.index.totals.leaves,
    run: (made, onLeaf) => exportTileSave(save, made, { onLeaf }),
    async verify(made) {
      // Throws if it is invalid: a new folder has no backup to read instead.
      await openTileSave(made);
      return [];
    },
    close: () => save.close(),
  };
}
