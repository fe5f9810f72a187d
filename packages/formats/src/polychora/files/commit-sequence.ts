import type { Disk } from "@orthant/disk";
import { TEMPORARY_SUFFIX, writeTemporary } from "../../files/write-temporary.ts";
import { INDEX_FOLDER, MANIFEST_FILE } from "../layout.ts";
import type { NewPage } from "../tree-index/page-writer.ts";
import type { GenerationFiles } from "./file-names.ts";

/** The bytes of a generation's three files. */
export type GenerationBytes = Readonly<Record<keyof GenerationFiles, Uint8Array>>;

/**
 * Writes the files of a generation, which no manifest names yet, and the pages of its index that are new. They get
 * their names only when they are whole, and when this returns neither names nor content can be lost. Rule S44.
 */
export async function writeGenerationFiles(
  disk: Disk,
  files: GenerationFiles,
  bytes: GenerationBytes,
  pages: readonly NewPage[] = [],
): Promise<void> {
  const parts = ["indexFile", "globalFile", "playersFile"] as const;
  const all = [...pages, ...parts.map((part) => ({ path: files[part], bytes: bytes[part] }))];
  for (const file of all) await writeTemporary(disk, file.path, file.bytes);
  for (const { path } of all) await disk.rename(path + TEMPORARY_SUFFIX, path);
  await disk.syncDirectory(INDEX_FOLDER);
  await disk.syncDirectory("");
}

/** Writes a page that no other file leads to yet, durably but for the name. */
export async function writePage(disk: Disk, { path, bytes }: NewPage): Promise<void> {
  await writeTemporary(disk, path, bytes);
  await disk.rename(path + TEMPORARY_SUFFIX, path);
}

/**
 * The commit point: until the rename is durable a reader sees the old generation, then the new one. Whatever the
 * manifest names has to be durable before. Rule S45.
 */
export async function swapManifest(disk: Disk, manifest: Uint8Array): Promise<void> {
  await writeTemporary(disk, MANIFEST_FILE, manifest);
  await disk.rename(MANIFEST_FILE + TEMPORARY_SUFFIX, MANIFEST_FILE);
  await disk.syncDirectory("");
}
