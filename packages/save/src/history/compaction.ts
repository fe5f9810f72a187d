import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type Finding,
  fileSize,
  findingOf,
  isDamage,
  pathOfTemporary,
  type WriterLock,
} from "@orthant/disk/files";
import type { YieldOptions } from "../change/save-change.ts";
import { packFile, parsePackFile } from "../codec/files.ts";
import { compactedPackHeader, DATA_FOLDER, INDEX_FOLDER } from "../codec/layout.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import type { GenerationHolds, Save } from "../read/save.ts";
import { worldRecordBytes } from "../read/world-records.ts";
import { compactPack } from "./compact-pack.ts";
import { findNeededRecords, NeededPackRecords, type NeededRecords } from "./needed-records.ts";

/** A pack is rewritten if more than this share of it is dead. */
export const COMPACTION_DEAD_SHARE = 0.25;
/** Dead bytes below which a run is not worthwhile. */
const DEAD_BYTES_MIN = 1024 * 1024;
/** Growth of the packs after a run before there is another one. */
const GROWTH_SHARE = 1 / 8;
/** Table bytes per record, at both ends together. */
const TABLE_BYTES_PER_RECORD = 12;

/** Options for compaction. */
export interface CompactionOptions extends YieldOptions {
  /** Also compacts when little is dead, and every pack that shrinks by it. */
  readonly force?: boolean;
}

/** Result of a compaction. */
export interface CompactionReport {
  /** Of all packs. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly packsRewritten: number;
  readonly packsRemoved: number;
  /** Packs that were left unchanged because of damage, or the fault that kept all of them unchanged. */
  readonly findings: readonly Finding[];
}

/** Input of a run. */
export interface CompactionStart {
  /** The live generation. */
  readonly live: Save;
  /** The pack that the writer appends to. All earlier packs are final. */
  readonly activePackId: number;
  readonly activeBytes: number;
  /** Durably removes packs that no generation needs from the manifest, while no commit runs. */
  forgetPacks(packIds: readonly number[]): Promise<void>;
}

/** A running compaction. */
interface Run {
  readonly report: Promise<CompactionReport>;
  readonly isForced: boolean;
}

/** Rewrites packs without what no generation needs, while commits continue. One run at a time. */
export class Compactor {
  readonly #disk: Disk;
  readonly #packReader: PackReader;
  readonly #holds: GenerationHolds;
  readonly #lock: WriterLock | undefined;
  /** Sizes of final packs. */
  readonly #sizes = new Map<number, number>();
  /** The active pack of the last survey. Until there is another, no earlier one is new. */
  #surveyedPackId: number | undefined;
  #quietBelowBytes = 0;
  #wastefulPackId: number | undefined;
  #run: Run | undefined;
  #isClosed = false;

  constructor(disk: Disk, packReader: PackReader, holds: GenerationHolds, lock?: WriterLock) {
    this.#disk = disk;
    this.#lock = lock;
    this.#packReader = packReader;
    this.#holds = holds;
  }

  /** Returns whether the active pack has enough dead bytes for the next commit to begin a new one. */
  isWasteful(packId: number): boolean {
    return this.#wastefulPackId === packId;
  }

