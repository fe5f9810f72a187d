import type { Disk } from "@orthant/disk";
import { readWhole } from "@orthant/disk/files";
import { pageFile } from "../codec/file-names.ts";
import type { PageReader } from "./leaf-index.ts";
import { decodeLinked } from "./page-codec.ts";

/** Reads pages from the disk of a save. Fully checks each of them, also against its link. */
export function pageReader(disk: Disk): PageReader {
  return async (link) => {
    const path = pageFile(link);
    return decodeLinked(path, await readWhole(disk, path, link.bytes), link);
  };
}
