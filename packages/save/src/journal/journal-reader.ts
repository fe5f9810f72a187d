import { isOrthantError, OrthantError } from "@orthant/core";
import type { ByteReader, Codec } from "@orthant/core/bytes";
import type { Disk, DiskFile } from "@orthant/disk";
import { decodeAt, type Finding, findingOf, noticeOf } from "@orthant/disk/files";
import type { Manifest } from "../codec/manifest.ts";
import { readManifest } from "../read/reader.ts";
import type { SaveState } from "../read/save.ts";
import { type JournalEntry, journalEntryCodec } from "./journal-entry.ts";
import { JOURNAL_FOLDER, parseSegmentName, type SegmentId, segmentFile } from "./journal-layout.ts";
import { type ScannedSegment, scanSegment } from "./segment-scan.ts";

/** The changes in a journal since a generation. */
export interface ScannedJournal {
  /** Every segment of this generation or a later one, in order. */
  readonly segments: readonly ScannedSegment[];
  /** Files of past generations and openings, which are no longer needed. */
  readonly stale: readonly string[];
  /** Files that are not segments. */
  readonly strangers: readonly string[];
  /** The first fault. */
  readonly damage: OrthantError | undefined;
  /** Number of segments before the damage, including one that ends in it. Later ones must not be replayed. */
  readonly readable: number;
}

/** The parts of the live generation that its journal needs. */
export interface JournalBase extends Pick<SaveState, "generation" | "global"> {
  readonly manifest: Pick<Manifest, "journalEpoch">;
}

interface OpenSegment {
  readonly id: SegmentId;
  readonly file: DiskFile;
}

type OpenScanned = ScannedSegment & OpenSegment;

/**
 * Maximum scans of a journal that seems damaged at a different offset each time, because its writer outpaces
 * us.
 */
const LOOKS_MAX = 16;

/** Number of bytes of a segment held in memory at once. */
const PIECE_BYTES = 1024 * 1024;

/**
 * The journal of a generation. Its files stay open until it is closed, so that they can be read even after a
 * writer has removed them.
 */
export class JournalReader {
  /** Result of the scan at opening. */
  readonly found: ScannedJournal;
  readonly #generation: number;
  readonly #files: readonly OpenSegment[];
  /** The segments before the damage. */
  readonly #readable: readonly OpenScanned[];

  private constructor(found: ScannedJournal, segments: readonly OpenScanned[], generation: number) {
    this.found = found;
    this.#generation = generation;
    this.#files = segments;
    this.#readable = segments.slice(0, found.readable);
  }

  /** Opens all relevant files and verifies all checksums. Rules J3, J5, J6, J22 and J23. */
  static async open(disk: Disk, base: JournalBase): Promise<JournalReader> {
    const { ids, ...others } = await listJournal(disk, base);
    const files: OpenSegment[] = [];
    try {
      for (const id of ids) files.push({ id, file: await disk.open(segmentFile(id), "read") });
      const scan = await scanSteadily(files, base);
      return new JournalReader({ ...scan, ...others }, scan.segments, base.generation);
    } catch (error) {
      await closeAll(files);
      throw error;
    }
  }

  /** Number of groups before the damage. */
  get groups(): number {
    return this.#readable.reduce((sum, { groups }) => sum + groups.length, 0);
  }

  /** Segments that the generation does not include, of openings that its description does not name. */
  get unknownSegments(): readonly string[] {
    return this.found.stale.filter((path) => {
      const id = parseSegmentName(path.slice(JOURNAL_FOLDER.length + 1));
      return id !== undefined && id.generation >= this.#generation;
    });
  }

  /** Yields every entry up to the damage, group by group, in order. */
  async *entries(volume: number): AsyncGenerator<readonly JournalEntry[]> {
    const codec = groupCodec(volume);
    for (const { id, file, groups } of this.#readable) {
      const path = segmentFile(id);
      for (const { offset, bytes } of groups) {
        const payload = await file.readAt(offset, bytes);
        yield decodeGroup(() => decodeAt({ path, origin: offset }, codec, payload));
      }
    }
  }

  /** Returns the number of entries up to the damage. */
  async countEntries(volume: number): Promise<number> {
    let count = 0;
    for await (const { length } of this.entries(volume)) count += length;
    return count;
  }

  /** Bytes of all groups up to the damage, including the headers of their segments. */
  get bytes(): number {
    return this.#readable.reduce((sum, { end }) => sum + end, 0);
  }

