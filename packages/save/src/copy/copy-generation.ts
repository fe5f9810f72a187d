import { isOrthantError, OrthantError } from "@orthant/core";
import { callback, checkedOptions, whole } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { atFile, fileSize, readWhole, requireDisk } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { type GenerationFiles, generationFiles, pageFile } from "../codec/files.ts";
import { type GlobalRecord, globalRecordCodec } from "../codec/global-record.ts";
import { DATA_FOLDER, INDEX_FOLDER, MANIFEST_BYTES_MAX, MANIFEST_FILE, packHeader } from "../codec/layout.ts";
import {
  bindingOf,
  decodeManifest,
  encodeManifest,
  encodePlainManifest,
  type Manifest,
  packListOf,
  packListText,
  requireSameWorld,
  withoutJournal,
} from "../codec/manifest.ts";
import { globalPayloadFile, requireSealed } from "../codec/payload-file.ts";
import { swapManifest, writeGenerationFiles, writePage } from "../commit/commit-sequence.ts";
import { requireEmptyFolder } from "../commit/folder.ts";
import { type JournalBase, JournalReader, openLiveJournal } from "../journal/journal-reader.ts";
import { readIndexFile, requireGeneration } from "../leaves/index-reader.ts";
import type { LeafIndex, PageReader } from "../leaves/leaf-index.ts";
import { decodeLinked } from "../leaves/page-codec.ts";
import { PackReader } from "../pack/pack-reader.ts";
import { readGlobal, readIndex, readPlayers } from "../read/reader.ts";
import { recordsOf } from "../read/world-records.ts";
import { GenerationVerifier } from "../verify/generation-verifier.ts";
import { closePackCopies, openPackCopies, type PackCopy, writePackCopies } from "./pack-copies.ts";

/** Result of copying a generation. */
export interface CopiedGeneration {
  readonly generation: number;
  readonly packs: number;
  /** Number of later changes copied with the journal. */
  readonly changes: number;
  readonly bytes: number;
}

/** Options for copying a generation. */
export interface CopyGenerationOptions {
  /**
   * A generation that still exists, copied without a journal. Default: the one that the manifest names, with
   * its journal.
   */
  readonly generation?: number;
  /** Called once with the number of bytes to copy. */
  readonly onTotal?: (bytes: number) => void;
}

/** An attempt fails only if a writer commits twice while three small files are opened. */
const ATTEMPTS_MAX = 100;

/**
 * Copies one committed generation, byte for byte, to an empty disk. Another process may keep committing and
 * compacting: the packs are opened before they can be removed, and stay as they were. The live generation is
 * copied with the content of its journal. The copy is read back and verified before its manifest is written
 * last, so an interrupted copy is not a save. Throws the first fault if the generation or its journal is
 * damaged. Rules S52 and J19.
 */
export async function copyGeneration(
  disk: Disk,
  target: Disk,
  options: CopyGenerationOptions = {},
): Promise<CopiedGeneration> {
  requireDisk("disk", disk);
  requireDisk("target", target);
  const checked = checkedOptions("the options", options, {
    generation: whole(0),
    onTotal: callback,
  });
  await requireEmptyFolder(target);
  const source = await gatherSteadily(disk, new PageCopier(disk, target), checked.generation);
  try {
    return await copySource(target, source, checked);
  } finally {
    await closePackCopies(source.packs);
    await source.journal?.close();
  }
}

async function copySource(
  target: Disk,
  source: Source,
  options: CopyGenerationOptions,
): Promise<CopiedGeneration> {
  const { manifest, files, packs, pageBytes, journal } = source;
  const packBytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  const fileBytes = Object.values(files).reduce((sum, { length }) => sum + length, 0);
  const bytes = pageBytes + fileBytes + packBytes + source.manifestBytes.length + (journal?.bytes ?? 0);
  options.onTotal?.(bytes);
  await target.makeDirectory(INDEX_FOLDER);
  await target.makeDirectory(DATA_FOLDER);
  await writePackCopies(packs, target);
  await target.syncDirectory(DATA_FOLDER);
  // Comes first: writing the generation syncs the root, which also makes the name of the journal's folder
  // durable.
  await journal?.copyTo(target);
  await writeGenerationFiles(target, manifest, files);
  const changes = await requireWhole(target, manifest);
  await swapManifest(target, source.manifestBytes);
  return { generation: manifest.currentGeneration, packs: packs.length, changes, bytes };
}

