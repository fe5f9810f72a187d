import type { ChunkShape } from "@orthant/core";
import type { Vector } from "../../message/entity.ts";
import type { Holding } from "./holding.ts";
import { distanceTo } from "./interest-area.ts";

/** Regions examined per client and tick. */
const LOOKS_PER_CLIENT = 512;
/** Regions examined for all clients per tick, because hundreds of clients may wait for thousands each. */
const LOOKS_PER_TICK = 16_384;

/** The number of regions that may still be examined in this tick, for all clients together. */
export class TickLooks {
  #left = LOOKS_PER_TICK;

  /** Begins a tick. */
  startTick(): void {
    this.#left = LOOKS_PER_TICK;
  }

  /** Takes one look. Returns false when none are left in this tick. */
  take(): boolean {
    return this.#left-- > 0;
  }
}

/** `sent` removes a region from the queue, `later` keeps it and continues, `full` keeps it and stops. */
export type Look = "sent" | "later" | "full";

/** The regions to send completely to a client, nearest first. */
export class SendQueue {
  readonly #shape: ChunkShape;
  /** Nearest last, unless they must be sorted again. */
  #holdings: Holding[] = [];
  #isInOrder = true;
  #focus: Vector = [0, 0, 0, 0];

  constructor(shape: ChunkShape) {
    this.#shape = shape;
  }

  /** Number of waiting regions. */
  get size(): number {
    return this.#holdings.length;
  }

  /** Adds a region unless it is queued already. */
  add(holding: Holding): void {
    if (holding.isQueued) return;
    holding.isQueued = true;
    holding.distance = distanceTo(holding.region.position, this.#focus, this.#shape);
    this.#holdings.push(holding);
    this.#isInOrder = false;
  }

  /** Drops regions that the client no longer wants, and sorts the rest by distance from a new point. */
  aim(focus: Vector): void {
    this.#focus = focus;
    this.#holdings = this.#holdings.filter(({ slot }) => slot >= 0);
    for (const holding of this.#holdings) {
      holding.distance = distanceTo(holding.region.position, focus, this.#shape);
    }
    this.#isInOrder = false;
  }

  /** Calls `look` with regions, nearest first, to decide what happens to each. */
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
