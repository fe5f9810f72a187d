import { CLOCK_WRAP_MS } from "../../message/limits.ts";
import type { Outbox } from "../outbox.ts";

/** Tells one client the time of the entities that it is sent. Rule N56. */
export class EntityClock {
  #hasSentEntities = false;

  /** Writes the time before changes, and also in the tick after the last ones: it says that nothing moved on. */
  write(out: Outbox, hasEntities: boolean, nowMs: number): void {
    if (hasEntities || this.#hasSentEntities) {
      out.write({ kind: "clock", timeMs: Math.floor(nowMs) % CLOCK_WRAP_MS });
    }
    this.#hasSentEntities = hasEntities;
  }
}
