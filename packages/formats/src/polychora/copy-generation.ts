import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { LeafVerifier } from "./care/verify-leaves.ts";
import { atFile } from "./files/at-file.ts";
import { swapManifest, writeGenerationFiles } from "./files/commit-sequence.ts";
import { copyBeginning } from "./files/copy-beginning.ts";
import { requireEmptyFolder } from "./files/empty-folder.ts";
import { type GenerationFiles, generationFiles, packFile } from "./files/file-names.ts";
import { PackShelf } from "./files/pack-shelf.ts";
import { readWhole } from "./files/read-whole.ts";
import { readIndexFile, requireGeneration } from "./index-reader.ts";
import { type JournalBase, JournalReader } from "./journal/journal-reader.ts";
import { openLiveJournal } from "./journal/live-journal.ts";
import {
  DATA_FOLDER,
  globalHeader,
  INDEX_FOLDER,
  MANIFEST_BYTES_MAX,
  MANIFEST_FILE,
  packHeader,
} from "./layout.ts";
import { globalOfPayload, readGlobal, readIndex, readPlayers } from "./reader.ts";
import type { GlobalRecord } from "./records/global-record.ts";
import type { LeafEntry } from "./records/leaf-entry.ts";
import { decodeManifest, encodeManifest, encodeUnsealedManifest, type Manifest } from "./records/manifest.ts";
import { payloadOfFile } from "./records/payload-file.ts";
import { allLeaves } from "./tree-index/leaf-index.ts";
import { pageReader } from "./tree-index/page-reader.ts";

/** What was copied. */
export interface CopiedGeneration {
  readonly generation: number;
  readonly packs: number;
  /** Changes since then that were copied with the journal. */
  readonly changes: number;
  readonly bytes: number;
}

/** What to copy, and who wants to know. */
export interface CopyGenerationOptions {
  /** One that is still there, and nothing else; without it, the one that the manifest names, and its journal. */
  readonly generation?: number;
  /** Told once how many bytes there are to copy. */
  readonly onTotal?: (bytes: number) => void;
}

/** A writer has to commit twice while three small files are opened for an attempt to fail. */
const ATTEMPTS_MAX = 100;

/**
 * Copies one committed generation, byte for byte, to a disk with nothing on it. Another process may go on committing
 * meanwhile: what the generation needs of the packs never changes. The live one is copied with what its journal has. The
 * copy is read again and proven before it gets its manifest, which comes last, so that a copy that was cut off is no
 * save. When the generation or its journal is damaged this throws what is wrong with it. Rules S52 and J19.
 */
export async function copyGeneration(
  disk: Disk,
  target: Disk,
  options: CopyGenerationOptions = {},
): Promise<CopiedGeneration> {
  await requireEmptyFolder(target);
  const source = await gatherSteadily(disk, options.generation);
  try {
    return await copySource(disk, target, source, options);
  } finally {
    await source.journal?.close();
  }
}

async function copySource(
  disk: Disk,
  target: Disk,
  source: Source,
  options: CopyGenerationOptions,
): Promise<CopiedGeneration> {
  const { manifest, files, journal } = source;
  const fileBytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
  const packBytes = [...source.packLengths.values()].reduce((sum, length) => sum + length, 0);
  const bytes = fileBytes + packBytes + source.manifestBytes.length + (journal?.bytes ?? 0);
  options.onTotal?.(bytes);
  await target.makeDirectory(INDEX_FOLDER);
  await target.makeDirectory(DATA_FOLDER);
  for (const [packId, length] of source.packLengths) await copyPack(disk, target, packFile(packId), length);
  await target.syncDirectory(DATA_FOLDER);
  // Before these, whose sync of the root also makes the name of the journal's folder durable.
  await journal?.copyTo(target);
  await writeGenerationFiles(target, manifest, files);
  const changes = await requireWhole(target, manifest);
  await swapManifest(target, source.manifestBytes);
  return { generation: manifest.currentGeneration, packs: source.packLengths.size, changes, bytes };
}

/** Everything about a generation but what is in its packs. */
interface Source {
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  readonly files: Readonly<Record<keyof GenerationFiles, Uint8Array>>;
  /** How far into each pack the generation refers. */
  readonly packLengths: ReadonlyMap<number, number>;
  /** What the live generation lacks; `undefined` when it was not asked for. */
  readonly journal: JournalReader | undefined;
}

