import { type Disk, MemoryDisk } from "@orthant/disk";
import { convertFlatSave, openFlatSave } from "@orthant/formats";
import { verifySave } from "@orthant/save";
import type { OpenConversion } from "../open-conversion.ts";

/** Converts a flat save to a native world. */
export async function conversionFromFlat(
  disk: Disk,
  generation: number | undefined,
): Promise<OpenConversion> {
  const save = await openFlatSave(disk, generation === undefined ? {} : { generation });
  return {
    from: "flat",
    to: "tree",
    unit: "leaves",
    steps: save.leaves.length,
    generation: save.generation,
    run: (made, onLeaf) => convertFlatSave(save, made, { onLeaf }),
    verify: (made) => verifySave(made),
    close: () => save.close(),
  };
}

/** Converts a flat save in memory, for commands that only read. Leaves out what a native world cannot hold. */
export async function convertedInMemory(disk: Disk): Promise<Disk> {
  const save = await openFlatSave(disk);
  try {
    const converted = new MemoryDisk();
    await convertFlatSave(save, converted);
    return converted;
  } finally {
    await save.close();
  }
}
