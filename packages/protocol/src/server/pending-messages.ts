import type { NumberedDetails } from "../message/entity.ts";
import { ENTITIES_MAX } from "../message/limits.ts";
import type { NumberedEditResult } from "../message/server-message.ts";
import type { WorkBudget } from "./budget/work-budget.ts";
import type { DecidedEdit } from "./edits/edit-queue.ts";
import type { EntityGrid } from "./entities/entity-grid.ts";
import { motionOf } from "./entities/entity-messages.ts";
import { type GridEntity, hasDetails } from "./entities/grid-entity.ts";
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

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

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
  /** From the first one on. */
  #waiting: Map<number, DecidedEdit> | undefined;

  get isEmpty(): boolean {
    return this.#waiting === undefined || this.#waiting.size === 0;
  }

  /** Adds a result unless too many are waiting; a client without a result asks again. */
  add(decided: DecidedEdit): void {
    this.#waiting ??= new Map();
    if (this.#waiting.size < RESULTS_WAITING_MAX) this.#waiting.set(decided.result.editId, decided);
  }

  /**
   * Writes each result only after the patch with its changes, so that a client sees an edit before it learns
   * its result. Regions that the client does not hold do not count.
   */
  write(out: Outbox, regions: ClientRegions): void {
    if (this.#waiting === undefined || this.#waiting.size === 0) return;
    const ready: NumberedEditResult[] = [];
    for (const [editId, { result, clocks }] of this.#waiting) {
      if (!regions.hasSeen(clocks)) continue;
      this.#waiting.delete(editId);
      ready.push(result);
    }
    ready.sort((a, b) => a.editId - b.editId);
    for (let start = 0; start < ready.length; start += RESULTS_PER_MESSAGE) {
      out.write({ kind: "editResults", results: ready.slice(start, start + RESULTS_PER_MESSAGE) });
    }
  }
}

/** Bytes of details that one client gets in a tick: at least one entity's, and about as many. */
const DETAILS_BYTES_PER_TICK = 16_384;
/** Overhead charged for an entity or a tag. */
const DETAIL_BYTES = 8;

/** The entities that one client sees. Sends the changes of its audience, or all entities when its list is outdated. */
export class PendingEntities {
  readonly #regions: ClientRegions;
  /** Entities whose latest details the client does not have. */
  #detailed: Set<GridEntity> | undefined;

  constructor(regions: ClientRegions) {
    this.#regions = regions;
  }

  /** Whether the client's list of entities is outdated. */
  get isStale(): boolean {
    return this.#regions.audience.isStale;
  }

  /** Whether the client has all details. */
  get isDetailed(): boolean {
    return this.#detailed === undefined || this.#detailed.size === 0;
  }

  /** Marks the client's list of entities as outdated. */
  markStale(): void {
    this.#regions.leaveAudience();
    this.#regions.audience.isStale = true;
  }

  /** Adds entities that have new details. */
  addDetails(entities: Iterable<GridEntity>): void {
    // The list of all entities that follows adds them too.
    if (this.isStale) return;
    this.#detailed ??= new Set();
    for (const entity of entities) this.#detailed.add(entity);
  }

  /** Writes the client's messages for this tick. */
  write(out: Outbox, grid: EntityGrid, work: WorkBudget, nowMs: number): void {
    for (const { bytes, count } of this.#regions.audience.entityMessages(nowMs)) out.append(bytes, count);
    if (this.isStale && work.hasTime()) work.run(() => this.#writeAll(out, grid));
    if (this.#detailed !== undefined && !this.isStale) this.#writeDetails(out, grid, this.#detailed);
  }

  #writeAll(out: Outbox, grid: EntityGrid): void {
    const found: GridEntity[] = [];
    this.#regions.forEach((holding) => {
      const { position } = holding.region;
      grid.collect(...position, found);
      holding.range = holding.watcher.rangeOf(position);
    });
    const entities = found.slice(0, ENTITIES_MAX);
    out.write({ kind: "allEntities", entities });
    const moving = entities.filter(({ velocity }) => velocity !== undefined);
    if (moving.length > 0) out.write({ kind: "motions", motions: moving.map(motionOf) });
    const detailed = entities.filter(hasDetails);
    this.#detailed = detailed.length === 0 ? undefined : new Set(detailed);
    this.#regions.audience.isStale = false;
  }

  /** Writes details in the order in which they changed, and leaves the rest to later ticks. */
  #writeDetails(out: Outbox, grid: EntityGrid, detailed: Set<GridEntity>): void {
    const details: NumberedDetails[] = [];
    let bytes = 0;
    for (const entity of detailed) {
      const place = grid.placeOf(entity);
      const isInRange = place !== undefined && this.#regions.includes(...place);
      if (isInRange && bytes > 0 && bytes + detailsBytes(entity) > DETAILS_BYTES_PER_TICK) break;
      detailed.delete(entity);
      if (!isInRange) continue;
      details.push({ number: entity.number, ...entity.details });
      bytes += detailsBytes(entity);
    }
    if (details.length > 0) out.write({ kind: "entityDetails", details });
  }
}

function detailsBytes({ details: { tags, data } }: GridEntity): number {
  return tags.reduce((sum, tag) => sum + DETAIL_BYTES + tag.length, DETAIL_BYTES + data.length);
}
