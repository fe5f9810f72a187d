import type { WorkBudget } from "./budget/work-budget.ts";

/** A client that may wait for regions. */
interface Waiting {
  /** Sends what the client waits for and may get in this tick. */
  answer(nowMs: number): void;
}

/**
 * Clients that are sent regions before the next tick: those whose interest was applied, or whose regions were loaded.
 * When the time for it is used up, the next tick sends the rest.
 */
export class AnswerQueue {
  readonly #work: WorkBudget;
  readonly #plan: () => void;
  readonly #clients = new Set<Waiting>();

  /** `plan` has `answer` called soon. */
  constructor(work: WorkBudget, plan: () => void) {
    this.#work = work;
    this.#plan = plan;
  }

  add(client: Waiting): void {
    this.#clients.add(client);
    this.#plan();
  }

  /** Begins a tick, which writes to all clients. */
  startTick(): void {
    this.#clients.clear();
    this.#work.startTick();
  }

  /** Answers clients in the order in which they were added. */
  answer(nowMs: number): void {
    this.#work.startSlice();
    for (const client of this.#clients) {
      if (!this.#work.hasTime()) return;
      this.#clients.delete(client);
      this.#work.run(() => client.answer(nowMs));
    }
  }
}
