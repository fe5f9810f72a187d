import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { IndexVerifier } from "./care/verify-index.ts";
import { LeafVerifier } from "./care/verify-leaves.ts";
import { atFile } from "./files/at-file.ts";
import { swapManifest, writeGenerationFiles } from "./files/commit-sequence.ts";
import { requireEmptyFolder } from "./files/empty-folder.ts";
import { type GenerationFiles, generationFiles } from "./files/file-names.ts";
import { PackCopies } from "./files/pack-copies.ts";
import { PackShelf } from "./files/pack-shelf.ts";
import { PageCopier } from "./files/page-copier.ts";
import { readWhole, sizeOf } from "./files/read-whole.ts";
import { readIndexFile, requireGeneration } from "./index-reader.ts";
import { DATA_FOLDER, INDEX_FOLDER, MANIFEST_BYTES_MAX, MANIFEST_FILE, packHeader } from "./layout.ts";
import { readGlobal, readIndex, readPlayers } from "./reader.ts";
import { decodeManifest, encodeManifest, encodeUnsealedManifest, type Manifest } from "./records/manifest.ts";

/** What was copied. */
export interface CopiedGeneration {
  readonly generation: number;
  readonly packs: number;
  readonly bytes: number;
}

/** What to copy, and who wants to know. */
export interface CopyGenerationOptions {
  /** One that is still there; without it, the one that the manifest names. */
  readonly generation?: number;
  /** Told once how many bytes there are to copy. */
  readonly onTotal?: (bytes: number) => void;
}

/** A writer has to commit twice while three small files are opened for an attempt to fail. */
const ATTEMPTS_MAX = 100;

/**
 * Copies one committed generation, byte for byte, to a disk with nothing on it. Another process may go on committing
 * and compacting meanwhile: the packs are open before it is too late, and stay as they were. The copy is read again and proven before it gets
 * its manifest, which comes last, so that a copy that was cut off is no save. When the generation itself is damaged
 * this throws what is wrong with it. Rule S52.
 */
export async function copyGeneration(
  disk: Disk,
  target: Disk,
  options: CopyGenerationOptions = {},
): Promise<CopiedGeneration> {
  await requireEmptyFolder(target);
  const pages = new PageCopier(disk, target);
  const source = await gatherSteadily(disk, pages, options.generation);
  const { manifest, files } = source;
  const fileBytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
  const bytes = source.pageBytes + fileBytes + source.packs.bytes + source.manifestBytes.length;
  options.onTotal?.(bytes);
  await target.makeDirectory(INDEX_FOLDER);
  await target.makeDirectory(DATA_FOLDER);
  try {
    await source.packs.writeTo(target);
  } finally {
    await source.packs.close();
  }
  await target.syncDirectory(DATA_FOLDER);
  await writeGenerationFiles(target, manifest, files);
  await requireWhole(target, manifest);
  await swapManifest(target, source.manifestBytes);
  return { generation: manifest.currentGeneration, packs: source.packs.count, bytes };
}

/** Everything about a generation, with its packs open. Its pages are copied already. */
interface Source {
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  readonly files: Readonly<Record<keyof GenerationFiles, Uint8Array>>;
  readonly packs: PackCopies;
  readonly pageBytes: number;
}

/** Starts over with the newer generation when files of this one were retired before they were open. */
async function gatherSteadily(
  disk: Disk,
  pages: PageCopier,
  generation: number | undefined,
): Promise<Source> {
  for (let attempts = 1; ; attempts++) {
    const read = await readManifestBytes(disk);
    try {
      return await gather(disk, pages, read, generation);
    } catch (error) {
      if (!isOrthantError(error, "ORT_NOT_FOUND") || attempts === ATTEMPTS_MAX) throw error;
      const now = await readManifestBytes(disk);
      if (now.manifest.currentGeneration === read.manifest.currentGeneration) throw error;
    }
  }
}

