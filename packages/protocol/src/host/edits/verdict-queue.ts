import type { Verdict } from "../../message/server-message.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientRegions } from "../regions/client-regions.ts";
import type { Decision } from "./edit-desk.ts";

/** Verdicts of one message: with the longest sentences they are as many as fit beside a patch. */
const VERDICTS_PER_MESSAGE = 32;
/** So many verdicts may wait: many times as many as a client may have open edits. */
const WAITING_MAX = 1_024;

/** What became of a client's edits, until the client may be told. */
export class VerdictQueue {
  readonly #waiting = new Map<number, Decision>();

  /** Adds what became of an edit, unless too many wait: a client that was not told asks again. */
  add(decision: Decision): void {
    if (this.#waiting.size < WAITING_MAX) this.#waiting.set(decision.verdict.editId, decision);
  }

  /** Writes the verdicts on edits of which the client was sent all that it holds. */
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
