import type { Being } from "../../message/being.ts";
import { BEINGS_MAX } from "../../message/limits.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientRegions } from "../regions/client-regions.ts";
import type { BeingGrid } from "./being-grid.ts";

/** The entities that one client sees. Sends changes, or all entities when the client's state is unknown. */
export class BeingsView {
  readonly #messages: Uint8Array[] = [];
  #isStale = false;
  #maySend = false;

  /** Marks the client's list of entities as outdated. */
  markStale(): void {
    this.#isStale = true;
  }

  /** Begins a tick. `maySend` is false when the client gets nothing in it. */
  startTick(maySend: boolean): void {
    this.#maySend = maySend;
    this.#messages.length = 0;
  }

  /** Adds a change in a region that the client sees. */
  add(message: Uint8Array): void {
    if (!this.#maySend) this.#isStale = true;
    if (!this.#isStale) this.#messages.push(message);
  }

  /** Writes the client's messages for this tick. */
  write(out: Outbox, grid: BeingGrid, regions: ClientRegions, work: WorkBudget): void {
    if (!this.#isStale) {
      for (const message of this.#messages) out.append(message);
      return;
    }
    if (!work.hasTime()) return;
    work.run(() => {
      const beings: Being[] = [];
      regions.forEachPosition((x, y, z, w) => grid.collect(x, y, z, w, beings));
      out.write({ kind: "allBeings", beings: beings.slice(0, BEINGS_MAX) });
    });
    this.#isStale = false;
  }
}
