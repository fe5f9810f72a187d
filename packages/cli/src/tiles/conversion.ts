import type { Disk } from "@orthant/disk";
import { exportTileSave, importTileSave, openTileSave, type Save, verifySave } from "@orthant/formats";
import type { Context } from "../context.ts";
import type { OpenConversion } from "../open-conversion.ts";

/** From the save of a tile game to a world of ours; with a note when that is the backup of a damaged one. */
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

/** From one of our worlds to the save of a tile game. */
export function conversionToTiles(save: Save): OpenConversion {
  return {
    from: save.dialect,
    to: "tilesave",
    unit: "leaves",
    steps: save.index.totals.leaves,
    run: (made, onLeaf) => exportTileSave(save, made, { onLeaf }),
    async verify(made) {
      // Throws what is wrong: in a new folder there is no backup to read instead.
      await openTileSave(made);
      return [];
    },
    close: () => save.close(),
  };
}
