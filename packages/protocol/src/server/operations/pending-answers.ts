import type { ClockChange } from "@orthant/core/tree";
import type { OperationLimits } from "../../message/operation-limits.ts";
import type { OperationOutcome } from "../../message/operation-message.ts";
import type { Outbox } from "../outbox.ts";

/** The outcome of a request, and the clocks that a client must have seen before it. */
export interface DecidedRequest {
  readonly requestId: number;
  readonly outcome: OperationOutcome;
  readonly clocks: readonly ClockChange[];
}

/** Hears what becomes of a client's requests. */
export interface RequestListener {
  progress(requestId: number, done: number, total: number): void;
  decided(decided: DecidedRequest): void;
}

/** The regions that a client holds. */
interface SeenRegions {
  /** Whether the client has seen all of these clocks, or does not hold the regions. */
  hasSeen(clocks: readonly ClockChange[]): boolean;
}

/** What waits to be sent to one client about its operations. */
export class PendingAnswers implements RequestListener {
  readonly #progress = new Map<number, { readonly done: number; readonly total: number }>();
  readonly #answers = new Map<number, DecidedRequest>();
  readonly #wake: () => void;
  #terms: { readonly limits: OperationLimits | undefined } | undefined;

  /** `limits` are those that the player has; `undefined` if they may do none. `wake` is called when something waits. */
  constructor(limits: OperationLimits | undefined, wake: () => void) {
    this.#terms = { limits };
    this.#wake = wake;
  }

  /** Whether nothing waits to be sent. */
  get isEmpty(): boolean {
    return this.#terms === undefined && this.#progress.size + this.#answers.size === 0;
  }

  progress(requestId: number, done: number, total: number): void {
    if (this.#answers.has(requestId)) return;
    this.#progress.set(requestId, { done, total });
    this.#wake();
  }

  decided(decided: DecidedRequest): void {
    this.#progress.delete(decided.requestId);
    this.#answers.set(decided.requestId, decided);
    this.#wake();
  }

  /** Writes each answer only after the patches with its changes, so that a client sees them before it learns of them. */
  write(out: Outbox, regions: SeenRegions): void {
    if (this.#terms !== undefined) out.write({ kind: "operationTerms", ...this.#terms });
    this.#terms = undefined;
    for (const [requestId, { done, total }] of this.#progress)
      out.write({ kind: "operationProgress", requestId, done, total });
    this.#progress.clear();
    for (const [requestId, { outcome, clocks }] of this.#answers) {
      if (!regions.hasSeen(clocks)) continue;
      this.#answers.delete(requestId);
      out.write({ kind: "operationAnswer", requestId, outcome });
    }
  }
}
