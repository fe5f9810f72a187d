import { isOrthantError, OrthantError } from "@orthant/core";
import { ByteReader, decodeUtf8 } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { atFile, decodeAt } from "@orthant/disk/files";
import { type BlockKind, type BlockKinds, blockKinds } from "./blocks.ts";
import {
  blobFile,
  DIALECT_TRAITS,
  headerStruct,
  type MarsMinerDialect,
  type MarsMinerHeader,
  POINTERS_FILE,
  parseBlobFile,
  pointerRecord,
  pointersHead,
  STRING_BYTES_MAX,
  STRINGS_FILE,
  stringsHead,
} from "./layout.ts";
import { type BlockAddress, describeAddress, type StoredPointer } from "./pointer.ts";

/** Covers most blocks, so that one read is enough for them. */
const READ_AHEAD_BYTES = 256;

/** A block and its bytes. */
interface ReadBlock<Value> {
  readonly value: Value;
  readonly bytes: Uint8Array;
}

/** The files of a save in one dialect. Reads blocks on demand and caches none. */
export class SaveFiles {
  readonly dialect: MarsMinerDialect;
  readonly kinds: BlockKinds;
  /** Sizes of the blobs from 0 on. Blobs after a gap in the numbers are ignored. */
  readonly blobBytes: readonly number[];
  readonly #packReader: OpenFiles;

  private constructor(dialect: MarsMinerDialect, packReader: OpenFiles, blobBytes: readonly number[]) {
    this.dialect = dialect;
    this.kinds = blockKinds(dialect);
    this.#packReader = packReader;
    this.blobBytes = blobBytes;
  }

  /** Lists the files. Throws `ORT_NOT_FOUND` without a first blob. */
  static async open(disk: Disk, dialect: MarsMinerDialect): Promise<SaveFiles> {
    const blobs = await countBlobs(disk);
    const packReader = new OpenFiles(disk);
    try {
      const blobBytes: number[] = [];
      for (let blob = 0; blob < Math.max(1, blobs); blob++)
        blobBytes.push(await packReader.size(blobFile(blob)));
      return new SaveFiles(dialect, packReader, blobBytes);
    } catch (error) {
      await packReader.close();
      throw error;
    }
  }

  /** Reads the first bytes of the first blob. */
  async readHeader(): Promise<MarsMinerHeader> {
    const struct = headerStruct(this.dialect);
    const path = blobFile(0);
    const bytes = await this.#packReader.read(path, 0, struct.bytes);
    const header = decodeAt({ path }, struct, bytes);
    if (header.version !== 0) {
      throw new OrthantError("ORT_VERSION", `unsupported version ${header.version} (expected 0)`, {
        path,
        offset: 0,
      });
    }
    return header;
  }

  /** Returns the target of a pointer in the blob `home`; `undefined` for null. Rules M6 to M8. */
  async resolve(pointer: StoredPointer, home: number): Promise<BlockAddress | undefined> {
    if (pointer.kind === "null") return undefined;
    const address = await this.#target(pointer, home);
    const size = this.blobBytes[address.blob];
    const headerBytes = headerStruct(this.dialect).bytes;
    if (size === undefined || address.offset < headerBytes || address.offset >= size) {
      const what = size === undefined ? "a blob that is not there" : `a blob of ${size} bytes`;
      throw new OrthantError("ORT_POINTER", `a pointer leads to ${describeAddress(address)}, in ${what}`, {
        path: blobFile(home),
      });
    }
    return address;
  }

  /** Like {@link resolve}, for a pointer that must not be null. */
  async target(pointer: StoredPointer, home: number, what: string): Promise<BlockAddress> {
    const address = await this.resolve(pointer, home);
    if (address !== undefined) return address;
    throw new OrthantError("ORT_POINTER", `null where ${what} has to be`, { path: blobFile(home) });
  }

