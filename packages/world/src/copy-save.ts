import type { Disk } from "@orthant/disk";
import { BulkSaveWriter, type Save } from "@orthant/formats";

/** What a copy has of its own. */
export interface CopyOptions {
  readonly nowMs: number;
  readonly worldId: bigint;
}

/** Writes all that a save holds to an empty disk, leaf by leaf. The copy begins its own history, at generation 0. */
export async function copySave(save: Save, disk: Disk, { nowMs, worldId }: CopyOptions): Promise<void> {
  const { global, players, manifest, index } = save;
  // Generations that have names are not copied, so their names would mean nothing. Nobody knows the copy from before:
  // whoever holds regions of the one world must not take them for regions of the other.
  const description = { ...global.description, namedGenerations: [], worldId, lineage: [] };
  const writer = await BulkSaveWriter.create(disk, { ...global, description }, { limits: manifest.limits });
  try {
    for await (const leaf of index.all()) {
      const blocks = await save.readBlocks(leaf);
      const entities = await save.readEntities(leaf);
      await writer.add([{ cell: leaf.cell, blocks, entities, clocks: leaf.clocks }]);
    }
    await writer.finish({ nowMs, global: { ...global, description }, players });
  } finally {
    await writer.close();
  }
}
