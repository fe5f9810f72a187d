import { type ByteReader, type Codec, isOrthantError, OrthantError } from "@orthant/core";
import type { Disk, DiskFile } from "@orthant/disk";
import { decodeAt } from "../../files/at-file.ts";
import { copyBeginning } from "../files/copy-beginning.ts";
import type { Manifest } from "../records/manifest.ts";
import type { SaveState } from "../save.ts";
import { type JournalEntry, journalEntryCodec } from "./journal-entry.ts";
import { JOURNAL_FOLDER, parseSegmentName, type SegmentId, segmentFile } from "./journal-layout.ts";
import { type ScannedSegment, scanSegment } from "./segment-scan.ts";

/** What a journal holds that a generation does not. */
export interface ScannedJournal {
  /** Every segment that belongs to the generation or a later one, in their order. */
  readonly segments: readonly ScannedSegment[];
  /** Files of generations and openings that are past. Nobody needs them. */
  readonly stale: readonly string[];
  /** Files that are no segments. */
  readonly strangers: readonly string[];
  /** The first thing that is wrong. */
  readonly damage: OrthantError | undefined;
  /** How many of the segments come before the damage, or end in it: what follows must not be made. */
  readonly readable: number;
}

/** The live generation, as far as its journal has to know it. */
export interface JournalBase extends Pick<SaveState, "generation" | "global"> {
  readonly manifest: Pick<Manifest, "journalEpoch">;
}

interface OpenSegment {
  readonly id: SegmentId;
  readonly file: DiskFile;
}

type OpenScanned = ScannedSegment & OpenSegment;

/** How often a journal is looked at that seems damaged, each time at another place: its writer is faster than we are. */
const LOOKS_MAX = 16;

/**
 * The journal beside a generation. Its files stay open until it is closed, so that what was found can be read also when
 * a writer has removed them since.
 */
export class JournalReader {
  /** What was found when it was opened. */
  readonly found: ScannedJournal;
  readonly #files: readonly OpenSegment[];
  /** Those before the damage. */
  readonly #readable: readonly OpenScanned[];

  private constructor(found: ScannedJournal, segments: readonly OpenScanned[]) {
    this.found = found;
    this.#files = segments;
    this.#readable = segments.slice(0, found.readable);
  }

  /** Opens all files that count, and proves all checksums. Rules J3, J5, J6, J22 and J23. */
  static async open(disk: Disk, base: JournalBase): Promise<JournalReader> {
    const { ids, ...others } = await listJournal(disk, base);
    const files: OpenSegment[] = [];
    try {
      for (const id of ids) files.push({ id, file: await disk.open(segmentFile(id), "read") });
      const scan = await scanSteadily(files, base);
      return new JournalReader({ ...scan, ...others }, scan.segments);
    } catch (error) {
      await closeAll(files);
      throw error;
    }
  }

  /** How many groups there are before the damage. */
  get groups(): number {
    return this.#readable.reduce((sum, { groups }) => sum + groups.length, 0);
  }

  /** Every entry up to the damage, group by group, in the order in which things happened. */
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

  /** How many entries these are. */
  async countEntries(volume: number): Promise<number> {
    let count = 0;
    for await (const { length } of this.entries(volume)) count += length;
    return count;
  }

  /** Bytes of all groups up to the damage, with the headers of their segments. */
  get bytes(): number {
    return this.#readable.reduce((sum, { end }) => sum + end, 0);
  }

  /** Copies these groups to another disk. All is durable then but the name of the folder. Rule J19. */
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

/** The files in the journal's folder, sorted out. */
async function listJournal(
  disk: Disk,
  { generation, global }: JournalBase,
): Promise<Pick<ScannedJournal, "stale" | "strangers"> & { readonly ids: readonly SegmentId[] }> {
  const ids: SegmentId[] = [];
  const stale: string[] = [];
  const strangers: string[] = [];
  const era = global.description.lineage.at(-1);
  for (const name of await journalNames(disk)) {
    const parsed = parseSegmentName(name);
    if (parsed === undefined) strangers.push(`${JOURNAL_FOLDER}/${name}`);
    else if (era !== undefined && parsed.epoch === era.epoch && parsed.generation >= generation)
      ids.push({ ...parsed, mark: era.mark });
    else stale.push(`${JOURNAL_FOLDER}/${name}`);
  }
  return { ids, stale, strangers };
}

/** The names in the journal's folder; none when there is no such folder. */
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
 * Looks again when something is wrong, until it is wrong at the same place twice: a world may be open, and what seemed
 * to be a bad group with a good one behind it was being written when we came by.
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

/** Walks over all segments; names have a fixed number of digits, so that their order is that of the generations. */
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

/** What is wrong when the manifest says that there is a segment, and there is none. Rule J22. */
function missing({ generation, manifest: { journalEpoch: epoch = 0 } }: JournalBase): OrthantError {
  const path = segmentFile({ generation, epoch });
  const detail = `the journal of generation ${generation} is missing, and with it what came after that generation`;
  return new OrthantError("ORT_JOURNAL", detail, { path });
}

function isContinuedBy(before: ScannedSegment | undefined, { generation }: SegmentId): boolean {
  return before?.isContinued === true && before.id.generation === generation - 1;
}

/** What is wrong when a segment ends in a mark that says that another one follows, and that one is missing. Rule J23. */
function findLost(before: ScannedSegment | undefined, next: SegmentId | undefined): OrthantError | undefined {
  if (before?.isContinued !== true || (next !== undefined && isContinuedBy(before, next))) return undefined;
  const path = segmentFile({ ...before.id, generation: before.id.generation + 1 });
  return new OrthantError("ORT_JOURNAL", "the journal goes on in a segment that is missing", { path });
}

/** A segment is begun when the one before it is finished, and says how many groups that has. */
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

/** Bytes whose checksum is right and that mean nothing were written so: by a newer program, or a faulty one. */
function decodeGroup<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (!isOrthantError(cause)) throw cause;
    throw new OrthantError("ORT_JOURNAL", `a group means nothing: ${cause.detail}`, cause.context, { cause });
  }
}
