import { PositionMap } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import {
  BulkSaveWriter,
  type ChunkAssignment,
  type ChunkEntry,
  type Save,
  type SaveChange,
  type StoredChunk,
} from "@orthant/save";
import { mergePlayers } from "@orthant/save/content";
import { entriesAt } from "../content/store-content.ts";
import type { WorldContent } from "../content/world-content.ts";
import { cubeKey } from "../regions/region-reader.ts";

/** Options for copying a save. */
interface CopyOptions {
  readonly nowMs: number;
  readonly worldId: bigint;
  /** Changes since the save that the copy includes. */
  readonly change?: SaveChange | undefined;
}

/** Copies the saved content of a world to an empty disk, and of a read-only one also what it has from a journal. */
export async function copyContent(
  content: WorldContent,
  disk: Disk,
  { nowMs, worldId, isReadOnly }: Omit<CopyOptions, "change"> & { readonly isReadOnly: boolean },
): Promise<void> {
  const save = content.save.share();
  try {
    const change = isReadOnly ? await content.completeSaveChange(nowMs) : undefined;
    await copySave(save, disk, { nowMs, worldId, change });
  } finally {
    await save.close();
  }
}

/** Copies a save to an empty disk, leaf by leaf. The copy starts its own history at generation 0. */
async function copySave(save: Save, disk: Disk, { nowMs, worldId, change }: CopyOptions): Promise<void> {
  const { manifest, index } = save;
  const global = change?.global ?? save.global;
  // Named generations are not copied, so their names would mean nothing. The copy gets a new identity:
  // clients must not mistake regions of one world for regions of the other.
  const description = { ...global.description, namedGenerations: [], worldId, epochs: [] };
  const changes = new Map(change?.leaves?.map((leaf) => [cubeKey(leaf.cube), leaf]));
  const writer = await BulkSaveWriter.create(disk, description.chunkShape, { limits: manifest.limits });
  try {
    for await (const leaf of index.all()) {
      const changed = changes.get(cubeKey(leaf.cube));
      changes.delete(cubeKey(leaf.cube));
      const chunks = withChanges(await save.readStored(leaf), changed?.changed ?? []);
      const entities = changed?.entities ?? (await save.readEntities(leaf));
      await writer.add([{ cube: leaf.cube, chunks, entities, clocks: changed?.clocks ?? leaf.clocks }]);
    }
    await writer.add(
      Array.from(changes.values(), ({ changed = [], ...leaf }) => ({
        ...leaf,
        chunks: withChanges([], changed),
      })),
    );
    const players = mergePlayers(save.players, change?.players ?? []);
    const store = entriesAt({ save, changes: [changedKeys(change)] }, "");
    await writer.finish({ nowMs, global: { ...global, description }, players, store });
  } finally {
    await writer.close();
  }
}

function changedKeys({
  store = [],
}: Pick<SaveChange, "store"> = {}): ReadonlyMap<string, Uint8Array | undefined> {
  return new Map(store.map(({ key, value }) => [key, value]));
}

function withChanges(
  chunks: readonly StoredChunk[],
  changed: readonly ChunkAssignment[],
): readonly (StoredChunk | ChunkEntry)[] {
  if (changed.length === 0) return chunks;
  const byPosition = new PositionMap<StoredChunk | ChunkEntry>();
  for (const entry of chunks) byPosition.set(...entry.position, entry);
  for (const { position, chunk, ticks } of changed) {
    if (chunk === undefined) byPosition.delete(...position);
    else byPosition.set(...position, { position, chunk, ticks });
  }
  return [...byPosition.values()];
}
