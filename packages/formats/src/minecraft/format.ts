import type { Format } from "../format/format.ts";
import type { ImportedKind } from "../imported/import-source.ts";
import { importedFormat } from "../imported/imported-format.ts";
import { MinecraftSource } from "./minecraft-source.ts";
import { findMinecraftFiles, findRegions, isRegionName } from "./world-files.ts";

const ONE_REGION = "one region";

/** Worlds of Minecraft Java 1.8 to 1.21: a folder of region files, in one dimension, or one region file. */
export const minecraftKind: ImportedKind = {
  name: "minecraft",
  title: "Minecraft",

  async detect(disk, file) {
    if (file !== undefined)
      return isRegionName(file) ? { format: "minecraft", dialect: ONE_REGION, evidence: file } : undefined;
    const [evidence] = await findRegions(disk);
    return evidence === undefined ? undefined : { format: "minecraft", dialect: undefined, evidence };
  },

  async openSource(disk, { dialect, evidence }) {
    const isOneRegion = dialect === ONE_REGION;
    const files = isOneRegion
      ? {
          regions: [evidence],
          entityRegions: new Map(),
          level: undefined,
          levelDamage: undefined,
          isOneRegion,
        }
      : { ...(await findMinecraftFiles(disk)), isOneRegion };
    return MinecraftSource.open(disk, files);
  },
};

/** Worlds of Minecraft. */
export const minecraftFormat: Format = importedFormat(minecraftKind);
