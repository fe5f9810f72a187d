import type { NumberedEditResult } from "../../message/server-message.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientRegions } from "../regions/client-regions.ts";
import type { DecidedEdit } from "./edit-queue.ts";

/** Verdicts per message: with texts of maximum length, as many as fit beside a patch. */
const RESULTS_PER_MESSAGE = 32;
/** Maximum number of waiting verdicts, many times the number of open edits of a client. */
const WAITING_MAX = 1_024;

/** Verdicts on a client's edits that wait to be sent. */
export class EditResultQueue {
  readonly #waiting = new Map<number, DecidedEdit>();

  /** Adds a decision unless too many are waiting; a client without a verdict asks again. */
  add(decided: DecidedEdit): void {
    if (this.#waiting.size < WAITING_MAX) this.#waiting.set(decided.result.editId, decided);
  }

  /** Writes the verdicts on edits whose changes the client was sent, as far as it holds the regions. */
  write(out: Outbox, regions: ClientRegions): void {
    if (this.#waiting.size === 0) return;
    const ready: NumberedEditResult[] = [];
    for (const [editId, { result, steps }] of this.#waiting) {
      if (!regions.hasSeen(steps)) continue;
      this.#waiting.delete(editId);
      ready.push(result);
    }
    ready.sort((a, b) => a.editId - b.editId);
    for (let start = 0; start < ready.length; start += RESULTS_PER_MESSAGE) {
      out.write({ kind: "editResults", results: ready.slice(start, start + RESULTS_PER_MESSAGE) });
    }
  }
}
