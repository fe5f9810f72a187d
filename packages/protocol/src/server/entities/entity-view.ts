import type { Entity } from "../../message/entity.ts";
import { ENTITIES_MAX } from "../../message/limits.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { Outbox } from "../connection/outbox.ts";
import type { ClientRegions } from "../regions/client-regions.ts";
import type { EntityGrid } from "./entity-grid.ts";

/** The entities that one client sees. Sends changes, or all entities when the client's state is unknown. */
export class EntityView {
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
  write(out: Outbox, grid: EntityGrid, regions: ClientRegions, work: WorkBudget): void {
    if (!this.#isStale) {
      for (const message of this.#messages) out.append(message);
      return;
    }
    if (!work.hasTime()) return;
    work.run(() => {
      const entities: Entity[] = [];
      regions.forEachPosition((x, y, z, w) => grid.collect(x, y, z, w, entities));
      out.write({ kind: "allEntities", entities: entities.slice(0, ENTITIES_MAX) });
    });
    this.#isStale = false;
  }
}
