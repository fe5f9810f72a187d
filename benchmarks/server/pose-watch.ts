import type { Vector } from "@orthant/core";
import type { NumberedEntity, ServerMessage } from "@orthant/protocol/internal";

/** Poses that a member remembers: those of some seconds. */
const REMEMBERED = 64;
/** Steps in a voxel, as the server states them. */
const STEPS = 64;

/** When each player took which pose. */
export class SentPoses {
  readonly #byPlayer = new Map<bigint, Map<string, number>>();

  /** Records that a player has sent a position. */
  sent(playerId: bigint, [x, , z]: Vector): void {
    const own = this.#byPlayer.get(playerId) ?? new Map<string, number>();
    this.#byPlayer.set(playerId, own);
    own.set(keyOf(Math.round(x * STEPS), Math.round(z * STEPS)), performance.now());
    for (const oldest of own.keys()) {
      if (own.size <= REMEMBERED) break;
      own.delete(oldest);
    }
  }

  /** Returns how long ago a player took a position, in steps; `undefined` if they did not. */
  ageMs(playerId: bigint, x: number, z: number): number | undefined {
    const sentMs = this.#byPlayer.get(playerId)?.get(keyOf(x, z));
    return sentMs === undefined ? undefined : performance.now() - sentMs;
  }
}

function keyOf(x: number, z: number): string {
  return `${x} ${z}`;
}

interface Place {
  readonly playerId: bigint;
  x: number;
  z: number;
}

/** Follows the players that one member sees, and measures how old their poses are when they arrive. */
export class PoseWatch {
  readonly #poses: SentPoses;
  readonly #onAge: (ms: number) => void;
  readonly #places = new Map<number, Place>();

  constructor(poses: SentPoses, onAge: (ms: number) => void) {
    this.#poses = poses;
    this.#onAge = onAge;
  }

  take(message: ServerMessage): void {
    if (message.kind === "allEntities") {
      this.#places.clear();
      for (const entity of message.entities) this.#enter(entity);
    } else if (message.kind === "entities") {
      for (const number of message.left) this.#places.delete(number);
      for (const entity of message.entered) this.#enter(entity);
    } else if (message.kind === "moves") {
      const [x, z] = [message.absolute & 1, message.absolute & 4];
      for (const { number, steps } of message.moves) {
        const place = this.#places.get(number);
        if (place === undefined) continue;
        place.x = (x === 0 ? place.x : 0) + steps[0];
        place.z = (z === 0 ? place.z : 0) + steps[2];
        const ageMs = this.#poses.ageMs(place.playerId, place.x, place.z);
        if (ageMs !== undefined) this.#onAge(ageMs);
      }
    }
  }

  #enter({ number, id, position }: NumberedEntity): void {
    const [x, , z] = position;
    this.#places.set(number, { playerId: id, x: Math.round(x * STEPS), z: Math.round(z * STEPS) });
  }
}
