import {
  type Box,
  type ChunkShape,
  OrthantError,
  type Position,
  positionsLexicographic,
  regionsTouching,
} from "@orthant/core";
import type { Guest } from "@orthant/protocol";
import { type Deferred, deferred } from "./deferred.ts";
import { type Look, type Sight, sightOf, sightsEqual } from "./look.ts";
import { RegionWaits } from "./region-waits.ts";

/** What a client looks at, and the promises that wait for it. */
export class ReplicaView {
  readonly #waits = new RegionWaits();
  #look: Look | undefined;
  #sight: Sight | undefined;
  #guest: Guest | undefined;
  #completion: Deferred<void> | undefined;
  #ending: OrthantError | undefined;

  constructor(look: Look | undefined) {
    this.#look = look;
  }

  /** Reads regions from this client from now on. */
  follow(guest: Guest): void {
    this.#guest = guest;
  }

  /** Changes the look. An invalid one throws at once if the world's shape is known, or else later. */
  look(look: Look): void {
    const shape = this.#guest?.world?.shape;
    if (shape !== undefined) {
      const sight = sightOf(shape, look);
      // A game may repeat its look in every frame it draws.
      if (this.#sight === undefined || !sightsEqual(shape, this.#sight, sight)) this.#see(sight);
    }
    this.#look = look;
  }

  /** Applies the look that was requested before the shape was known. Throws when it is too large. */
  welcomed(shape: ChunkShape): void {
    if (this.#look !== undefined && this.#sight === undefined) this.#see(sightOf(shape, this.#look));
  }

  /** Handles the arrival of a region. */
  held(region: Position): void {
    this.#waits.held(region);
  }

  /** Handles the arrival of everything that is looked at. */
  completed(): void {
    this.#completion?.resolve();
    this.#completion = undefined;
  }

  /** Rejects all waits, because nothing more will arrive. */
  end(error: OrthantError): void {
    this.#ending = error;
    this.#completion?.reject(error);
    this.#waits.endUnless(
      () => false,
      () => error,
    );
  }

  /** Resolves when everything that is looked at has arrived. */
  async complete(): Promise<void> {
    if (this.#ending !== undefined) throw this.#ending;
    if (this.#look === undefined) throw notHeld("nothing is looked at: call look first");
    if (this.#guest?.isComplete) return;
    this.#completion ??= deferred<void>();
    await this.#completion.promise;
  }

  /** Resolves when every region of a box of chunks is held. Call it after the client has joined. */
  async holding(box: Box): Promise<Guest> {
    const regions = [...positionsLexicographic(regionsTouching(box))];
    for (;;) {
      const guest = this.#guest;
      if (guest === undefined) throw notHeld("the client has not joined");
      const missing = regions.filter((region) => guest.clockOf(region) === undefined);
      const [next] = missing;
      if (next === undefined) return guest;
      if (this.#ending !== undefined) throw this.#ending;
      const outside = missing.find((region) => !guest.wants(region));
      if (outside !== undefined) throw notLookedAt(outside);
      await this.#waits.whenHeld(next);
    }
  }

  #see(sight: Sight): void {
    const { boxes, center, motion } = sight;
    this.#guest?.setInterest({ boxes, center, motion });
    this.#sight = sight;
    this.#waits.endUnless((region) => this.#guest?.wants(region) ?? false, notLookedAt);
  }
}

/** Returns the error for a request that the client cannot answer. */
export function notHeld(detail: string): OrthantError {
  return new OrthantError("ORT_NOT_HELD", detail);
}

function notLookedAt(region: Position): OrthantError {
  return notHeld(`region [${region}] is outside of what the client looks at: call look`);
}
