import { isOrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { entryHeader } from "../layout.ts";
import { decodeEntry, decodeEntryHeader, type Entry } from "./entry.ts";

/** A piece of a scanned file: an entry with correct checksums, or bytes that belong to no entry. */
export type ScannedPiece =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "gap"; readonly offset: number; readonly bytes: number };

const WINDOW_BYTES = 1_048_576;
const MAGIC = Uint8Array.from("PXEN", (letter) => letter.charCodeAt(0));
/** Limit of payload bytes checked in vain per scanned byte: a hostile file may have headers everywhere. */
const WORK_FACTOR = 8;

/**
 * Scans a file entry by entry, and skips other bytes up to the next entry. An entry names the offset that it
 * was written at, so an entry nested in another, or copied from another file, does not count.
 */
export async function* scanEntries(file: DiskFile, from: number): AsyncGenerator<ScannedPiece> {
  const size = await file.size();
  const window = new ScanWindow(file, size);
  let work = (size - from) * WORK_FACTOR;
  let gapStart = from;
  let offset = from;
  while (offset < size) {
    const bytes = await entryBytesAt(window, offset, size);
    if (bytes !== undefined && bytes <= work) {
      const entry = await wholeEntry(window, offset, bytes);
      if (entry !== undefined) {
        if (offset > gapStart) yield { kind: "gap", offset: gapStart, bytes: offset - gapStart };
        yield { kind: "entry", entry };
        offset += bytes;
        gapStart = offset;
        continue;
      }
      work -= bytes;
    }
    offset = await nextMagic(window, offset + 1, size);
  }
  if (size > gapStart) yield { kind: "gap", offset: gapStart, bytes: size - gapStart };
}

/** Returns the length of an apparent entry at `offset`, if there is one. */
async function entryBytesAt(window: ScanWindow, offset: number, size: number): Promise<number | undefined> {
  if (size - offset < entryHeader.bytes) return undefined;
  const header = await window.bytes(offset, entryHeader.bytes);
  const found = attempt(() => decodeEntryHeader(header, offset));
  return found === undefined || found.bytes > size - offset ? undefined : found.bytes;
}

async function wholeEntry(window: ScanWindow, offset: number, bytes: number): Promise<Entry | undefined> {
  const read = await window.bytes(offset, bytes);
  // Copy, because the window moves on.
  return attempt(() => decodeEntry(read.slice(), offset));
}

async function nextMagic(window: ScanWindow, from: number, size: number): Promise<number> {
  for (let start = from; start < size; ) {
    const length = Math.min(WINDOW_BYTES, size - start);
    const bytes = await window.bytes(start, length);
    for (
      let at = bytes.indexOf(MAGIC[0] as number);
      at >= 0;
      at = bytes.indexOf(MAGIC[0] as number, at + 1)
    ) {
      if (MAGIC.every((letter, index) => at + index >= bytes.length || bytes[at + index] === letter))
        return start + at;
    }
    start += length;
  }
  return size;
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    // Bytes that are not an entry are a gap.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Reads ahead, so that small entries do not cost one read each. */
class ScanWindow {
  readonly #file: DiskFile;
  readonly #size: number;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(file: DiskFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** Returns a view that is valid until the next call. */
  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const isThere = offset >= this.#start && offset + length <= this.#start + this.#bytes.length;
    if (!isThere) {
      this.#start = offset;
      this.#bytes = await this.#file.readAt(
        offset,
        Math.min(Math.max(length, WINDOW_BYTES), this.#size - offset),
      );
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}
