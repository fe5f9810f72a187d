import type { NumberedEntity } from "../message/entity.ts";
import { ENTITIES_MAX } from "../message/limits.ts";
import type { NumberedEditResult } from "../message/server-message.ts";
import type { WorkBudget } from "./budget/work-budget.ts";
import type { DecidedEdit } from "./edits/edit-queue.ts";
import type { EntityGrid } from "./entities/entity-grid.ts";
import type { Outbox } from "./outbox.ts";
import type { ClientRegions } from "./regions/client-regions.ts";

/** Maximum bytes of game messages that wait for one client. */
const GAME_BYTES_WAITING_MAX = 262_144;

/** Overhead charged per message, which also limits the number of empty ones. */
const GAME_MESSAGE_BYTES = 64;

/** Game messages for one client that wait to be sent. */
export class GameQueue {
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  /** Adds a message. Returns false if there is no room. */
  add(payload: Uint8Array): boolean {
    const bytes = payload.length + GAME_MESSAGE_BYTES;
    if (this.#bytes + bytes > GAME_BYTES_WAITING_MAX) return false;
    this.#waiting.push(payload);
    this.#bytes += bytes;
    return true;
  }

  write(out: Outbox): void {
    if (this.#waiting.length === 0) return;
    for (const payload of this.#waiting) out.write({ kind: "game", payload });
    this.#waiting = [];
    this.#bytes = 0;
  }
}

/** Edit results per message: with texts of maximum length, as many as fit beside a patch. */
const RESULTS_PER_MESSAGE = 32;
/** Maximum number of waiting edit results, many times the number of open edits of a client. */
const RESULTS_WAITING_MAX = 1_024;

/** Results of a client's edits that wait to be sent. */
export class EditResultQueue {
  readonly #waiting = new Map<number, DecidedEdit>();

  /** Adds a result unless too many are waiting; a client without a result asks again. */
  add(decided: DecidedEdit): void {
    if (this.#waiting.size < RESULTS_WAITING_MAX) this.#waiting.set(decided.result.editId, decided);
  }

  /**
   * Writes each result only after the patch with its changes, so that a client sees an edit before it learns
   * its result. Regions that the client does not hold do not count.
   */
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

/** The entities that one client sees. Sends changes, or all entities when the client's state is unknown. */
export class PendingEntities {
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
      const entities: NumberedEntity[] = [];
      regions.forEachPosition((x, y, z, w) => grid.collect(x, y, z, w, entities));
      out.write({ kind: "allEntities", entities: entities.slice(0, ENTITIES_MAX) });
    });
    this.#isStale = false;
  }
}
