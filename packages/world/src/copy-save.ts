import type { Disk } from "@orthant/disk";
import { createSave, type LeafChange, type Save } from "@orthant/formats";

/** Leaves that are held in memory at once: a leaf is at most a quarter of a megabyte, nearly always. */
const LEAVES_PER_COMMIT = 64;

/** What a copy has of its own. */
export interface CopyOptions {
  readonly nowMs: number;
  readonly worldId: bigint;
}

/** Writes all that a save holds to an empty disk. The copy begins its own history, at generation 0. */
export async function copySave(save: Save, disk: Disk, { nowMs, worldId }: CopyOptions): Promise<void> {
  const { global, players, manifest, leaves } = save;
  // Generations that have names are not copied, so their names would mean nothing. Nobody knows the copy from before:
  // whoever holds regions of the one world must not take them for regions of the other.
  const description = { ...global.description, namedGenerations: [], worldId, lineage: [] };
  const initial = { nowMs, global: { ...global, description }, players, limits: manifest.limits };
  const writer = await createSave(disk, initial);
  try {
    for (let first = 0; first < leaves.length; first += LEAVES_PER_COMMIT) {
      const changes: LeafChange[] = [];
      for (const leaf of leaves.slice(first, first + LEAVES_PER_COMMIT)) {
        const blocks = await save.readBlocks(leaf);
        const entities = await save.readEntities(leaf);
        changes.push({ cell: leaf.cell, blocks, entities, clocks: leaf.clocks });
      }
      await (await writer.commit({ nowMs, leaves: changes, cells: "kept" })).close();
    }
  } finally {
    await writer.close();
  }
}
