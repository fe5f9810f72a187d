import type { Vector } from "@orthant/core";
import type { NumberedEntity, ServerMessage } from "@orthant/protocol/internal";

/** Poses that a member remembers: those of some seconds. */
const REMEMBERED = 64;
/** Steps in a voxel, as the server states them. */
const STEPS = 64;

/** The latest poses of one player, the oldest of which the next one replaces. */
class OwnPoses {
  readonly #x = new Float64Array(REMEMBERED);
  readonly #z = new Float64Array(REMEMBERED);
  readonly #sentMs = new Float64Array(REMEMBERED);
  #count = 0;

  add(x: number, z: number): void {
    const slot = this.#count++ % REMEMBERED;
    this.#x[slot] = x;
    this.#z[slot] = z;
    this.#sentMs[slot] = performance.now();
  }

  /** Returns when a pose was sent last; `undefined` if it is not remembered. */
  sentMs(x: number, z: number): number | undefined {
    for (let index = this.#count - 1; index >= Math.max(0, this.#count - REMEMBERED); index--) {
      const slot = index % REMEMBERED;
      if (this.#x[slot] === x && this.#z[slot] === z) return this.#sentMs[slot];
    }
    return undefined;
  }
}

/** When each player took which pose. */
export class SentPoses {
  readonly #byPlayer = new Map<bigint, OwnPoses>();

  /** Records that a player has sent a position. */
  sent(playerId: bigint, [x, , z]: Vector): void {
    let own = this.#byPlayer.get(playerId);
    if (own === undefined) {
      own = new OwnPoses();
      this.#byPlayer.set(playerId, own);
    }
    own.add(Math.round(x * STEPS), Math.round(z * STEPS));
  }

  /** Returns how long ago a player took a position, in steps; `undefined` if they did not. */
  ageMs(playerId: bigint, x: number, z: number): number | undefined {
    const sentMs = this.#byPlayer.get(playerId)?.sentMs(x, z);
    return sentMs === undefined ? undefined : performance.now() - sentMs;
  }
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
