import type { Disk } from "@orthant/disk";
import { INDEX_FOLDER, MANIFEST_FILE, TEMPORARY_SUFFIX } from "../layout.ts";
import type { GenerationFiles } from "./file-names.ts";
import { writeTemporary } from "./write-temporary.ts";

/** The bytes of a generation's three files. */
export type GenerationBytes = Readonly<Record<keyof GenerationFiles, Uint8Array>>;

/**
 * Writes the files of a generation, which no manifest names yet. They get their names only when they are whole,
 * and when this returns neither names nor content can be lost. Rule S44.
 */
export async function writeGenerationFiles(
  disk: Disk,
  files: GenerationFiles,
  bytes: GenerationBytes,
): Promise<void> {
  const parts = ["indexFile", "globalFile", "playersFile"] as const;
  for (const part of parts) await writeTemporary(disk, files[part], bytes[part]);
  for (const part of parts) await disk.rename(files[part] + TEMPORARY_SUFFIX, files[part]);
  await disk.syncDirectory(INDEX_FOLDER);
  await disk.syncDirectory("");
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