/** Starts over with the newer generation when files of this one were retired before they were open. */
async function gatherSteadily(disk: Disk, generation: number | undefined): Promise<Source> {
  for (let attempts = 1; ; attempts++) {
    const read = await readManifestBytes(disk);
    try {
      const source = await gather(disk, read, generation);
      if (generation !== undefined) return { ...source, journal: undefined };
      const journal = await openLiveJournal(disk, { ...source, generation: read.manifest.currentGeneration });
      if (journal !== undefined) return { ...source, journal: await requireUndamaged(journal) };
    } catch (error) {
      if (!isOrthantError(error, "ORT_NOT_FOUND") || attempts === ATTEMPTS_MAX) throw error;
      const now = await readManifestBytes(disk);
      if (now.manifest.currentGeneration === read.manifest.currentGeneration) throw error;
    }
  }
}

async function requireUndamaged(journal: JournalReader): Promise<JournalReader> {
  const { damage } = journal.found;
  if (damage === undefined) return journal;
  await journal.close();
  const advice = "name the generation to copy it without what came after it";
  throw new OrthantError(damage.code, `${damage.detail}; ${advice}`, damage.context, { cause: damage });
}

async function readManifestBytes(
  disk: Disk,
): Promise<{ readonly manifest: Manifest; readonly sealed: boolean; readonly bytes: Uint8Array }> {
  const bytes = await readWhole(disk, MANIFEST_FILE, MANIFEST_BYTES_MAX);
  return { ...atFile({ path: MANIFEST_FILE }, () => decodeManifest(bytes)), bytes };
}

async function gather(
  disk: Disk,
  { manifest: live, sealed, bytes }: Awaited<ReturnType<typeof readManifestBytes>>,
  wanted: number | undefined,
): Promise<Omit<Source, "journal"> & { readonly global: GlobalRecord }> {
  const generation = wanted ?? live.currentGeneration;
  const isLive = generation === live.currentGeneration;
  const names = isLive ? live : generationFiles(generation);
  const files = {
    indexFile: await readWhole(disk, names.indexFile),
    globalFile: await readWhole(disk, names.globalFile),
    playersFile: await readWhole(disk, names.playersFile),
  };
  const index = readIndexFile(names.indexFile, files.indexFile, pageReader(disk));
  requireGeneration(names.indexFile, index, generation);
  const globalPayload = payloadOfFile(names.globalFile, globalHeader, files.globalFile);
  const { global } = globalOfPayload(names.globalFile, index.dialect, globalPayload);
  if (isLive) {
    const packLengths = packLengthsOf(await allLeaves(index.index), live.activeDataFileId);
    return { manifest: live, manifestBytes: bytes, files, packLengths, global };
  }
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
  const packLengths = packLengthsOf(await allLeaves(index.index), activeDataFileId);
  return { manifest, manifestBytes, files, packLengths, global };
}

function packLengthsOf(leaves: readonly LeafEntry[], activeId: number): ReadonlyMap<number, number> {
  // The active pack has to be there, if only with its header.
  const lengths = new Map([[activeId, packHeader.bytes]]);
  for (const { blockRefs, entityRefs } of leaves) {
    for (const refs of [blockRefs, entityRefs]) {
      for (const { dataFileId, recordOffset, recordBytes } of refs) {
        lengths.set(dataFileId, Math.max(lengths.get(dataFileId) ?? 0, recordOffset + recordBytes));
      }
    }
  }
  return new Map([...lengths].sort(([a], [b]) => a - b));
}

async function copyPack(disk: Disk, target: Disk, path: string, length: number): Promise<void> {
  const from = await disk.open(path, "read");
  try {
    await copyBeginning(from, target, path, length);
  } finally {
    await from.close();
  }
}

/** Reads all of a copy that has no manifest yet; throws what is wrong with it, or gives how much its journal has. */
async function requireWhole(target: Disk, manifest: Manifest): Promise<number> {
  const { currentGeneration: generation, limits, indexFile, globalFile, playersFile } = manifest;
  const index = await readIndex(target, indexFile);
  const { global } = await readGlobal(target, globalFile, index.dialect);
  await readPlayers(target, playersFile, index.dialect);
  const shelf = new PackShelf(target);
  try {
    const chunkVolume = global.description.chunkShape.volume;
    const context = { dialect: index.dialect, chunkVolume, limits };
    const [fault] = await new LeafVerifier(shelf).verify(await allLeaves(index.index), context, generation);
    if (fault === undefined) return await countChanges(target, { generation, global });
    const { code = "ORT_RECORD", file: path, offset, message } = fault;
    const place = offset === undefined ? { path } : { path, offset };
    throw new OrthantError(code, `the generation is damaged, so it is not copied: ${message}`, place);
  } finally {
    await shelf.release();
  }
}

async function countChanges(target: Disk, base: JournalBase): Promise<number> {
  const journal = await JournalReader.open(target, base);
  try {
    return await journal.countEntries(base.global.description.chunkShape.volume);
  } finally {
    await journal.close();
  }
}
