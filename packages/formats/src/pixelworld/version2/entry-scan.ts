import { isOrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { entryHeader } from "../layout.ts";
import { decodeEntry, decodeEntryHeader, type Entry } from "./entry.ts";

/** What a scan finds: entries whose checksums are right, and bytes between them that are none. */
export type ScannedPiece =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "gap"; readonly offset: number; readonly bytes: number };

const WINDOW_BYTES = 1_048_576;
const MAGIC = Uint8Array.from("PXEN", (letter) => letter.charCodeAt(0));
/** Bytes of payloads that may be checked in vain, for each byte that is scanned: a hostile file may have headers everywhere. */
const WORK_FACTOR = 8;

/**
 * Walks over a file from one entry to the next, and over bytes that are none to the next entry. An entry names the
 * offset that it was written at, so one inside another, or of another file, is not taken for one.
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

/** The length of what looks like an entry. */
async function entryBytesAt(window: ScanWindow, offset: number, size: number): Promise<number | undefined> {
  if (size - offset < entryHeader.bytes) return undefined;
  const header = await window.bytes(offset, entryHeader.bytes);
  const found = attempt(() => decodeEntryHeader(header, offset));
  return found === undefined || found.bytes > size - offset ? undefined : found.bytes;
}

async function wholeEntry(window: ScanWindow, offset: number, bytes: number): Promise<Entry | undefined> {
  const read = await window.bytes(offset, bytes);
  // A copy: the window moves on.
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
    // What is no entry is a gap.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/** Reads ahead, so that small entries do not cost a call each. */
class ScanWindow {
  readonly #file: DiskFile;
  readonly #size: number;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(file: DiskFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** A view that is good until the next call. */
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
