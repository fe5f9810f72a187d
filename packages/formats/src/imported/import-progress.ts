import { isOrthantError } from "@orthant/core";
import { ByteReader, ByteWriter, crc32, decodeUtf8, encodeUtf8 } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { readWhole } from "@orthant/disk/files";
import { openOrCreate } from "../format/files.ts";
import type { ConversionLoss } from "../format/losses.ts";

/** The file with what an unfinished conversion has done, beside the files of its save. */
const PROGRESS_FILE = "import.progress";
const PROGRESS_BYTES_MAX = 2 ** 30;
const HEAD_BYTES = 8;
/** Bytes of the number of pieces before a checkpoint. */
const PIECES_BYTES = 4;

/** What the first pass has found. */
export interface StoredCensus {
  /** What the world and the options were; for another one the conversion begins again. */
  readonly fingerprint: string;
  readonly states: readonly string[];
  readonly losses: readonly ConversionLoss[];
  readonly chunks: number;
  readonly entities: number;
  readonly savedAtMs: number;
}

/**
 * What an unfinished conversion has done: a file of records, each with its length and checksum, of which a crash costs the
 * last. The first is the census; each other one has the number of pieces that are written, and a checkpoint of the save.
 */
export class ImportProgress {
  readonly #disk: Disk;
  readonly #file: DiskFile;
  readonly census: StoredCensus | undefined;
  readonly checkpoints: readonly Uint8Array[];
  /** Number of pieces that are written. */
  readonly pieces: number;

  private constructor(disk: Disk, file: DiskFile, records: readonly Uint8Array[]) {
    this.#disk = disk;
    this.#file = file;
    const [first, ...others] = records;
    this.census = first && censusIn(first);
    this.checkpoints = others.map((record) => record.subarray(PIECES_BYTES));
    this.pieces = others.length === 0 ? 0 : new ByteReader(others.at(-1) as Uint8Array).u32();
  }

  /** Opens the progress of a conversion of the world with this fingerprint; that of another world is forgotten. */
  static async open(disk: Disk, fingerprint: string): Promise<ImportProgress> {
    const { records, bytes } = await readRecords(disk);
    const { file } = await openOrCreate(disk, PROGRESS_FILE);
    try {
      const found = new ImportProgress(disk, file, records);
      const isSame = found.census?.fingerprint === fingerprint;
      const kept = isSame ? bytes : 0;
      if ((await file.size()) > kept) await file.truncate(kept);
      await disk.syncDirectory("");
      return isSame ? found : new ImportProgress(disk, file, []);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Returns the census of the unfinished conversion on a disk; `undefined` if there is none of this world. */
  static async censusOn(disk: Disk, fingerprint: string): Promise<StoredCensus | undefined> {
    const [first] = (await readRecords(disk)).records;
    const census = first && censusIn(first);
    return census?.fingerprint === fingerprint ? census : undefined;
  }

  keepCensus(census: StoredCensus): Promise<void> {
    return this.#append(encodeUtf8(JSON.stringify(census)));
  }

  /** Notes that all pieces before this one are in a checkpoint, which is durable already. */
  keep(pieces: number, checkpoint: Uint8Array): Promise<void> {
    const out = new ByteWriter();
    out.u32(pieces);
    out.raw(checkpoint);
    return this.#append(out.copy());
  }

  /** Removes the file: the save is complete. */
  async remove(): Promise<void> {
    await this.#disk.remove(PROGRESS_FILE);
    await this.#disk.syncDirectory("");
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #append(record: Uint8Array): Promise<void> {
    const out = new ByteWriter();
    out.u32(record.length);
    out.u32(crc32(record));
    out.raw(record);
    await this.#file.append(out.copy());
    await this.#file.sync();
  }
}

function censusIn(record: Uint8Array): StoredCensus {
  return JSON.parse(decodeUtf8(record, 0, record.length) ?? "null") as StoredCensus;
}

/** Reads the whole records, and how many bytes they take. */
async function readRecords(
  disk: Disk,
): Promise<{ readonly records: readonly Uint8Array[]; readonly bytes: number }> {
  const records: Uint8Array[] = [];
  let bytes = 0;
  try {
    const file = await readWhole(disk, PROGRESS_FILE, PROGRESS_BYTES_MAX);
    while (file.length - bytes >= HEAD_BYTES) {
      const head = new ByteReader(file.subarray(bytes, bytes + HEAD_BYTES));
      const [length, checksum] = [head.u32(), head.u32()];
      const record = file.subarray(bytes + HEAD_BYTES, bytes + HEAD_BYTES + length);
      // A crash may leave zeros at the end, which would be an empty record with the right checksum.
      if (length === 0 || record.length < length || crc32(record) !== checksum) break;
      records.push(record);
      bytes += HEAD_BYTES + length;
    }
  } catch (error) {
    if (!isOrthantError(error, "ORT_NOT_FOUND")) throw error;
  }
  return { records, bytes };
}
