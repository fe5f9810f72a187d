import { isOrthantError, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { fencedDisk } from "../../files/fenced-disk.ts";
import type { WriterLock } from "../../files/write-temporary.ts";
import type { GenerationHolds } from "../files/generation-holds.ts";
import { PackShelf } from "../files/pack-shelf.ts";
import type { SaveState } from "../save.ts";
import {
  type CompactionOptions,
  type CompactionReport,
  type CompactionStart,
  Compactor,
} from "./compaction.ts";
import { GenerationKeeper } from "./generation-keeper.ts";
import type { Retention } from "./retention.ts";

/** A compaction under way. */
interface Run {
  readonly report: Promise<CompactionReport>;
  readonly isForced: boolean;
}

/** What a writer does beside committing: letting go of old generations, and of what only they needed. */
export class SaveHistory {
  /** The packs that are read, for the writer too. */
  readonly shelf: PackShelf;
  /** The generations that are open in this process. */
  readonly holds: GenerationHolds;
  readonly #keeper: GenerationKeeper;
  readonly #compactor: Compactor;
  #retirementFailure: OrthantError | undefined;
  #run: Run | undefined;
  #isClosed = false;

  constructor(disk: Disk, holds: GenerationHolds, retention: Retention, lock?: WriterLock) {
    this.shelf = new PackShelf(disk);
    this.holds = holds;
    const fenced = lock === undefined ? disk : fencedDisk(disk, lock);
    this.#keeper = new GenerationKeeper(fenced, holds, retention);
    this.#compactor = new Compactor(fenced, this.shelf, holds, lock);
  }

  /** What went wrong when old generations were removed after the last commit, which stands all the same. */
  get retirementFailure(): OrthantError | undefined {
    return this.#retirementFailure;
  }

  /** Lets go of what is not kept, after a commit that no longer needs some pages of the one before. */
  async retire(live: SaveState, removedPages: readonly string[]): Promise<void> {
    try {
      await this.#keeper.afterCommit(live, removedPages);
      this.#retirementFailure = undefined;
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      // The commit stands: what could not be removed is tried again after the next one.
      this.#retirementFailure = error;
    }
  }

  /** Whether so much of the pack that is being written to is dead that the next commit should begin another one. */
  isWasteful(packId: number): boolean {
    return this.#compactor.wastefulPackId === packId;
  }

  /** Runs a compaction, or joins the one that runs. A forced one joins only a forced one: another may do nothing. */
  async compact(
    begin: () => Promise<CompactionStart>,
    options: CompactionOptions,
  ): Promise<CompactionReport> {
    // Its own caller sees how it failed.
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

  /** Ends a compaction that runs, before its next slice, and lets go of the packs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Who asked for the run hears how it ended.
    await this.#run?.report.catch(() => undefined);
    await this.shelf.release();
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
