import { isOrthantError, type TimeSource } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { sleep } from "@orthant/core/time";
import type { Backbone } from "../backbone/backbone.ts";
import { transferAddress } from "../shard/names.ts";
import { neighboursOf, type ShardMap } from "../shard/shard-map.ts";
import { type StepAnswer, stepAnswerCodec, transferRequestCodec } from "../shard/transfer-messages.ts";

/** What following the steps of neighbours needs. */
export interface NeighbourStepsContext {
  readonly backbone: Backbone;
  readonly time: TimeSource;
  /** The name of the world. */
  readonly worldName: string;
  readonly shard: string;
  /** Returns the current map. */
  readonly map: () => ShardMap;
  /** Returns the term of a shard's owner; 0 if it has none. */
  readonly termOf: (shard: string) => number;
}

/** Steps that a shard may be ahead of a neighbour. */
const AHEAD_STEPS_MAX = 100;
/** Interval between requests for the steps of neighbours. */
const ASK_MS = 1_000;
/** Time after which the last answer of a neighbour counts no more. */
const ANSWER_VALID_MS = 10_000;

/** The last steps of neighbouring shards, so that no shard runs far ahead of another. Rule K68. */
export class NeighbourSteps {
  readonly #context: NeighbourStepsContext;
  readonly #answers = new Map<string, StepAnswer & { readonly ms: number }>();
  #isRunning = false;
  #isEnded = false;

  constructor(context: NeighbourStepsContext) {
    this.#context = context;
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
    const { time } = this.#context;
    const nowMs = time.nowMs();
    return (
      [...this.#answers.values()]
        // The clock may have been set back.
        .filter(({ isStepping, ms }) => isStepping && Math.abs(nowMs - ms) < ANSWER_VALID_MS)
        .map(({ step }) => step)
    );
  }

  async #run(): Promise<void> {
    const { map, shard, time } = this.#context;
    while (!this.#isEnded) {
      const neighbours = neighboursOf(map(), shard);
      for (const known of this.#answers.keys()) if (!neighbours.includes(known)) this.#answers.delete(known);
      await Promise.all(neighbours.map((other) => this.#ask(other)));
      await sleep(time, ASK_MS);
    }
  }

  async #ask(shard: string): Promise<void> {
    const { backbone, worldName, shard: from, time, termOf } = this.#context;
    const term = termOf(shard);
    if (term < 1) return;
    try {
      const request = encode(transferRequestCodec, { kind: "step", from });
      const answer = await backbone.request(transferAddress(worldName, shard, term), request, ASK_MS);
      this.#answers.set(shard, { ...decode(stepAnswerCodec, answer), ms: time.nowMs() });
    } catch (error) {
      // The last answer counts for a while.
      if (!isOrthantError(error)) throw error;
    }
  }
}
