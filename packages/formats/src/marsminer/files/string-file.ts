import { ByteReader, decodeUtf8, OrthantError } from "@orthant/core";
import { atFile } from "@orthant/disk/files";
import { STRING_BYTES_MAX, STRINGS_FILE, stringsHead } from "../layout.ts";
import type { FileShelf } from "./file-shelf.ts";

/** Longest length prefix that the original writes, for lengths up to 2^31 - 1. */
const LENGTH_BYTES_MAX = 5;
/** Names are short: one read is enough for most. */
const READ_AHEAD_BYTES = 64;

/**
 * Reads the string at an address of the file of strings. Rule M12: addresses are followed, the file is not
 * walked.
 */
export async function readStringAt(shelf: FileShelf, address: number): Promise<string> {
  const size = await shelf.size(STRINGS_FILE);
  const context = { path: STRINGS_FILE, offset: address };
  if (address < stringsHead.bytes || address >= size) {
    throw new OrthantError("ORT_POINTER", `a string at ${address} of ${size} bytes`, context);
  }
  const available = size - address;
  const ahead = await shelf.read(STRINGS_FILE, address, Math.min(available, READ_AHEAD_BYTES));
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
  const bytes = end <= ahead.length ? ahead : await shelf.read(STRINGS_FILE, address, end);
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
