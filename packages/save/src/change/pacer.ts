/** Lets long work yield to the game loop. */
export interface YieldOptions {
  /** Called between slices of a few milliseconds. The work continues when the promise resolves. */
  pause(): Promise<void>;
}

/** Number of chunks stored, or read and written again, per slice. */
const CHUNKS_PER_SLICE = 8;
/** Cost of a chunk that is copied as stored, relative to one that is encoded. */
const COPIED_SHARE = 1 / 8;

/** Cuts work into slices by amount, not by time, so that the same work is cut alike on every machine. */
export class Pacer {
  readonly #work: YieldOptions | undefined;
  #done = 0;

  /** Without `work`, everything is one slice. */
  constructor(work?: YieldOptions) {
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
  copied(chunks: number): Promise<void> | undefined {
    return this.stored(chunks * COPIED_SHARE);
  }
}
