import { OrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { temporaryPath, type WriterLock } from "@orthant/disk/files";
import type { YieldOptions } from "../change/save-change.ts";
import { packFile } from "../codec/files.ts";
import { OpenPack } from "../pack/pack-reader.ts";
import { wholeRecord } from "../pack/pack-scan.ts";
import { type PackEnds, type PackedRecord, PackTableWriter } from "../pack/pack-table.ts";
import type { NeededPackRecords } from "./needed-records.ts";

/** Interval between syncs, so that a commit's sync does not wait behind a hundred MiB of ours. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024;

/** How a pack is replaced. */
interface PackReplacement {
  readonly work: YieldOptions;
  readonly lock: WriterLock | undefined;
  /** Closes the pack unless a read is under way: Windows does not rename over an open file. */
  release(): Promise<void>;
}

/**
 * Replaces a pack with a file that has only the needed records. Checks the checksum of each; throws if one is
 * damaged, and the pack stays unchanged. The old file keeps the name until the new one takes it, and either
 * has everything that is needed. Rule S89.
 */
export async function compactPack(
  disk: Disk,
  packId: number,
  needed: NeededPackRecords,
  { work, lock, release }: PackReplacement,
): Promise<void> {
  const path = packFile(packId);
  const temporary = temporaryPath(path, lock);
  await disk.remove(temporary);
  try {
    await writeCompacted(disk, temporary, packId, needed, work);
    await release();
    await disk.rename(temporary, path);
  } catch (error) {
    // A leftover is harmless: the next attempt removes it first.
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
}

async function writeCompacted(
  disk: Disk,
  temporary: string,
  packId: number,
  needed: NeededPackRecords,
  work: YieldOptions,
): Promise<void> {
  const pack = await OpenPack.open(disk, packId);
  try {
    const ends = await tableOf(pack, packId, needed, work);
    const file = await disk.open(temporary, "create");
    try {
      await file.append(ends.head);
      await copyRecords(pack, file, packId, needed, work);
      await file.append(ends.tail);
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await pack.close();
  }
}

async function tableOf(
  pack: OpenPack,
  packId: number,
  needed: NeededPackRecords,
  work: YieldOptions,
): Promise<PackEnds> {
  const table = new PackTableWriter();
  for (const records of needed.stretches()) {
    for (const record of records) {
      if (record.firstOffset < table.end || needed.isContradictory) throw contradiction(packId, record);
      pack.positionOf(record.firstOffset, record.bytes);
      table.add(record);
    }
    await work.pause();
  }
  return table.finish(packId);
}

async function copyRecords(
  pack: OpenPack,
  file: DiskFile,
  packId: number,
  needed: NeededPackRecords,
  work: YieldOptions,
): Promise<void> {
  let unsynced = 0;
  for (const records of needed.stretches()) {
    const bytes = await readRecords(pack, packId, records);
    await file.append(bytes);
    unsynced += bytes.length;
    if (unsynced >= SYNC_EVERY_BYTES) {
      await file.sync();
      unsynced = 0;
    }
    await work.pause();
  }
}

/** Reads nearby records and concatenates their bytes. Checks the checksum of each. */
async function readRecords(
  pack: OpenPack,
  packId: number,
  records: readonly PackedRecord[],
): Promise<Uint8Array> {
  const start = records[0]?.firstOffset ?? 0;
  const last = records.at(-1);
  const span = await pack.readSpan(start, (last?.firstOffset ?? start) + (last?.bytes ?? 0) - start);
  const bytes = new Uint8Array(records.reduce((sum, record) => sum + record.bytes, 0));
  let end = 0;
  for (const record of records) {
    const from = record.firstOffset - start;
    const found = span.subarray(from, from + record.bytes);
    if (wholeRecord(found, record.firstOffset, packId) === undefined) {
      const context = { path: packFile(packId), offset: record.firstOffset };
      throw new OrthantError("ORT_CHECKSUM", "a record that is needed is damaged", context);
    }
    bytes.set(found, end);
    end += record.bytes;
  }
  return bytes;
}

function contradiction(packId: number, { firstOffset, bytes }: PackedRecord): OrthantError {
  const detail = `a record of ${bytes} bytes that overlaps another one`;
  return new OrthantError("ORT_RECORD", detail, { path: packFile(packId), offset: firstOffset });
}
