import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, fencedDisk, type WriterLock } from "@orthant/disk/files";
import { packFile } from "../codec/files.ts";
import { PackReader } from "../pack/pack-reader.ts";
import type { GenerationHolds, SaveState } from "../read/save.ts";
import {
  type CompactionOptions,
  type CompactionReport,
  type CompactionStart,
  Compactor,
} from "./compaction.ts";
import { GenerationRemover, type Retention } from "./retention.ts";

/** A running compaction. */
interface Run {
  readonly report: Promise<CompactionReport>;
  readonly isForced: boolean;
}

/** A writer's work besides commits: removing old generations, and freeing the bytes that only they needed. */
export class SaveHistory {
  /** Open packs, also used by the writer. */
  readonly packReader: PackReader;
  /** The generations that are open in this process. */
  readonly holds: GenerationHolds;
  /** Checks the lock before each rename and removal. */
  readonly #fenced: Disk;
  readonly #remover: GenerationRemover;
  readonly #compactor: Compactor;
  #retirementFailure: OrthantError | undefined;
  #run: Run | undefined;
  #isClosed = false;

  constructor(disk: Disk, holds: GenerationHolds, retention: Retention, lock?: WriterLock) {
    this.packReader = new PackReader(disk);
    this.holds = holds;
    this.#fenced = lock === undefined ? disk : fencedDisk(disk, lock);
    this.#remover = new GenerationRemover(this.#fenced, holds, retention, lock);
    this.#compactor = new Compactor(this.#fenced, this.packReader, holds, lock);
  }

  /** Error from removing old generations after the last commit, which stands regardless. */
  get retirementFailure(): OrthantError | undefined {
    return this.#retirementFailure;
  }

  /** Removes generations that are not kept, after a commit that no longer needs `removedPages` of the previous one. */
  async retire(live: SaveState, removedPages: readonly string[]): Promise<void> {
    try {
      await this.#remover.afterCommit(live, removedPages);
      this.#retirementFailure = undefined;
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      // The commit stands. Failed removals are retried after the next one.
      this.#retirementFailure = error;
    }
  }

  /** Returns whether the active pack has enough dead bytes for the next commit to begin a new one. */
  isWasteful(packId: number): boolean {
    return this.#compactor.wastefulPackId === packId;
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
      const report = this.#compact(begin, options).finally(() => {
        this.#run = undefined;
      });
      this.#run = { report, isForced: options.force === true };
    }
    return this.#run.report;
  }

  /** Ends a running compaction before its next slice, and releases the packs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // The run's caller receives its failure.
    await this.#run?.report.catch(() => undefined);
    await this.packReader.release();
  }

  /** Removes a pack that got no record. A failure is harmless: a later compaction removes the pack. */
  async removeEmptyPack(packId: number | undefined): Promise<void> {
    if (packId !== undefined) await attempt(() => this.#fenced.remove(packFile(packId)));
  }

  async #compact(
    begin: () => Promise<CompactionStart>,
    options: CompactionOptions,
  ): Promise<CompactionReport> {
    const start = await begin();
    const pause = async (): Promise<void> => {
      await options.pause();
      if (this.#isClosed) throw new OrthantError("ORT_CLOSED", "the save was closed while it was compacted");
    };
    try {
      return await this.#compactor.run(start, { ...options, pause });
    } finally {
      await start.live.close();
    }
  }
}