  /** Reads the block at an address. Throws `ORT_TRUNCATED` if it extends past the end of its blob. */
  async readBlock<Value>(kind: BlockKind<Value>, { blob, offset }: BlockAddress): Promise<ReadBlock<Value>> {
    const path = blobFile(blob);
    const available = (this.blobBytes[blob] ?? 0) - offset;
    requireBytes(kind, kind.headBytes, available, path, offset);
    const ahead = await this.#packReader.read(
      path,
      offset,
      Math.min(available, READ_AHEAD_BYTES + kind.headBytes),
    );
    const length = kind.bytesOf(ahead.subarray(0, kind.headBytes));
    requireBytes(kind, length, available, path, offset);
    const bytes =
      length <= ahead.length ? ahead.subarray(0, length) : await this.#packReader.read(path, offset, length);
    return { bytes, value: decodeAt({ path, origin: offset, what: kind.name }, kind, bytes) };
  }

  /** Reads the text of a string pointer in the blob `home`; `undefined` for null. Rules M12, M13. */
  async readString(pointer: StoredPointer, home: number): Promise<string | undefined> {
    if (pointer.kind === "null") return undefined;
    if (DIALECT_TRAITS[this.dialect].strings === "file") {
      return readStringAt(this.#packReader, (pointer as StoredPointer & { kind: "local" }).address);
    }
    const address = await this.resolve(pointer, home);
    if (address === undefined) return undefined;
    const { value } = await this.readBlock(this.kinds.string, address);
    return value === undefined ? undefined : textOf(value, address);
  }

  /** Returns the size of the file of strings; 0 without one. */
  stringsBytes(): Promise<number> {
    return this.#packReader.sizeOrZero(STRINGS_FILE);
  }

  /** Returns the size of the file of pointers; 0 without one. */
  pointersBytes(): Promise<number> {
    return this.#packReader.sizeOrZero(POINTERS_FILE);
  }

  /** Reads raw bytes of any file. */
  read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#packReader.read(path, offset, length);
  }

  /** Closes the files. Closing twice is harmless. */
  close(): Promise<void> {
    return this.#packReader.close();
  }

  async #target(pointer: Exclude<StoredPointer, { kind: "null" }>, home: number): Promise<BlockAddress> {
    if (pointer.kind === "local") return { blob: home, offset: pointer.address };
    if (pointer.kind === "global") return { blob: pointer.blob, offset: pointer.address };
    const start = pointersHead.bytes + pointer.index * pointerRecord.bytes;
    const size = await this.pointersBytes();
    if (start + pointerRecord.bytes > size) {
      const count = Math.max(0, Math.floor((size - pointersHead.bytes) / pointerRecord.bytes));
      throw new OrthantError("ORT_POINTER", `a pointer to record ${pointer.index} of ${count}`, {
        path: POINTERS_FILE,
        offset: start,
      });
    }
    const bytes = await this.#packReader.read(POINTERS_FILE, start, pointerRecord.bytes);
    const { blob, address } = decodeAt({ path: POINTERS_FILE, origin: start }, pointerRecord, bytes);
    return { blob, offset: address };
  }
}

async function countBlobs(disk: Disk): Promise<number> {
  const found = new Set<number>();
  for (const { name } of await disk.list("")) {
    const blob = parseBlobFile(name);
    if (blob !== undefined) found.add(blob);
  }
  let count = 0;
  while (found.has(count)) count++;
  return count;
}

function requireBytes(
  { name }: { readonly name: string },
  needed: number,
  available: number,
  path: string,
  offset: number,
): void {
  if (needed <= available) return;
  throw new OrthantError("ORT_TRUNCATED", `${name}: need ${needed} bytes, have ${available}`, {
    path,
    offset,
  });
}

function textOf(bytes: Uint8Array, { blob, offset }: BlockAddress): string {
  const context = { path: blobFile(blob), offset };
  if (bytes.length > STRING_BYTES_MAX) {
    throw new OrthantError("ORT_LIMIT", `a string of ${bytes.length} bytes`, context);
  }
  const text = decodeUtf8(bytes, 0, bytes.length);
  if (text === undefined)
    throw new OrthantError("ORT_UTF8", `${bytes.length} bytes that are not UTF-8`, context);
  return text;
}

