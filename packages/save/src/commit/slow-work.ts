/** Lets long work yield to the game loop. */
export interface SlowWork {
  /** Called between slices of a few milliseconds. The work continues when the promise resolves. */
  pause(): Promise<void>;
}

/** Number of chunks stored, or read and written again, per slice. */
const CHUNKS_PER_SLICE = 24;
/**
 * Cost of a chunk that is only passed through, relative to one that is compared with the generator's output.
 */
const PASSED_SHARE = 1 / 8;

/** Cuts work into slices by amount, not by time, so that the same work is cut alike on every machine. */
export class Pacer {
  readonly #work: SlowWork | undefined;
  #done = 0;

  /** Without `work`, everything is one slice. */
  constructor(work?: SlowWork) {
    this.#work = work;
  }

  /** Counts chunks that were stored. */
  stored(chunks: number): Promise<void> | undefined {
    this.#done += chunks;
    if (this.#done < CHUNKS_PER_SLICE) return undefined;
    this.#done = 0;
    return this.#work?.pause();
  }

  /** Counts already stored chunks that were read, measured or encoded. */
  passed(chunks: number): Promise<void> | undefined {
    return this.stored(chunks * PASSED_SHARE);
  }
}