  /**
   * Runs a compaction, or joins the running one. A forced call joins only a forced run, because another may
   * do nothing.
   */
  async compact(
    begin: () => Promise<CompactionStart>,
    options: CompactionOptions,
  ): Promise<CompactionReport> {
    // The run's own caller receives its failure.
    while (options.force === true && this.#run?.isForced === false)
      await this.#run.report.catch(() => undefined);
    if (this.#run === undefined) {
      const report = this.#begin(begin, options).finally(() => {
        this.#run = undefined;
      });
      this.#run = { report, isForced: options.force === true };
    }
    return this.#run.report;
  }

  /** Ends a running compaction before its next slice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // The run's caller receives its failure.
    await this.#run?.report.catch(() => undefined);
  }

  async #begin(begin: () => Promise<CompactionStart>, options: CompactionOptions): Promise<CompactionReport> {
    const start = await begin();
    const pause = async (): Promise<void> => {
      await options.pause();
      if (this.#isClosed) throw new OrthantError("ORT_CLOSED", "the save was closed while it was compacted");
    };
    try {
      return await this.#compactIfDue(start, { ...options, pause });
    } finally {
      await start.live.close();
    }
  }

  /** Compacts if it is worthwhile. Rules S89 to S91. */
  async #compactIfDue(start: CompactionStart, options: CompactionOptions): Promise<CompactionReport> {
    const { activePackId, activeBytes } = start;
    await this.#survey(activePackId);
    const bytesBefore = this.#packBytes(activeBytes);
    const nothing = {
      bytesBefore,
      bytesAfter: bytesBefore,
      packsRewritten: 0,
      packsRemoved: 0,
      findings: [],
    };
    if (options.force !== true && !this.#isDue(start, bytesBefore)) return nothing;
    try {
      const done = await this.#markAndRewrite(start, options);
      return { ...nothing, ...done, bytesAfter: this.#packBytes(activeBytes) };
    } finally {
      const bytes = this.#packBytes(activeBytes);
      this.#quietBelowBytes = bytes + Math.max(DEAD_BYTES_MIN, bytes * GROWTH_SHARE);
    }
  }

  async #markAndRewrite(start: CompactionStart, options: CompactionOptions): Promise<Rewriting> {
    const { live, activePackId, activeBytes } = start;
    let mark: NeededRecords;
    try {
      mark = await findNeededRecords(this.#disk, this.#holds, live, this.#packReader, options);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { packsRewritten: 0, packsRemoved: 0, findings: [findingOf(error, INDEX_FOLDER)] };
    }
    const needed = mark.of(activePackId);
    const isWaste = activeBytes > DEAD_BYTES_MIN && isWasteful(activeBytes, needed, COMPACTION_DEAD_SHARE);
    this.#wastefulPackId = isWaste ? activePackId : undefined;
    return this.#rewrite(mark, start, options);
  }

  #isDue({ live, activePackId }: CompactionStart, bytes: number): boolean {
    const dead = bytes - live.index.totals.recordBytes - worldRecordBytes(live.global);
    const isMuch = dead > DEAD_BYTES_MIN && dead > COMPACTION_DEAD_SHARE * bytes;
    const isNew = this.#wastefulPackId !== undefined && this.#wastefulPackId !== activePackId;
    return isMuch && (isNew || bytes > this.#quietBelowBytes);
  }

  /** Finds the sizes of unknown packs, and removes leftovers of a crash. */
  async #survey(activePackId: number): Promise<void> {
    if (this.#surveyedPackId === activePackId) return;
    for (const { name } of await this.#disk.list(DATA_FOLDER)) {
      const path = `${DATA_FOLDER}/${name}`;
      const unfinished = pathOfTemporary(path);
      if (unfinished !== undefined && parsePackFile(unfinished) !== undefined) await this.#disk.remove(path);
      const packId = parsePackFile(path);
      if (packId === undefined || packId >= activePackId || this.#sizes.has(packId)) continue;
      this.#sizes.set(packId, await fileSize(this.#disk, path));
    }
    this.#surveyedPackId = activePackId;
  }

  #packBytes(activeBytes: number): number {
    return [...this.#sizes.values()].reduce((sum, bytes) => sum + bytes, activeBytes);
  }

  async #rewrite(
    mark: NeededRecords,
    { live, forgetPacks }: CompactionStart,
    options: CompactionOptions,
  ): Promise<Rewriting> {
    const namedPackId = live.manifest.activeDataFileId;
    const judged = this.#judge(mark, namedPackId, options.force === true);
    let packsRewritten = 0;
    let packsRemoved = 0;
    const findings: Finding[] = [];
    // If the removal of a generation's files were lost, it would be back without its records. A generation
    // counts only with all three of its files.
    if (judged.length > 0) await this.#disk.syncDirectory(INDEX_FOLDER);
    const gone = new Set(judged.filter((packId) => mark.of(packId) === undefined && packId !== namedPackId));
    // Done before the first one is removed: opening the save expects every pack that the manifest names.
    if (gone.size > 0) await forgetPacks([...gone]);
    for (const packId of judged) {
      if (gone.has(packId)) {
        await this.#remove(packId);
        packsRemoved++;
      } else {
        const finding = await this.#compactPack(packId, mark.of(packId) ?? new NeededPackRecords(), options);
        if (finding === undefined) packsRewritten++;
        else findings.push(finding);
      }
      await options.pause();
    }
    if (packsRewritten + packsRemoved > 0) await this.#disk.syncDirectory(DATA_FOLDER);
    return { packsRewritten, packsRemoved, findings };
  }

  /** Returns the packs worth rewriting, worst first. */
  #judge(mark: NeededRecords, namedPackId: number, force: boolean): readonly number[] {
    const deadShare = ([packId, bytes]: readonly [number, number]): number =>
      1 - (mark.of(packId)?.bytes ?? 0) / bytes;
    return [...this.#sizes]
      .filter(([packId, bytes]) => {
        const isGone = mark.of(packId) === undefined && packId !== namedPackId;
        return isGone || isWasteful(bytes, mark.of(packId), force ? 0 : COMPACTION_DEAD_SHARE);
      })
      .sort((a, b) => deadShare(b) - deadShare(a))
      .map(([packId]) => packId);
  }

  async #remove(packId: number): Promise<void> {
    await this.#packReader.refresh(packId);
    await this.#disk.remove(packFile(packId));
    this.#sizes.delete(packId);
  }

  /** Returns the damage that keeps the pack from being compacted, if any. */
  async #compactPack(
    packId: number,
    needed: NeededPackRecords,
    work: YieldOptions,
  ): Promise<Finding | undefined> {
    const path = packFile(packId);
    try {
      await compactPack(this.#disk, packId, needed, {
        work,
        lock: this.#lock,
        release: () => this.#packReader.refresh(packId),
      });
    } catch (error) {
      if (isDamage(error)) return findingOf(error, path);
      throw error;
    }
    await this.#packReader.refresh(packId);
    this.#sizes.set(packId, await fileSize(this.#disk, path));
    return undefined;
  }
}

type Rewriting = Pick<CompactionReport, "packsRewritten" | "packsRemoved" | "findings">;

/** Returns whether more than a share of a pack would be freed, after adding the tables. */
function isWasteful(
  bytes: number,
  needed: NeededPackRecords = new NeededPackRecords(),
  share: number,
): boolean {
  const tables = 2 * compactedPackHeader.bytes + needed.count * TABLE_BYTES_PER_RECORD;
  return bytes - needed.bytes - tables > share * bytes;
}
