import type { Disk } from "@orthant/disk";
import { readWhole } from "@orthant/disk/files";
import { pageFile } from "../codec/file-names.ts";
import { INDEX_FOLDER } from "../codec/layout.ts";
import { writePage } from "../commit/commit-sequence.ts";
import type { LeafIndex, PageReader } from "./leaf-index.ts";
import { decodeLinked } from "./page-codec.ts";

/** What a copied index refers to. */
export interface CopiedIndex {
  readonly pageBytes: number;
  /** Highest offset in each pack that its leaves refer to. */
  readonly packLengths: ReadonlyMap<number, number>;
}

/**
 * Copies the pages of an index to another disk, each when it is first read. Copied pages are read from there,
 * so moving on to a newer generation only costs its changes.
 */
export class PageCopier {
  readonly #disk: Disk;
  readonly #target: Disk;
  readonly #copied = new Set<string>();

  constructor(disk: Disk, target: Disk) {
    this.#disk = disk;
    this.#target = target;
  }

  /** Reads a page and copies it. */
  readonly read: PageReader = async (link) => {
    const path = pageFile(link);
    const isCopied = this.#copied.has(path);
    const bytes = await readWhole(isCopied ? this.#target : this.#disk, path, link.bytes);
    const content = decodeLinked(path, bytes, link);
    if (!isCopied) {
      await this.#target.makeDirectory(INDEX_FOLDER);
      await writePage(this.#target, { path, bytes });
      this.#copied.add(path);
    }
    return content;
  };

  /** Copies every page of an index that reads with {@link read}, and removes other copied pages. */
  async copyAll(index: LeafIndex): Promise<CopiedIndex> {
    const needed = new Set<string>();
    const packLengths = new Map<number, number>();
    let pageBytes = 0;
    for await (const { link, leaves, error } of index.parts()) {
      if (error !== undefined) throw error;
      if (link !== undefined) {
        needed.add(pageFile(link));
        pageBytes += link.bytes;
      }
      for (const { chunkRefs, entityRefs } of leaves) {
        for (const { dataFileId, recordOffset, recordBytes } of [...chunkRefs, ...entityRefs]) {
          const end = recordOffset + recordBytes;
          packLengths.set(dataFileId, Math.max(packLengths.get(dataFileId) ?? 0, end));
        }
      }
    }
    for (const path of this.#copied) {
      if (needed.has(path)) continue;
      await this.#target.remove(path);
      this.#copied.delete(path);
    }
    return { pageBytes, packLengths };
  }
}
