import { ByteWriter, isOrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { FILE_VERSION, packHeader } from "../layout.ts";
import { packFile } from "./file-names.ts";
import { OpenPack } from "./open-pack.ts";

/** Bytes of a pack that are in memory at once. */
const PIECE_BYTES = 1024 * 1024;

/** A pack to be copied: the file that had its name when it was opened, whatever has the name now. */
interface PackCopy {
  readonly packId: number;
  /** `undefined` when there is none, and nobody refers to anything in it. */
  readonly pack: OpenPack | undefined;
  readonly bytes: number;
}

/** Packs that were opened to be copied. What is compacted or removed from then on does not disturb them. */
export class PackCopies {
  readonly #copies: readonly PackCopy[];

  private constructor(copies: readonly PackCopy[]) {
    this.#copies = copies;
  }

  /**
   * Opens packs, each with the offset behind the last record that is needed of it. One without any may be gone; the
   * copy then has an empty one.
   */
  static async open(disk: Disk, ends: ReadonlyMap<number, number>): Promise<PackCopies> {
    const copies: PackCopy[] = [];
    try {
      for (const [packId, end] of ends) copies.push(await openCopy(disk, packId, end));
      return new PackCopies(copies);
    } catch (error) {
      await new PackCopies(copies).close();
      throw error;
    }
  }

  /** How many packs there are. */
  get count(): number {
    return this.#copies.length;
  }

  /** Bytes of all copies. */
  get bytes(): number {
    return this.#copies.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Writes the copies, durably but for their names. */
  async writeTo(target: Disk): Promise<void> {
    for (const copy of this.#copies) {
      const file = await target.open(packFile(copy.packId), "create");
      try {
        await writeCopy(copy, file);
        await file.sync();
      } finally {
        await file.close();
      }
    }
  }

  /** Closes the packs. */
  async close(): Promise<void> {
    for (const { pack } of this.#copies) await pack?.close();
  }
}

async function openCopy(disk: Disk, packId: number, end: number): Promise<PackCopy> {
  try {
    // A pack with a damaged header is copied as it is: whoever proves the copy says what is wrong with it.
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
