import { OrthantError } from "@orthant/core";
import { atFile } from "@orthant/disk/files";
import { isFlatIndex, versionOfIndex } from "../codec/flat-index.ts";
import type { IndexVersion } from "../codec/leaf-entry.ts";
import { decodeIndexFile } from "./index-file.ts";
import { LeafIndex, type PageReader } from "./leaf-index.ts";
import { decodeRoot, PAGE_VERSION } from "./page-codec.ts";

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
  if (versionOfIndex(bytes) === PAGE_VERSION) {
    const { generation, root, totals } = decodeRoot(path, bytes);
    return { generation, index: LeafIndex.over(root, totals, read), indexVersion: PAGE_VERSION };
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