/** A generation with its packs open. Its pages are already copied. */
interface Source {
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  readonly files: Readonly<Record<keyof GenerationFiles, Uint8Array>>;
  readonly packs: readonly PackCopy[];
  readonly pageBytes: number;
  /** Changes after the live generation; `undefined` if not requested. */
  readonly journal: JournalReader | undefined;
}

/** Starts over with the newer generation if files of this one were retired before they were opened. */
async function gatherSteadily(
  disk: Disk,
  pages: PageCopier,
  generation: number | undefined,
): Promise<Source> {
  for (let attempts = 1; ; attempts++) {
    const read = await readManifestBytes(disk);
    try {
      const source = await gather(disk, pages, read, generation);
      if (generation !== undefined) return { ...source, journal: undefined };
      const journal = await journalOf(disk, source);
      if (journal !== undefined) return { ...source, journal };
    } catch (error) {
      if (!isOrthantError(error, "ORT_NOT_FOUND") || attempts === ATTEMPTS_MAX) throw error;
      const now = await readManifestBytes(disk);
      if (now.manifest.currentGeneration === read.manifest.currentGeneration) throw error;
    }
  }
}

/**
 * Opens the journal of the gathered generation. If a commit intervened and there is none, closes the packs
 * and returns `undefined`.
 */
