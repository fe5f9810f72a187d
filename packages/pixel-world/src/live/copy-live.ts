import type { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { isDamage } from "@orthant/disk/files";
import type { PixelBodyRef, PixelChunkRef } from "../format/save.ts";
import { type Entry, readEntry } from "../version2/entry.ts";
import type { PixelIndex } from "../version2/table.ts";
import type { PixelSaveWriter } from "../version2/writer.ts";

/** Called for each damaged entry that a copy omits. */
export type SkipDamaged = (ref: PixelChunkRef | PixelBodyRef, error: OrthantError) => void;

/**
 * Copies the live entries to a new file, one by one. A damaged entry makes the copy fail, because the copy
 * must not look intact; with `skipDamaged` it is reported and omitted instead.
 */
export async function copyLive(
  file: DiskFile,
  { chunks, bodies }: PixelIndex,
  target: PixelSaveWriter,
  skipDamaged?: SkipDamaged,
): Promise<void> {
  for (const ref of chunks) {
    const entry = await entryOf(file, "chunk", ref, skipDamaged);
    if (entry === undefined) continue;
    await target.addEncoded(ref.x, ref.y, { storage: ref.storage, payload: entry.payload });
  }
  for (const ref of bodies) {
    const entry = await entryOf(file, "body", ref, skipDamaged);
    if (entry !== undefined) await target.addBodyRecord(ref.id, ref.x, ref.y, entry.payload);
  }
}

async function entryOf(
  file: DiskFile,
  kind: "chunk" | "body",
  ref: PixelChunkRef | PixelBodyRef,
  skipDamaged: SkipDamaged | undefined,
): Promise<Entry | undefined> {
  try {
    return await readEntry(file, kind, ref.offset, ref.bytes);
  } catch (error) {
    if (skipDamaged === undefined || !isDamage(error)) throw error;
    skipDamaged(ref, error);
    return undefined;
  }
}
