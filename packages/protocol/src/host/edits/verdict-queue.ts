import type { Verdict } from "../../message/server-message.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientRegions } from "../regions/client-regions.ts";
import type { Decision } from "./edit-desk.ts";

/** Verdicts per message: with texts of maximum length, as many as fit beside a patch. */
const VERDICTS_PER_MESSAGE = 32;
/** Maximum number of waiting verdicts, many times the number of open edits of a client. */
const WAITING_MAX = 1_024;

/** Verdicts on a client's edits that wait to be sent. */
export class VerdictQueue {
  readonly #waiting = new Map<number, Decision>();

  /** Adds a decision unless too many are waiting; a client without a verdict asks again. */
  add(decision: Decision): void {
    if (this.#waiting.size < WAITING_MAX) this.#waiting.set(decision.verdict.editId, decision);
  }

  /** Writes the verdicts on edits whose changes the client was sent, as far as it holds the regions. */
  write(out: Outbox, regions: ClientRegions): void {
    if (this.#waiting.size === 0) return;
    const ready: Verdict[] = [];
    for (const [editId, { verdict, steps }] of this.#waiting) {
      if (!regions.hasSeen(steps)) continue;
      this.#waiting.delete(editId);
      ready.push(verdict);
    }
    ready.sort((a, b) => a.editId - b.editId);
    for (let start = 0; start < ready.length; start += VERDICTS_PER_MESSAGE) {
      out.write({ kind: "verdicts", verdicts: ready.slice(start, start + VERDICTS_PER_MESSAGE) });
    }
  }
}
