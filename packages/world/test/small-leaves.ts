import type { Disk } from "@orthant/disk";
import { createSave, DEFAULT_LIMITS, openSave, plainDescription, type StoredEntity } from "@orthant/save";

/** Limits for leaves of a handful of chunks or entities, so that leaves and index files split and merge. */
const SMALL_LIMITS = {
  ...DEFAULT_LIMITS,
  dataFileMaxBytes: 65_536,
  indexSoftMaxBytes: 500,
  chunkBlobTargetBytes: 600,
  entityBlobTargetBytes: 600,
};

/** Creates a world of air with small leaves. */
export async function createSmallLeaves(disk: Disk): Promise<void> {
  const global = {
    base: { kind: "empty" },
    worldSeed: 0n,
    generators: [],
    nextEntityId: 1n,
    playerEntityHints: [],
    description: plainDescription(),
  } as const;
  await (await createSave(disk, { nowMs: 1, global, limits: SMALL_LIMITS })).close();
}

/** Returns all entities in the save, each with the lowest corner of its leaf. */
export async function storedEntities(
  disk: Disk,
): Promise<readonly { readonly entity: StoredEntity; readonly cube: string }[]> {
  const save = await openSave(disk);
  const found: { entity: StoredEntity; cube: string }[] = [];
  for await (const leaf of save.index.all()) {
    for (const entity of await save.readEntities(leaf)) found.push({ entity, cube: `${leaf.cube.min}` });
  }
  await save.close();
  return found;
}
