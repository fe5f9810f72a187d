import { isOrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { sleep } from "@orthant/core/time";
import { transferAddress } from "../shard/names.ts";
import { neighboursOf } from "../shard/shard-map.ts";
import { type StepAnswer, stepAnswerCodec, transferRequestCodec } from "../shard/transfer-messages.ts";
import type { ShardOwnerOptions } from "./owner-context.ts";

/** Steps that a shard may be ahead of a neighbour. */
const AHEAD_STEPS_MAX = 100;
/** Interval between requests for the steps of neighbours. */
const ASK_MS = 1_000;
/** Time after which the last answer of a neighbour counts no more. */
const ANSWER_VALID_MS = 10_000;

/** The last steps of neighbouring shards, so that no shard runs far ahead of another. Rule K68. */
export class NeighbourSteps {
  readonly #options: ShardOwnerOptions;
  readonly #answers = new Map<string, StepAnswer & { readonly ms: number }>();
  #isRunning = false;
  #isEnded = false;

  constructor(options: ShardOwnerOptions) {
    this.#options = options;
  }

  /** Begins to ask the owners of neighbours. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Returns whether a shard has to wait for a neighbour before it makes a step. */
  mustWait(step: number): boolean {
    return this.#steps().some((other) => step - other > AHEAD_STEPS_MAX);
  }

  /** Returns the number up to which a shard skips steps that it has missed; its last one if it has not missed many. */
  skipTo(last: number): number {
    const highest = Math.max(last, ...this.#steps());
    return highest - last > AHEAD_STEPS_MAX ? highest : last;
  }

  /** Returns the last steps of the neighbours that make steps, as far as they are known. */
  #steps(): readonly number[] {
    const { time } = this.#options;
    const nowMs = time.nowMs();
    return (
      [...this.#answers.values()]
        // The clock may have been set back.
        .filter(({ isStepping, ms }) => isStepping && Math.abs(nowMs - ms) < ANSWER_VALID_MS)
        .map(({ step }) => step)
    );
  }

  async #run(): Promise<void> {
    const { maps, shard, time } = this.#options;
    while (!this.#isEnded) {
      const neighbours = neighboursOf(maps.map, shard);
      for (const known of this.#answers.keys()) if (!neighbours.includes(known)) this.#answers.delete(known);
      await Promise.all(neighbours.map((other) => this.#ask(other)));
      await sleep(time, ASK_MS);
    }
  }

  async #ask(shard: string): Promise<void> {
    const { backbone, maps, shard: from, time, world } = this.#options;
    const term = maps.termOf(shard);
    if (term < 1) return;
    try {
      const request = encode(transferRequestCodec, { kind: "step", from });
      const answer = await backbone.request(transferAddress(world, shard, term), request, ASK_MS);
      this.#answers.set(shard, { ...decode(stepAnswerCodec, answer), ms: time.nowMs() });
    } catch (error) {
      // The last answer counts for a while.
      if (!isOrthantError(error)) throw error;
    }
  }
}