/** Longest length prefix that the original writes, for lengths up to 2^31 - 1. */
const LENGTH_BYTES_MAX = 5;
/** Names are short: one read is enough for most. */
const NAME_READ_AHEAD_BYTES = 64;

/**
 * Reads the string at an address of the file of strings. Rule M12: addresses are followed, the file is not
 * walked.
 */
async function readStringAt(packReader: OpenFiles, address: number): Promise<string> {
  const size = await packReader.size(STRINGS_FILE);
  const context = { path: STRINGS_FILE, offset: address };
  if (address < stringsHead.bytes || address >= size) {
    throw new OrthantError("ORT_POINTER", `a string at ${address} of ${size} bytes`, context);
  }
  const available = size - address;
  const ahead = await packReader.read(STRINGS_FILE, address, Math.min(available, NAME_READ_AHEAD_BYTES));
  const { prefixBytes, length } = readLength(ahead, address);
  if (length > STRING_BYTES_MAX) {
    throw new OrthantError(
      "ORT_LIMIT",
      `a string of ${length} bytes, at most ${STRING_BYTES_MAX} are read`,
      context,
    );
  }
  const end = prefixBytes + length;
  if (end > available) {
    throw new OrthantError(
      "ORT_TRUNCATED",
      `a string of ${length} bytes in ${available - prefixBytes}`,
      context,
    );
  }
  const bytes = end <= ahead.length ? ahead : await packReader.read(STRINGS_FILE, address, end);
  const text = decodeUtf8(bytes, prefixBytes, length);
  if (text === undefined) throw new OrthantError("ORT_UTF8", `${length} bytes that are not UTF-8`, context);
  return text;
}

/**
 * Counts the strings stored back to back after the head; `undefined` if the walk does not end at the end of
 * the file.
 */
export function countStrings(file: Uint8Array): number | undefined {
  let count = 0;
  let offset = stringsHead.bytes;
  while (offset < file.length) {
    const input = new ByteReader(file.subarray(offset, offset + LENGTH_BYTES_MAX), { dialect: "foreign" });
    try {
      offset += input.varU32() + input.offset;
    } catch {
      // Not a length: the walk is out of step, which is all the caller needs to know.
      return undefined;
    }
    count++;
  }
  return offset === file.length ? count : undefined;
}

function readLength(
  bytes: Uint8Array,
  origin: number,
): { readonly prefixBytes: number; readonly length: number } {
  return atFile({ path: STRINGS_FILE, what: "the length of a string" }, () => {
    const input = new ByteReader(bytes.subarray(0, LENGTH_BYTES_MAX), { dialect: "foreign", origin });
    const length = input.varU32();
    return { prefixBytes: input.offset, length };
  });
}

interface OpenFile {
  readonly file: DiskFile;
  /** Size when the file was opened. Bytes that a writer adds later are ignored. */
  readonly bytes: number;
}

/** Files of a save opened for reading, each on first use. */
class OpenFiles {
  readonly #disk: Disk;
  readonly #files = new Map<string, OpenFile>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Returns the size of a file. Throws `ORT_NOT_FOUND` if it does not exist. */
  async size(path: string): Promise<number> {
    return (await this.#open(path)).bytes;
  }

  /** Returns the size of a file; 0 if it does not exist. */
  async sizeOrZero(path: string): Promise<number> {
    try {
      return await this.size(path);
    } catch (error) {
      if (isOrthantError(error, "ORT_NOT_FOUND")) return 0;
      throw error;
    }
  }

  /** Reads exactly these bytes of a file. Throws `ORT_TRUNCATED` if it has fewer. */
  async read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.#open(path)).file.readAt(offset, length);
  }

  /** Closes the files. Closing twice is harmless. */
  async close(): Promise<void> {
    const open = [...this.#files.values()];
    this.#files.clear();
    for (const { file } of open) await file.close();
  }

  async #open(path: string): Promise<OpenFile> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = await this.#disk.open(path, "read");
    try {
      const opened = { file, bytes: await file.size() };
      this.#files.set(path, opened);
      return opened;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