async function journalOf(
  disk: Disk,
  { packs, global, manifest }: Gathered,
): Promise<JournalReader | undefined> {
  let journal: JournalReader | undefined;
  try {
    const found = await openLiveJournal(disk, { generation: manifest.currentGeneration, global, manifest });
    journal = found && (await requireUndamaged(found));
    return journal;
  } finally {
    if (journal === undefined) await closePackCopies(packs);
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
): Promise<{ readonly manifest: Manifest; readonly hasChecksum: boolean; readonly bytes: Uint8Array }> {
  const bytes = await readWhole(disk, MANIFEST_FILE, MANIFEST_BYTES_MAX);
  return { ...atFile({ path: MANIFEST_FILE }, () => decodeManifest(bytes)), bytes };
}

interface Gathered extends Omit<Source, "journal"> {
  readonly global: GlobalRecord;
}

async function gather(
  disk: Disk,
  pages: PageCopier,
  { manifest: live, hasChecksum, bytes }: Awaited<ReturnType<typeof readManifestBytes>>,
  wanted: number | undefined,
): Promise<Gathered> {
  const generation = wanted ?? live.currentGeneration;
  const isLive = generation === live.currentGeneration;
  const { indexFile, globalFile, playersFile } = isLive ? live : generationFiles(generation);
  const names: GenerationFiles = { indexFile, globalFile, playersFile };
  const files = {
    indexFile: await readWhole(disk, names.indexFile),
    globalFile: await readWhole(disk, names.globalFile),
    playersFile: await readWhole(disk, names.playersFile),
  };
  const index = readIndexFile(names.indexFile, files.indexFile, pages.read);
  requireGeneration(names.indexFile, index, generation);
  const global = globalPayloadFile.decode(names.globalFile, globalRecordCodec, files.globalFile);
  requireSameWorld(names.globalFile, global, live.worldId);
  requireSealed(names.playersFile, files.playersFile, global.playersSeal);
  const { pageBytes, packLengths: leafLengths } = await pages.copyAll(index.index);
  const packLengths = withRecords(leafLengths, await worldRecords(disk, names, global));
  const activeDataFileId = isLive ? live.activeDataFileId : global.nextDataFileId - 1;
  const packs = await openPacks(disk, names, withActivePack(packLengths, activeDataFileId));
  const dataFiles = hasChecksum || live.dataFiles !== undefined ? packListOf(packLengths.keys()) : undefined;
  const isJournalKept = wanted === undefined || live.journalEpoch === undefined;
  if (isLive && isJournalKept && isSameList(live.dataFiles, dataFiles))
    return { manifest: live, manifestBytes: bytes, files, packs, pageBytes, global };
  const manifest: Manifest = {
    // A generation requested by number is copied without its journal.
    ...(isJournalKept ? live : withoutJournal(live)),
    ...names,
    currentGeneration: generation,
    lastModifiedMs: global.lastModifiedMs,
    activeDataFileId,
    dataFileCount: isLive ? live.dataFileCount : activeDataFileId,
    ...(hasChecksum && bindingOf(files, global)),
    ...(dataFiles && { dataFiles }),
  };
  const manifestBytes = hasChecksum ? encodeManifest(manifest) : encodePlainManifest(manifest);
  return { manifest, manifestBytes, files, packs, pageBytes, global };
}

/** Reads which records the world as a whole needs. Throws `ORT_NOT_FOUND` if the generation was retired meanwhile. */
async function worldRecords(
  disk: Disk,
  { indexFile }: GenerationFiles,
  global: GlobalRecord,
): Promise<readonly RecordRef[]> {
  const packReader = new PackReader(disk);
  try {
    return await recordsOf(packReader, global);
  } catch (error) {
    await fileSize(disk, indexFile);
    throw error;
  } finally {
    await packReader.release();
  }
}

/** Returns the lengths that packs need to have these records too. */
function withRecords(
  lengths: ReadonlyMap<number, number>,
  refs: readonly RecordRef[],
): ReadonlyMap<number, number> {
  const all = new Map(lengths);
  for (const ref of refs) addRecord(all, ref);
  return all;
}

function addRecord(lengths: Map<number, number>, { packId, recordOffset, recordBytes }: RecordRef): void {
  lengths.set(packId, Math.max(lengths.get(packId) ?? 0, recordOffset + recordBytes));
}

function isSameList(before: Manifest["dataFiles"], after: Manifest["dataFiles"]): boolean {
  return (before && packListText(before)) === (after && packListText(after));
}

/**
 * Opens the packs. If the generation still exists afterwards, they hold all of its records, whatever happens
 * next.
 */
async function openPacks(
  disk: Disk,
  { indexFile }: GenerationFiles,
  lengths: ReadonlyMap<number, number>,
): Promise<readonly PackCopy[]> {
  const packs = await openPackCopies(disk, lengths);
  try {
    await fileSize(disk, indexFile);
    return packs;
  } catch (error) {
    await closePackCopies(packs);
    throw error;
  }
}

function withActivePack(lengths: ReadonlyMap<number, number>, activeId: number): ReadonlyMap<number, number> {
  // The active pack must exist, even if it has only a header.
  const active: readonly [number, number] = [
    activeId,
    Math.max(packHeader.bytes, lengths.get(activeId) ?? 0),
  ];
  return new Map([...lengths, active].sort(([a], [b]) => a - b));
}

/**
 * Reads all of a copy that has no manifest yet. Throws its first fault, or returns the number of journal
 * entries.
 */
async function requireWhole(target: Disk, manifest: Manifest): Promise<number> {
  const { currentGeneration: generation, limits, indexFile, globalFile, playersFile, seals } = manifest;
  const index = await readIndex(target, indexFile, seals?.indexFile);
  const global = await readGlobal(target, globalFile, seals?.globalFile);
  await readPlayers(target, playersFile, seals?.playersFile);
  const packReader = new PackReader(target);
  try {
    const chunkVolume = global.description.chunkShape.volume;
    const context = { chunkVolume, shape: undefined, limits };
    const verifier = new GenerationVerifier(packReader);
    const [fault] = [
      ...(await verifier.verifyIndex(index.index, indexFile, context, generation)),
      ...(await verifier.verifyWorldRecords(global, globalFile, generation)),
    ];
    if (fault === undefined) return await countChanges(target, { generation, global, manifest });
    const { code = "ORT_RECORD", file: path, offset, message } = fault;
    const position = offset === undefined ? { path } : { path, offset };
    throw new OrthantError(code, `the generation is damaged, so it is not copied: ${message}`, position);
  } finally {
    await packReader.release();
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

/** What a copied index refers to. */
interface CopiedIndex {
  readonly pageBytes: number;
  /** Highest offset in each pack that its leaves refer to. */
  readonly packLengths: ReadonlyMap<number, number>;
}

/**
 * Copies the pages of an index to another disk, each when it is first read. Copied pages are read from there,
 * so moving on to a newer generation only costs its changes.
 */
class PageCopier {
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
        for (const ref of [...chunkRefs, ...entityRefs]) addRecord(packLengths, ref);
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
