import { ok } from "node:assert/strict";
import { type Disk, GatedDisk } from "@orthant/disk";
import { openSave, surveySave } from "@orthant/save";
import { decodeManifest, encodeManifest, type PackList } from "@orthant/save/internal";
import type { Mutant } from "../proof/prove-history.ts";

/** Throws unless the manifest names every pack that the live generation needs, and no missing pack. */
export async function requireNamedPacks(disk: Disk): Promise<void> {
  const { manifest, packIds } = await surveySave(disk);
  const named = idsOf(manifest?.manifest.dataFiles ?? []);
  for (const packId of named) ok(packIds.includes(packId), `pack ${packId} is named, and gone`);
  const save = await openSave(disk);
  try {
    for await (const { chunkRefs, entityRefs } of save.index.all()) {
      for (const { packId } of [...chunkRefs, ...entityRefs])
        ok(named.has(packId), `pack ${packId} is needed, and not named`);
    }
  } finally {
    await save.close();
  }
}

/** A writer whose manifests omit the newest packs. */
export const FORGETFUL_WRITER: Mutant = {
  step: "the names of the newest packs",
  spoil: (disk) =>
    new GatedDisk(disk, async ({ operation, path }, happen) => {
      if (operation === "rename" && path.startsWith("manifest.json")) await forgetNewestPacks(disk, path);
      return happen();
    }),
  isOnce: false,
};

async function forgetNewestPacks(disk: Disk, path: string): Promise<void> {
  const written = await disk.open(path, "read");
  const { manifest } = decodeManifest(await written.readAt(0, await written.size()));
  await written.close();
  await disk.remove(path);
  const file = await disk.open(path, "create");
  await file.append(encodeManifest({ ...manifest, dataFiles: (manifest.dataFiles ?? []).slice(0, -1) }));
  await file.sync();
  await file.close();
}

function idsOf(list: PackList): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { first, last } of list) for (let id = first; id <= last; id++) ids.add(id);
  return ids;
}
