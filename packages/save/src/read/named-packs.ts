import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { filesIn } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { packFile, parsePackFile } from "../codec/files.ts";
import { DATA_FOLDER } from "../codec/layout.ts";
import { hasPack, type PackList, type PackRange, packListOf, withoutPacks } from "../codec/manifest.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";

const ADVICE = "restore a backup, or bring back the rest with orthant repair";

/**
 * Throws `ORT_NOT_FOUND` if a pack that a generation refers to is missing. Reads the index and the records of the world as a
 * whole only if the folder lacks a pack that the manifest names. This generation may not need that pack: it may belong to an older
 * one, or a compaction may just have removed it. Rule S102.
 */
export async function requirePacks(
  disk: Disk,
  named: PackList = [],
  index: LeafIndex,
  worldRecords: () => Promise<readonly RecordRef[]>,
): Promise<void> {
  if (named.length === 0) return;
  const missing = withoutPacks(named, await packsThere(disk));
  const [first] = missing;
  if (first === undefined || !((await refersTo(index, missing)) || (await areIn(worldRecords, missing))))
    return;
  const detail = `${describePacks(missing)} missing, and parts of the world are stored there; ${ADVICE}`;
  throw new OrthantError("ORT_NOT_FOUND", detail, { path: packFile(first.first) });
}

/**
 * Returns the packs that a writer continues with: those of the list that exist. Without a list it starts one
 * with all existing packs, after making their names durable. Rule S103.
 */
export async function existingPacks(disk: Disk, named: PackList | undefined): Promise<PackList> {
  const there = await packsThere(disk);
  if (named !== undefined) return packListOf(there.filter((packId) => hasPack(named, packId)));
  await disk.syncDirectory(DATA_FOLDER);
  return packListOf(there);
}

/** Formats packs for messages, such as `the packs 3, 5 to 7 are`. Truncates a long list. */
export function describePacks(packs: PackList): string {
  const [first] = packs;
  if (packs.length === 1 && first?.first === first?.last) return `pack ${first?.first} is`;
  const some = packs.slice(0, DESCRIBED_MAX).map(describeRange).join(", ");
  return `the packs ${some}${packs.length > DESCRIBED_MAX ? " and others" : ""} are`;
}

const DESCRIBED_MAX = 10;

function describeRange({ first, last }: PackRange): string {
  return first === last ? `${first}` : `${first} to ${last}`;
}

async function packsThere(disk: Disk): Promise<readonly number[]> {
  return (await filesIn(disk, DATA_FOLDER)).map(parsePackFile).filter((packId) => packId !== undefined);
}

async function refersTo(index: LeafIndex, packs: PackList): Promise<boolean> {
  for await (const { chunkRefs, entityRefs } of index.all()) {
    for (const { packId } of [...chunkRefs, ...entityRefs]) {
      if (hasPack(packs, packId)) return true;
    }
  }
  return false;
}

/** Returns whether records are in packs that are missing. The record that lists the others may be in one itself. */
async function areIn(worldRecords: () => Promise<readonly RecordRef[]>, missing: PackList): Promise<boolean> {
  try {
    return (await worldRecords()).some(({ packId }) => hasPack(missing, packId));
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return true;
    // Damage is reported when the store is used, or by a verification.
    if (isOrthantError(error)) return false;
    throw error;
  }
}
