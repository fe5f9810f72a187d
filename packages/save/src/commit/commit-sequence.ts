import type { Disk } from "@orthant/disk";
import { TEMPORARY_SUFFIX, temporaryPath, type WriterLock, writeTemporary } from "@orthant/disk/files";
import type { GenerationFiles } from "../codec/files.ts";
import { INDEX_FOLDER, MANIFEST_FILE } from "../codec/layout.ts";
import type { EncodedPage, NewPage } from "../leaves/page-writer.ts";

/** The bytes of a generation's three files. */
export type GenerationBytes = Readonly<Record<keyof GenerationFiles, Uint8Array>>;

/** All new files of a generation. */
interface NewGeneration {
  /** Makes the records durable that the files refer to. */
  readonly syncRecords: () => Promise<void>;
  readonly files: GenerationFiles;
  readonly bytes: GenerationBytes;
  readonly pages: readonly NewPage[];
  readonly manifest: Uint8Array;
}

/**
 * Commits a generation: makes its records durable and writes all files under temporary names, checks the lock,
 * then renames them, the manifest last. A writer that stalls may lose the lock to another process. That process removes the
 * temporary files of others before it reads the manifest, so a rename by the stalled writer either came
 * before that or fails. Rules S44, S45, S97 and S98.
 */
export async function commitGeneration(
  disk: Disk,
  { syncRecords, files, bytes, pages, manifest }: NewGeneration,
  lock?: WriterLock,
): Promise<void> {
  const named: readonly NewPage[] = [...pages, ...generationBytes(files, bytes)];
  const all: readonly NewPage[] = [...named, { path: MANIFEST_FILE, bytes: manifest }];
  try {
    await inAnyOrder([syncRecords, ...temporaryWrites(disk, all, lock)]);
  } catch (error) {
    // A full disk needs the room. The first error says more than that of a removal, and the next commit replaces a file.
    for (const { path } of all) await disk.remove(temporaryPath(path, lock)).catch(() => undefined);
    throw error;
  }
  await lock?.requireHeld();
  for (const { path } of named) await disk.rename(temporaryPath(path, lock), path);
  await inAnyOrder([() => disk.syncDirectory(INDEX_FOLDER), () => disk.syncDirectory("")]);
  await disk.rename(temporaryPath(MANIFEST_FILE, lock), MANIFEST_FILE);
  await disk.syncDirectory("");
}

/** Returns the steps that write files under temporary names. The files are durable after all of them. */
function temporaryWrites(
  disk: Disk,
  files: readonly NewPage[],
  lock: WriterLock | undefined,
): readonly (() => Promise<void>)[] {
  return files.flatMap(({ path, bytes }) =>
    bytes === undefined ? [] : [() => writeTemporary(disk, path, bytes, lock)],
  );
}

/** Steps that run at once: none needs another, and a file system makes several files durable together. */
const STEPS_AT_ONCE = 5;

/**
 * Runs steps in any order, several at once. After a failure it starts no other, and throws the first error when those
 * that were begun have ended.
 */
async function inAnyOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const waiting = steps.values();
  const failures: unknown[] = [];
  const runSome = async (): Promise<void> => {
    for (const step of waiting) {
      if (failures.length > 0) return;
      await step().catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: STEPS_AT_ONCE }, runSome));
  if (failures.length > 0) throw failures[0];
}

/**
 * Writes the files of a generation, which no manifest names yet. They are renamed only when complete; on return both
 * names and content are durable, also those of pages written before. Rule S44.
 */
export async function writeGenerationFiles(
  disk: Disk,
  files: GenerationFiles,
  bytes: GenerationBytes,
): Promise<void> {
  const all = generationBytes(files, bytes);
  for (const file of all) await writeTemporary(disk, file.path, file.bytes);
  for (const { path } of all) await disk.rename(path + TEMPORARY_SUFFIX, path);
  await disk.syncDirectory(INDEX_FOLDER);
  await disk.syncDirectory("");
}

/** Writes a page that no other file links to yet. The content is durable, the name is not. */
export async function writePage(disk: Disk, { path, bytes }: EncodedPage): Promise<void> {
  await writeTemporary(disk, path, bytes);
  await disk.rename(path + TEMPORARY_SUFFIX, path);
}

/**
 * The commit point: until the rename is durable a reader sees the old generation, then the new one.
 * Everything that the manifest names must be durable before. Rule S45.
 */
export async function swapManifest(disk: Disk, manifest: Uint8Array, lock?: WriterLock): Promise<void> {
  await writeTemporary(disk, MANIFEST_FILE, manifest, lock);
  await lock?.requireHeld();
  await disk.rename(temporaryPath(MANIFEST_FILE, lock), MANIFEST_FILE);
  await disk.syncDirectory("");
}

function generationBytes(files: GenerationFiles, bytes: GenerationBytes): readonly EncodedPage[] {
  const parts = ["indexFile", "globalFile", "playersFile"] as const;
  return parts.map((part) => ({ path: files[part], bytes: bytes[part] }));
}
