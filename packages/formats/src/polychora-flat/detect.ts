import type { Disk } from "@orthant/disk";
import { attempt, readWhole } from "@orthant/disk/files";
import { surveySave } from "@orthant/save";
import { filesOfGeneration, isFlatIndex, readGlobal, usableGenerations } from "@orthant/save/parts";
import { readFlatGlobal } from "./reader.ts";

/**
 * Returns whether a save is flat. Its newest readable index decides or, without one, its newest readable
 * global file.
 */
export async function isFlatSave(disk: Disk): Promise<boolean> {
  const survey = await surveySave(disk);
  const files = usableGenerations(survey).map((generation) => filesOfGeneration(survey, generation));
  for (const { indexFile } of files) {
    const [isFlat] = await attempt(async () => isFlatIndex(await readWhole(disk, indexFile)));
    if (isFlat !== undefined) return isFlat;
  }
  for (const { globalFile } of files) {
    const [native] = await attempt(() => readGlobal(disk, globalFile));
    if (native !== undefined) return false;
  }
  for (const { globalFile } of files) {
    const [flat] = await attempt(() => readFlatGlobal(disk, globalFile));
    if (flat !== undefined) return true;
  }
  return false;
}
