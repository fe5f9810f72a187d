/** Who does long work in the process of somebody who plays. */
export interface SlowWork {
  /** Called between slices of the work, each of a few milliseconds; it goes on when the promise is kept. */
  pause(): Promise<void>;
}

/** Blocks that are stored, or read and written again, in one slice. */
const BLOCKS_PER_SLICE = 24;
/** A block that is only passed through costs that part of one that has to be compared with what a generator makes. */
const PASSED_SHARE = 1 / 8;

/** Cuts work into slices by what is done, not by time, so that the same work is cut alike wherever it runs. */
export class Pacer {
  readonly #work: SlowWork | undefined;
  #done = 0;

  /** Without anybody to give way to, all is one slice. */
  constructor(work?: SlowWork) {
    this.#work = work;
  }

  /** Blocks were stored. */
  stored(blocks: number): Promise<void> | undefined {
    this.#done += blocks;
    if (this.#done < BLOCKS_PER_SLICE) return undefined;
    this.#done = 0;
    return this.#work?.pause();
  }

  /** Blocks that were stored before were read, measured or encoded. */
  passed(blocks: number): Promise<void> | undefined {
    return this.stored(blocks * PASSED_SHARE);
  }
}