  /**
   * Copies the groups up to the damage to another disk. Everything is then durable except the name of the
   * folder. Rule J19.
   */
  async copyTo(target: Disk): Promise<void> {
    if (this.bytes === 0) return;
    await target.makeDirectory(JOURNAL_FOLDER);
    for (const { id, file, end } of this.#readable) {
      if (end > 0) await copyBeginning(file, target, segmentFile(id), end);
    }
    await target.syncDirectory(JOURNAL_FOLDER);
  }

  /** Closes the files. */
  close(): Promise<void> {
    return closeAll(this.#files);
  }
}

/** Lists and classifies the files in the journal's folder. */
async function listJournal(
  disk: Disk,
  { generation, global }: JournalBase,
): Promise<Pick<ScannedJournal, "stale" | "strangers"> & { readonly ids: readonly SegmentId[] }> {
  const ids: SegmentId[] = [];
  const stale: string[] = [];
  const strangers: string[] = [];
  const last = global.description.epochs.at(-1);
  for (const name of await journalNames(disk)) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined) strangers.push(`${JOURNAL_FOLDER}/${name}`);
    else if (last !== undefined && parsed.epoch === last.number && parsed.generation >= generation)
      ids.push({ ...parsed, epochId: last.id });
    else stale.push(`${JOURNAL_FOLDER}/${name}`);
  }
  return { ids, stale, strangers };
}

/** Returns the names in the journal's folder; none if the folder does not exist. */
async function journalNames(disk: Disk): Promise<readonly string[]> {
  try {
    const entries = await disk.list(JOURNAL_FOLDER);
    return entries.filter(({ kind }) => kind === "file").map(({ name }) => name);
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    throw error;
  }
}

interface Scan extends Pick<ScannedJournal, "damage" | "readable"> {
  readonly segments: readonly OpenScanned[];
}

/**
 * Scans again after a fault until it occurs twice at the same offset: the world may be open, and a bad group
 * before a good one may have been a write in progress.
 */
async function scanSteadily(files: readonly OpenSegment[], base: JournalBase): Promise<Scan> {
  let scan = await scanAll(files, base);
  for (let look = 1; look < LOOKS_MAX && scan.damage !== undefined; look++) {
    const before = scan.damage;
    scan = await scanAll(files, base);
    if (scan.damage?.message === before.message) break;
  }
  return scan;
}

/** Scans all segments. Names have a fixed number of digits, so their order is that of the generations. */
async function scanAll(files: readonly OpenSegment[], base: JournalBase): Promise<Scan> {
  const segments: OpenScanned[] = [];
  const { generation, manifest } = base;
  const isBound = manifest.journalEpoch !== undefined;
  let damage = isBound && files[0]?.id.generation !== generation ? missing(base) : undefined;
  let readable = 0;
  for (const { id, file } of files) {
    const before = segments.at(-1);
    const isFirst = id.generation === generation;
    const isRequired = isBound && (isFirst || isContinuedBy(before, id));
    const segment = await scanSegment(file, id, isRequired ? "required" : isBound ? "bound" : "unknown");
    const gap = isFirst ? undefined : (findLost(before, id) ?? findGap(before, segment));
    if (damage === undefined && gap === undefined) readable++;
    damage ??= gap ?? segment.damage;
    segments.push({ ...segment, file });
  }
  return { segments, damage: damage ?? findLost(segments.at(-1), undefined), readable };
}

/** Returns the error for a segment that the manifest declares but that is missing. Rule J22. */
function missing({ generation, manifest: { journalEpoch: epoch = 0 } }: JournalBase): OrthantError {
  const path = segmentFile({ generation, epoch });
  const detail = `the journal of generation ${generation} is missing, and with it what came after that generation`;
  return new OrthantError("ORT_JOURNAL", detail, { path });
}

function isContinuedBy(before: ScannedSegment | undefined, { generation }: SegmentId): boolean {
  return before?.isContinued === true && before.id.generation === generation - 1;
}

/**
 * Returns an error if a segment ends in a mark that declares a successor, and that one is missing. Rule J23.
 */
function findLost(before: ScannedSegment | undefined, next: SegmentId | undefined): OrthantError | undefined {
  if (before?.isContinued !== true || (next !== undefined && isContinuedBy(before, next))) return undefined;
  const path = segmentFile({ ...before.id, generation: before.id.generation + 1 });
  return new OrthantError("ORT_JOURNAL", "the journal goes on in a segment that is missing", { path });
}

