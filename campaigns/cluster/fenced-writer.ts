import type { Backbone, Journal, JournalRecord } from "@orthant/cluster";
import { isOrthantError } from "@orthant/core";
import { untilAnswered } from "./waiting.ts";

const BATCH = 3;

/**
 * Writes batches to a journal like an owner: one at a time, each at the end of the last one. When the outcome
 * of a batch is unknown, it writes a barrier, after which the batch can no longer arrive, and reads what
 * precedes the barrier.
 */
export class FencedWriter {
  readonly #journal: Journal;
  /** Numbers of the batches that the journal must hold, in order. */
  readonly #stored: number[] = [];
  #last = 0;
  #next = 0;
  #acknowledged = 0;
  #waiting: (() => void)[] = [];

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Starts after everything sent to the journal before, including what is still in transit. */
  static async open(backbone: Backbone, world: string, shard: string): Promise<FencedWriter> {
    const writer = new FencedWriter(await untilAnswered(() => backbone.journal(world, shard)));
    await writer.#settle();
    return writer;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Resolves when the next batch is acknowledged. */
  nextAcknowledged(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async writeUntil(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) await this.#write();
  }

  /** Writes until the returned function is called, which resolves when the last write is settled. */
  startWriting(): () => Promise<void> {
    let isOver = false;
    const done = this.writeUntil(() => isOver);
    return () => {
      isOver = true;
      return done;
    };
  }

  /**
   * Throws unless the journal holds all acknowledged batches, complete and in order, and none that was
   * settled as lost.
   */
  async check(): Promise<void> {
    const found = await this.#readBatches(1, this.#last);
    if (found.join() !== this.#stored.join()) {
      throw new Error(`the journal holds the batches ${found}, and should hold ${this.#stored}`);
    }
  }

  /** Throws unless this writer reads the same through its server as the other one. */
  async expectSame(other: FencedWriter): Promise<void> {
    const [mine, theirs] = [await this.#readBatches(1, this.#last), await other.#readBatches(1, other.#last)];
    if (mine.join() !== theirs.join()) throw new Error(`one server holds ${mine}, another ${theirs}`);
  }

  async #write(): Promise<void> {
    const number = this.#next++;
    try {
      const outcome = await this.#journal.append(batchOf(number), this.#last);
      if (outcome.kind !== "stored") throw new Error(`the only writer got ${outcome.kind}`);
      this.#last = outcome.last;
      this.#stored.push(number);
      this.#acknowledged++;
      for (const wake of this.#waiting.splice(0)) wake();
    } catch (error) {
      if (!isOrthantError(error, "ORT_BACKBONE_AWAY")) throw error;
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    const barrier = await untilAnswered(() => this.#writeBarrier());
    this.#stored.push(...(await this.#readBatches(this.#last + 1, barrier)));
    this.#last = barrier;
  }

  async #writeBarrier(): Promise<number> {
    for (;;) {
      const { last } = await this.#journal.state();
      const barrier = [{ subject: { kind: "control" }, bytes: new Uint8Array() }] as const;
      const outcome = await this.#journal.append(barrier, last);
      if (outcome.kind === "stored") return outcome.last;
    }
  }

  async #readBatches(from: number, to: number): Promise<readonly number[]> {
    const numbers = await untilAnswered(() => this.#readNumbers(from, to));
    const batches = numbers.filter((_, index) => index % BATCH === 0);
    const isWhole = numbers.every((number, index) => number === batches[Math.floor(index / BATCH)]);
    if (!isWhole || numbers.length % BATCH !== 0) throw new Error(`a batch is there in part: ${numbers}`);
    return batches;
  }

  async #readNumbers(from: number, to: number): Promise<readonly number[]> {
    const numbers: number[] = [];
    for await (const { subject, bytes } of this.#journal.read(from, to)) {
      if (subject.kind === "region") numbers.push(Number(new TextDecoder().decode(bytes)));
    }
    return numbers;
  }
}

function batchOf(number: number): readonly JournalRecord[] {
  const bytes = new TextEncoder().encode(`${number}`);
  return Array.from({ length: BATCH }, (_, index) => ({
    subject: { kind: "region", sector: "0_0_0", region: `${index}_0_0` },
    bytes,
  }));
}
