import type { Position } from "@orthant/core";
import { type PositionMap, PositionSet } from "@orthant/core/lattice";

/** The sections that need each chunk. The first one runs, or is the next to run. */
export type PlaceQueues = PositionMap<PlaceSection[]>;

/**
 * A section of work that has the chunks it needs for itself, in the order of the requests. Sections that share no chunk
 * run side by side.
 */
export class PlaceSection {
  readonly #queues: PlaceQueues;
  readonly #chunks = new PositionSet();
  /** Number of chunks for which this section is not the first in the queue. */
  #blockedBy = 0;
  #isEntered = false;
  #wake: () => void = () => undefined;

  private constructor(queues: PlaceQueues) {
    this.#queues = queues;
  }

  /** Waits until no earlier section needs any of these chunks. The caller must `leave` the section. */
  static async enter(queues: PlaceQueues, chunks: Iterable<Position>): Promise<PlaceSection> {
    const section = new PlaceSection(queues);
    for (const chunk of chunks) {
      if (!section.#chunks.has(...chunk)) section.#enqueue(chunk, Number.POSITIVE_INFINITY);
    }
    await section.#whenFree();
    return section;
  }

  /**
   * Adds chunks to a section that has entered, ahead of those that wait for them. Returns false, and adds nothing, if
   * a section that runs there waits for more chunks itself: two such sections could wait for each other forever.
   */
  async extend(chunks: Iterable<Position>): Promise<boolean> {
    const more = [...chunks].filter((chunk) => !this.#chunks.has(...chunk));
    const first = more.flatMap((chunk) => this.#queues.get(...chunk)?.[0] ?? []);
    if (first.some((section) => section.#isEntered && section.#blockedBy > 0)) return false;
    for (const chunk of more) {
      const [holder] = this.#queues.get(...chunk) ?? [];
      if (holder === this) continue;
      const isHeld = holder === undefined ? false : holder.#isEntered;
      this.#enqueue(chunk, isHeld ? 1 : 0);
    }
    await this.#whenFree();
    return true;
  }

  /** Releases all chunks. */
  leave(): void {
    for (const chunk of this.#chunks) {
      const queue = this.#queues.get(...chunk) ?? [];
      queue.shift();
      const next = queue[0];
      if (next === undefined) this.#queues.delete(...chunk);
      else next.#advance();
    }
  }

  /** Resolves when the section is the first in all its queues. */
  async #whenFree(): Promise<void> {
    while (this.#blockedBy > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    // Set in the same step as the check, because another section may extend to these chunks at any time.
    this.#isEntered = true;
  }

  /** Takes the place `index` in the queue of a chunk, or the last one. */
  #enqueue(chunk: Position, index: number): void {
    this.#chunks.add(...chunk);
    const queue = this.#queues.get(...chunk);
    if (queue === undefined) {
      this.#queues.set(...chunk, [this]);
      return;
    }
    queue.splice(index, 0, this);
    const [first, second] = queue;
    if (first !== this) this.#blockedBy++;
    // The section that was the first has not entered yet, and waits for one more chunk.
    else if (second !== undefined) second.#blockedBy++;
  }

  #advance(): void {
    this.#blockedBy--;
    if (this.#blockedBy === 0) this.#wake();
  }
}
