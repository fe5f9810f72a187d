import type { EditOrigin } from "@orthant/core/tree";
import type { ShardEditResult } from "../shard/owner-messages.ts";

/** Outcomes that are kept, and clocks in all of them. */
const OUTCOMES_MAX = 4_096;
const CLOCKS_MAX = 65_536;

/**
 * The outcomes of the last edits that an owner made or rejected. A gateway that got no answer in time asks again, and is
 * told what became of the edit. Rule K19.
 */
export class RecentOutcomes {
  readonly #outcomes = new Map<string, ShardEditResult>();
  #clocks = 0;

  /** Keeps the outcome of an edit. One that was rejected before may be made later. */
  add(edit: EditOrigin, outcome: ShardEditResult): void {
    if (outcome.kind !== "applied" && outcome.kind !== "rejected") return;
    const key = keyOf(edit);
    this.#clocks += clocksOf(outcome) - clocksOf(this.#outcomes.get(key));
    this.#outcomes.delete(key);
    this.#outcomes.set(key, outcome);
    for (const [oldest, dropped] of this.#outcomes) {
      if (this.#outcomes.size <= OUTCOMES_MAX && this.#clocks <= CLOCKS_MAX) return;
      this.#outcomes.delete(oldest);
      this.#clocks -= clocksOf(dropped);
    }
  }

  /** Returns the outcome of an edit; `undefined` if it is not kept. */
  of(edit: EditOrigin): ShardEditResult | undefined {
    return this.#outcomes.get(keyOf(edit));
  }
}

function keyOf({ clientId, editId }: EditOrigin): string {
  return `${clientId} ${editId}`;
}

function clocksOf(outcome: ShardEditResult | undefined): number {
  return outcome?.kind === "applied" ? outcome.steps.length : 0;
}
