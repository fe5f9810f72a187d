import { decodeUtf8, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { decodeAt } from "@orthant/disk/files";
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
} from "../layout.ts";
import { type BlockKind, type BlockKinds, blockKinds } from "../records/blocks.ts";
import { type BlockAddress, describeAddress, type StoredPointer } from "../records/pointer.ts";
import { FileShelf } from "./file-shelf.ts";
import { readStringAt } from "./string-file.ts";

/** Covers most blocks, so that one read is enough for them. */
const READ_AHEAD_BYTES = 256;

/** A block and its bytes. */
export interface ReadBlock<Value> {
  readonly value: Value;
  readonly bytes: Uint8Array;
}

/** The files of a save in one dialect. Reads blocks on demand and caches none. */
export class SaveFiles {
  readonly dialect: MarsMinerDialect;
  readonly kinds: BlockKinds;
  /** Sizes of the blobs from 0 on. Blobs after a gap in the numbers are ignored. */
  readonly blobBytes: readonly number[];
  readonly #shelf: FileShelf;

  private constructor(dialect: MarsMinerDialect, shelf: FileShelf, blobBytes: readonly number[]) {
    this.dialect = dialect;
    this.kinds = blockKinds(dialect);
    this.#shelf = shelf;
    this.blobBytes = blobBytes;
  }

  /** Lists the files. Throws `ORT_NOT_FOUND` without a first blob. */
  static async open(disk: Disk, dialect: MarsMinerDialect): Promise<SaveFiles> {
    const blobs = await countBlobs(disk);
    const shelf = new FileShelf(disk);
    try {
      const blobBytes: number[] = [];
      for (let blob = 0; blob < Math.max(1, blobs); blob++) blobBytes.push(await shelf.size(blobFile(blob)));
      return new SaveFiles(dialect, shelf, blobBytes);
    } catch (error) {
      await shelf.close();
      throw error;
    }
  }

  /** Reads the first bytes of the first blob. */
  async readHeader(): Promise<MarsMinerHeader> {
    const struct = headerStruct(this.dialect);
    const path = blobFile(0);
    const bytes = await this.#shelf.read(path, 0, struct.bytes);
    const header = decodeAt({ path }, struct, bytes);
    if (header.version !== 0) {
      throw new OrthantError("ORT_VERSION", `version ${header.version}, known is 0`, { path, offset: 0 });
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
    const ahead = await this.#shelf.read(
      path,
      offset,
      Math.min(available, READ_AHEAD_BYTES + kind.headBytes),
    );
    const length = kind.bytesOf(ahead.subarray(0, kind.headBytes));
    requireBytes(kind, length, available, path, offset);
    const bytes =
      length <= ahead.length ? ahead.subarray(0, length) : await this.#shelf.read(path, offset, length);
    return { bytes, value: decodeAt({ path, origin: offset, what: kind.name }, kind, bytes) };
  }

  /** Reads the text of a string pointer in the blob `home`; `undefined` for null. Rules M12, M13. */
  async readString(pointer: StoredPointer, home: number): Promise<string | undefined> {
    if (pointer.kind === "null") return undefined;
    if (DIALECT_TRAITS[this.dialect].strings === "file") {
      return readStringAt(this.#shelf, (pointer as StoredPointer & { kind: "local" }).address);
    }
    const address = await this.resolve(pointer, home);
    if (address === undefined) return undefined;
    const { value } = await this.readBlock(this.kinds.string, address);
    return value === undefined ? undefined : textOf(value, address);
  }

  /** Returns the size of the file of strings; 0 without one. */
  stringsBytes(): Promise<number> {
    return this.#shelf.sizeOrZero(STRINGS_FILE);
  }

  /** Returns the size of the file of pointers; 0 without one. */
  pointersBytes(): Promise<number> {
    return this.#shelf.sizeOrZero(POINTERS_FILE);
  }

  /** Reads raw bytes of any file. */
  read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#shelf.read(path, offset, length);
  }

  /** Closes the files. Closing twice is harmless. */
  close(): Promise<void> {
    return this.#shelf.close();
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
    const bytes = await this.#shelf.read(POINTERS_FILE, start, pointerRecord.bytes);
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
