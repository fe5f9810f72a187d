import { OrthantError } from "@orthant/core";
import { crc32, decode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { atFile, readWhole } from "@orthant/disk/files";
import { pageFile } from "../codec/files.ts";
import { indexHeader } from "../codec/layout.ts";
import { flatIndexPayloadFile } from "../codec/payload-file.ts";
import { decodeIndexFile } from "./index-file.ts";
import { type IndexVersion, isPageVersion } from "./leaf-entry.ts";
import { LeafIndex, type PageReader } from "./leaf-index.ts";
import { decodeLinked, decodeRoot } from "./page-codec.ts";

/** A decoded index. */
export interface ReadIndex {
  readonly generation: number;
  readonly index: LeafIndex;
  readonly indexVersion: IndexVersion;
}

/** Reads an index file. `read` loads its pages when they are needed. Throws `ORT_DIALECT` for a flat save. */
export function readIndexFile(path: string, bytes: Uint8Array, read: PageReader): ReadIndex {
  if (atFile({ path }, () => isFlatIndex(bytes))) {
    const detail =
      "a flat save of Polychora, which has to be converted first: with orthant convert, or convertFlatSave";
    throw new OrthantError("ORT_DIALECT", detail, { path });
  }
  if (isPageVersion(versionOfIndex(bytes))) {
    const { version, generation, root, totals } = decodeRoot(path, bytes);
    return { generation, index: LeafIndex.over(root, totals, read), indexVersion: version };
  }
  const { version, generation, leaves } = decodeIndexFile(path, bytes);
  return { generation, index: LeafIndex.of(leaves), indexVersion: version };
}

/** Throws `ORT_GENERATION` unless an index belongs to the requested generation. */
export function requireGeneration(path: string, index: ReadIndex, generation: number): void {
  if (index.generation === generation) return;
  const detail = `the index is of generation ${index.generation}, not ${generation}`;
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

/** Reads pages from the disk of a save. Fully checks each of them, also against its link. */
export function pageReader(disk: Disk): PageReader {
  return async (link) => {
    const path = pageFile(link);
    return decodeLinked(path, await readWhole(disk, path, link.bytes), link);
  };
}

const FLAT_INDEX_VERSION = 1;
const { header: flatIndexHeader } = flatIndexPayloadFile;

/**
 * Returns whether an index file is one of the original program, which has the same magic and version numbers.
 * A flat index is exactly as long as its header says. An index of ours can have that length by chance, if its
 * generation equals its length; then the checksums decide. Rule S9. Throws if the file is not an index.
 */
export function isFlatIndex(bytes: Uint8Array): boolean {
  const { version, payloadBytes, payloadCrc32 } = decode(
    flatIndexHeader,
    bytes.subarray(0, flatIndexHeader.bytes),
  );
  if (version !== FLAT_INDEX_VERSION) return false;
  const payload = bytes.subarray(flatIndexHeader.bytes);
  if (payload.length === payloadBytes && crc32(payload) === payloadCrc32) return true;
  if (isWholeTree(bytes)) return false;
  // Damaged either way. A tree stores the high half of its generation where a flat index has its checksum.
  return payload.length === payloadBytes || payloadCrc32 !== 0;
}

/** Returns the version of an index file, which must be at least as long as a flat header. */
function versionOfIndex(bytes: Uint8Array): number {
  return decode(flatIndexHeader, bytes.subarray(0, flatIndexHeader.bytes)).version;
}

function isWholeTree(bytes: Uint8Array): boolean {
  if (bytes.length < indexHeader.bytes) return false;
  // Does not decode the header: in a flat index the generation there is not a safe integer.
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(indexHeader.offsets.payloadCrc32, true) === crc32(bytes.subarray(indexHeader.bytes));
}