/** A segment is begun after the previous one is finished, and states how many groups that has. */
function findGap(
  before: ScannedSegment | undefined,
  { id, header }: ScannedSegment,
): OrthantError | undefined {
  if (header === undefined) return undefined;
  const found = before?.id.generation === id.generation - 1 ? before.groups.length : 0;
  if (header.groupsBefore === found) return undefined;
  const path = segmentFile({ ...id, generation: id.generation - 1 });
  const detail = `${header.groupsBefore} groups were written to the journal and ${found} are there`;
  return new OrthantError("ORT_JOURNAL", detail, { path });
}

/**
 * Copies the first `length` bytes of an open file to a new file on another disk and syncs it. The name is not
 * durable yet.
 */
async function copyBeginning(from: DiskFile, target: Disk, path: string, length: number): Promise<void> {
  const to = await target.open(path, "create");
  try {
    for (let offset = 0; offset < length; offset += PIECE_BYTES) {
      await to.append(await from.readAt(offset, Math.min(PIECE_BYTES, length - offset)));
    }
    await to.sync();
  } finally {
    await to.close();
  }
}

async function closeAll(files: readonly OpenSegment[]): Promise<void> {
  for (const { file } of files) await file.close();
}

function groupCodec(volume: number): Codec<readonly JournalEntry[]> {
  const codec = journalEntryCodec(volume);
  return {
    write(out, entries) {
      for (const entry of entries) codec.write(out, entry);
    },
    read(input: ByteReader) {
      const entries: JournalEntry[] = [];
      while (input.remaining > 0) entries.push(codec.read(input));
      return entries;
    },
  };
}

/** Bytes with a correct checksum that cannot be decoded were written by a newer or faulty program. */
function decodeGroup<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (!isOrthantError(cause)) throw cause;
    throw new OrthantError("ORT_JOURNAL", `a group means nothing: ${cause.detail}`, cause.context, { cause });
  }
}

/**
 * Opens the journal of the live generation beside a writer, which removes a segment once a later generation
 * contains it. Returns `undefined` if that has happened and the journal no longer belongs to this generation.
 */
export async function openLiveJournal(disk: Disk, base: JournalBase): Promise<JournalReader | undefined> {
  const isLive = async (): Promise<boolean> => {
    const { currentGeneration, journalEpoch } = (await readManifest(disk)).manifest;
    // A writer that closes removes the journal from the manifest first, then its files.
    return currentGeneration === base.generation && journalEpoch === base.manifest.journalEpoch;
  };
  try {
    const journal = await JournalReader.open(disk, base);
    // Checked when all files are open: they all existed as long as there was no later generation.
    if (await isLive()) return journal;
    await journal.close();
  } catch (error) {
    if (!isOrthantError(error) || (await isLive())) throw error;
  }
  return undefined;
}

/**
 * Returns the findings for the journal of the live generation. Never throws because of a journal's content.
 */
export async function verifyJournal(disk: Disk, base: JournalBase): Promise<readonly Finding[]> {
  try {
    const journal = await openLiveJournal(disk, base);
    // A writer has committed since, so the journal belongs to a generation that is not being verified.
    if (journal === undefined) return [];
    try {
      return await findingsIn(journal, base);
    } finally {
      await journal.close();
    }
  } catch (error) {
    // A segment that existed a moment ago has been saved and removed.
    if (isOrthantError(error, "ORT_NOT_FOUND")) return [];
    if (isOrthantError(error)) return [findingOf(error, JOURNAL_FOLDER, base.generation)];
    throw error;
  }
}

async function findingsIn(
  journal: JournalReader,
  { generation, global }: JournalBase,
): Promise<readonly Finding[]> {
  const { damage, segments, stale, strangers } = journal.found;
  const entries = await journal.countEntries(global.description.chunkShape.volume);
  const waiting = `${entries} changes since generation ${generation}: open the world to save them`;
  return [
    ...(damage === undefined ? [] : [findingOf(damage, JOURNAL_FOLDER, generation)]),
    ...(entries === 0 ? [] : [noticeOf(JOURNAL_FOLDER, waiting)]),
    ...segments
      .filter(({ tornBytes, damage }) => tornBytes > 0 && damage === undefined)
      .map(({ id, tornBytes }) =>
        noticeOf(segmentFile(id), `${tornBytes} bytes of a write that was cut off`),
      ),
    ...stale.map((path) => noticeOf(path, "a journal that is saved, or of another opening")),
    ...strangers.map((path) => noticeOf(path, "a file that is not part of the journal")),
  ];
}
