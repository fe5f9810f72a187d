import { isOrthantError } from "@orthant/core";
import { ByteWriter } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { packFile } from "../codec/files.ts";
import { FILE_VERSION, packHeader } from "../codec/layout.ts";
import { OpenPack } from "../pack/pack-reader.ts";

/** Number of bytes of a pack held in memory at once. */
const PIECE_BYTES = 1024 * 1024;

/**
 * A pack to copy: the file that had the name when it was opened, whatever has it now. Later compactions and removals do not
 * affect it.
 */
export interface PackCopy {
  readonly packId: number;
  /** `undefined` if it does not exist and nothing refers to it. */
  readonly pack: OpenPack | undefined;
  readonly bytes: number;
}

/**
 * Opens packs to be copied, each up to the end of the last record needed from it. A pack without needed records may be
 * missing; its copy is then empty.
 */
export async function openPackCopies(
  disk: Disk,
  ends: ReadonlyMap<number, number>,
): Promise<readonly PackCopy[]> {
  const copies: PackCopy[] = [];
  try {
    for (const [packId, end] of ends) copies.push(await openCopy(disk, packId, end));
    return copies;
  } catch (error) {
    await closePackCopies(copies);
    throw error;
  }
}

/** Writes the copies. Their content is durable, their names are not. */
export async function writePackCopies(copies: readonly PackCopy[], target: Disk): Promise<void> {
  for (const copy of copies) {
    const file = await target.open(packFile(copy.packId), "create");
    try {
      await writeCopy(copy, file);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** Closes packs that were opened to be copied. */
export async function closePackCopies(copies: readonly PackCopy[]): Promise<void> {
  for (const { pack } of copies) await pack?.close();
}

async function openCopy(disk: Disk, packId: number, end: number): Promise<PackCopy> {
  try {
    // A pack with a damaged header is copied unchanged. Verifying the copy reports the damage.
    const pack = await OpenPack.open(disk, packId, true);
    return { packId, pack, bytes: await pack.bytesUpTo(end) };
  } catch (error) {
    const isGone = isOrthantError(error, "ORT_NOT_FOUND") && end <= packHeader.bytes;
    if (!isGone) throw error;
    return { packId, pack: undefined, bytes: packHeader.bytes };
  }
}

async function writeCopy({ packId, pack, bytes }: PackCopy, file: DiskFile): Promise<void> {
  if (pack === undefined) {
    const header = new ByteWriter(packHeader.bytes);
    packHeader.write(header, { magic: "V4DT", version: FILE_VERSION, packId });
    await file.append(header.view());
    return;
  }
  for (let offset = 0; offset < bytes; offset += PIECE_BYTES) {
    await file.append(await pack.readFile(offset, Math.min(PIECE_BYTES, bytes - offset)));
  }
}
