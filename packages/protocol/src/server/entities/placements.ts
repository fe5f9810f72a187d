import type { Pose } from "../../message/entity.ts";

/** A pose that the server has set. */
export interface Placement {
  readonly number: number;
  readonly pose: Pose;
  /** Why, for the player. */
  readonly reason: string;
}

/** Players whose clients have not confirmed a pose; the oldest is forgotten beyond this. */
const PLACEMENTS_MAX = 4_096;

/** The poses that the game has set and no client has confirmed, so that a reconnect does not undo them. */
export class Placements {
  readonly #open = new Map<bigint, Placement>();
  readonly #nowMs: () => number;
  #lastNumber = 0;

  /** Numbers start with the time, so that they also rise across restarts. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns the number of the next pose that the server sets. */
  nextNumber(): number {
    this.#lastNumber = Math.max(this.#lastNumber + 1, Math.floor(this.#nowMs()));
    return this.#lastNumber;
  }

  /** Remembers the pose of a player until it is confirmed. */
  add(playerId: bigint, placement: Placement): void {
    this.#open.delete(playerId);
    this.#open.set(playerId, placement);
    if (this.#open.size <= PLACEMENTS_MAX) return;
    for (const oldest of this.#open.keys()) {
      this.#open.delete(oldest);
      break;
    }
  }

  /** Returns the pose of a player that no client has confirmed. */
  of(playerId: bigint): Placement | undefined {
    return this.#open.get(playerId);
  }

  confirm(playerId: bigint, number: number): void {
    if (this.#open.get(playerId)?.number === number) this.#open.delete(playerId);
  }
}