async function readManifestBytes(
  disk: Disk,
): Promise<{ readonly manifest: Manifest; readonly sealed: boolean; readonly bytes: Uint8Array }> {
  const bytes = await readWhole(disk, MANIFEST_FILE, MANIFEST_BYTES_MAX);
  return { ...atFile({ path: MANIFEST_FILE }, () => decodeManifest(bytes)), bytes };
}

async function gather(
  disk: Disk,
  pages: PageCopier,
  { manifest: live, sealed, bytes }: Awaited<ReturnType<typeof readManifestBytes>>,
  wanted: number | undefined,
): Promise<Source> {
  const generation = wanted ?? live.currentGeneration;
  const isLive = generation === live.currentGeneration;
  const names = isLive ? live : generationFiles(generation);
  const files = {
    indexFile: await readWhole(disk, names.indexFile),
    globalFile: await readWhole(disk, names.globalFile),
    playersFile: await readWhole(disk, names.playersFile),
  };
  const index = readIndexFile(names.indexFile, files.indexFile, pages.read);
  requireGeneration(names.indexFile, index, generation);
  const { pageBytes, packLengths } = await pages.copyAll(index.index);
  if (isLive) {
    const packs = await openPacks(disk, names, withActivePack(packLengths, live.activeDataFileId));
    return { manifest: live, manifestBytes: bytes, files, packs, pageBytes };
  }
  const { global } = await readGlobal(disk, names.globalFile, index.dialect);
  const activeDataFileId = global.nextDataFileId - 1;
  const manifest: Manifest = {
    ...live,
    ...names,
    currentGeneration: generation,
    lastModifiedMs: global.lastModifiedMs,
    activeDataFileId,
    dataFileCount: activeDataFileId,
  };
  const manifestBytes = sealed ? encodeManifest(manifest) : encodeUnsealedManifest(manifest);
  const packs = await openPacks(disk, names, withActivePack(packLengths, activeDataFileId));
  return { manifest, manifestBytes, files, packs, pageBytes };
}

/** A generation that is still there once its packs are open has all of its records in them, whatever comes then. */
async function openPacks(
  disk: Disk,
  { indexFile }: GenerationFiles,
  packLengths: ReadonlyMap<number, number>,
): Promise<PackCopies> {
  const packs = await PackCopies.open(disk, packLengths);
  try {
    await sizeOf(disk, indexFile);
    return packs;
  } catch (error) {
    await packs.close();
    throw error;
  }
}

function withActivePack(lengths: ReadonlyMap<number, number>, activeId: number): ReadonlyMap<number, number> {
  // The active pack has to be there, if only with its header.
  const active: readonly [number, number] = [
    activeId,
    Math.max(packHeader.bytes, lengths.get(activeId) ?? 0),
  ];
  return new Map([...lengths, active].sort(([a], [b]) => a - b));
}

/** Reads all of a copy that has no manifest yet, and throws the first thing that is wrong with it. */
async function requireWhole(target: Disk, manifest: Manifest): Promise<void> {
  const { currentGeneration: generation, limits, indexFile, globalFile, playersFile } = manifest;
  const index = await readIndex(target, indexFile);
  const { global } = await readGlobal(target, globalFile, index.dialect);
  await readPlayers(target, playersFile, index.dialect);
  const shelf = new PackShelf(target);
  try {
    const chunkVolume = global.description.chunkShape.volume;
    const context = { dialect: index.dialect, chunkVolume, limits };
    const verifier = new IndexVerifier(new LeafVerifier(shelf));
    const [fault] = await verifier.verify(index.index, indexFile, context, generation);
    if (fault === undefined) return;
    const { code = "ORT_RECORD", file: path, offset, message } = fault;
    const place = offset === undefined ? { path } : { path, offset };
    throw new OrthantError(code, `the generation is damaged, so it is not copied: ${message}`, place);
  } finally {
    await shelf.release();
  }
}
