import type { SeenEntity } from "@orthant/protocol";
import type { EntitiesChange } from "@orthant/protocol/client";
import { DisplayTime } from "./display-time.ts";
import { EntityTrack } from "./entity-track.ts";

/** Moves the entities in sight smoothly, a little behind the server, between the poses that it has sent. */
export class MovingEntities {
  readonly #time = new DisplayTime();
  readonly #tracks = new Map<number, EntityTrack>();

  /** Handles the start of a connection to a server that ticks this often. */
  welcomed(tickMs: number): void {
    this.#time.start(tickMs);
    this.#tracks.clear();
  }

  /** Handles the server's time, modulo `CLOCK_WRAP_MS`, of the changes that come next. */
  clock(timeMs: number, nowMs: number): void {
    this.#time.received(timeMs, nowMs);
  }

  /** Handles changes of entities. */
  change({ entered, changed, left }: EntitiesChange, nowMs: number): void {
    for (const { number } of left) this.#tracks.delete(number);
    const { tickMs, newestMs = nowMs } = this.#time;
    const displayMs = this.#time.at(nowMs) ?? newestMs;
    for (const entity of [...entered, ...changed]) {
      const track = this.#tracks.get(entity.number);
      if (track !== undefined) track.add(entity, newestMs, tickMs, displayMs);
      else this.#tracks.set(entity.number, new EntityTrack(entity, newestMs, tickMs));
    }
  }

  /** Returns an entity with the pose to show at a time of the client. */
  at(entity: SeenEntity, nowMs: number): SeenEntity {
    const track = this.#tracks.get(entity.number);
    const displayMs = this.#time.at(nowMs);
    if (track === undefined || displayMs === undefined) return entity;
    return { ...entity, ...track.at(displayMs, this.#time.newestMs ?? displayMs) };
  }
}
