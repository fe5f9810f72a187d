import type { ChunkShape } from "@orthant/core";
import type { Vector } from "../../message/being.ts";
import type { Holding } from "./holding.ts";
import { distanceTo } from "./interest-area.ts";

/** Regions that are looked at for one client in one tick. */
const LOOKS_PER_CLIENT = 512;
/** Regions that are looked at for all clients in one tick: hundreds of clients may wait for thousands each. */
const LOOKS_PER_TICK = 16_384;

/** Regions that may still be looked at in one tick, for all clients together. */
export class TickLooks {
  #left = LOOKS_PER_TICK;

  /** Begins a tick. */
  startTick(): void {
    this.#left = LOOKS_PER_TICK;
  }

  /** Takes one look; false when there are no more in this tick. */
  take(): boolean {
    return this.#left-- > 0;
  }
}

/** `sent` takes a region out of the queue, `later` leaves it and goes on, `full` leaves it and ends. */
export type Look = "sent" | "later" | "full";

/** The regions that a client has to get, whole, and nearest first. */
export class SendQueue {
  readonly #shape: ChunkShape;
  /** The nearest last, unless the order has to be made anew. */
  #holdings: Holding[] = [];
  #isInOrder = true;
  #focus: Vector = [0, 0, 0, 0];

  constructor(shape: ChunkShape) {
    this.#shape = shape;
  }

  /** How many regions wait. */
  get size(): number {
    return this.#holdings.length;
  }

  /** Puts a region into the queue, unless it is there. */
  add(holding: Holding): void {
    if (holding.isQueued) return;
    holding.isQueued = true;
    holding.distance = distanceTo(holding.region.place, this.#focus, this.#shape);
    this.#holdings.push(holding);
    this.#isInOrder = false;
  }

  /** Drops regions that the client no longer wants, and orders the rest by the distance to another point. */
  aim(focus: Vector): void {
    this.#focus = focus;
    this.#holdings = this.#holdings.filter(({ slot }) => slot >= 0);
    for (const holding of this.#holdings) {
      holding.distance = distanceTo(holding.region.place, focus, this.#shape);
    }
    this.#isInOrder = false;
  }

  /** Shows regions, nearest first, to somebody who says what becomes of them. */
  take(tickLooks: TickLooks, look: (holding: Holding) => Look): void {
    const holdings = this.#holdings;
    if (!this.#isInOrder) holdings.sort((a, b) => b.distance - a.distance);
    this.#isInOrder = true;
    const left: Holding[] = [];
    for (let looks = 0; looks < LOOKS_PER_CLIENT && tickLooks.take(); looks++) {
      const holding = holdings.pop();
      if (holding === undefined) break;
      // The client no longer wants it.
      if (holding.slot < 0) {
        holding.isQueued = false;
        continue;
      }
      const outcome = look(holding);
      if (outcome === "sent") holding.isQueued = false;
      else left.push(holding);
      if (outcome === "full") break;
    }
    for (let holding = left.pop(); holding !== undefined; holding = left.pop()) holdings.push(holding);
  }
}
