import {
  type Box,
  type ChunkShape,
  OrthantError,
  type Place,
  placesLexicographic,
  regionsTouching,
} from "@orthant/core";
import type { Guest } from "@orthant/protocol";
import { type Deferred, deferred } from "./deferred.ts";
import { type Look, type Sight, sightOf, sightsEqual } from "./look.ts";
import { RegionWaits } from "./region-waits.ts";

/** What a client looks at, and those who wait for it to come. */
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

  /** From now on regions come to this guest. */
  follow(guest: Guest): void {
    this.#guest = guest;
  }

  /** Looks at something else. Refused at once where the world's shape is known, else when it is. */
  look(look: Look): void {
    const shape = this.#guest?.world?.shape;
    if (shape !== undefined) {
      const sight = sightOf(shape, look);
      // A game may say the same with every picture that it draws.
      if (this.#sight === undefined || !sightsEqual(shape, this.#sight, sight)) this.#see(sight);
    }
    this.#look = look;
  }

  /** The shape is known: makes the look that was asked for before. Throws when that is too much. */
  welcomed(shape: ChunkShape): void {
    if (this.#look !== undefined && this.#sight === undefined) this.#see(sightOf(shape, this.#look));
  }

  /** A region came. */
  held(region: Place): void {
    this.#waits.held(region);
  }

  /** All that is looked at came. */
  completed(): void {
    this.#completion?.resolve();
    this.#completion = undefined;
  }

  /** Nothing more will come. */
  end(error: OrthantError): void {
    this.#ending = error;
    this.#completion?.reject(error);
    this.#waits.endUnless(
      () => false,
      () => error,
    );
  }

  /** Resolves when all that is looked at is here. */
  async complete(): Promise<void> {
    if (this.#ending !== undefined) throw this.#ending;
    if (this.#look === undefined) throw notHeld("nothing is looked at: call look first");
    if (this.#guest?.isComplete) return;
    this.#completion ??= deferred<void>();
    await this.#completion.promise;
  }

  /** Resolves when every region of a box of chunks is held; to be called once the client has joined. */
  async holding(box: Box): Promise<Guest> {
    const regions = [...placesLexicographic(regionsTouching(box))];
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

/** The error of a client that is asked for what it does not have. */
export function notHeld(detail: string): OrthantError {
  return new OrthantError("ORT_NOT_HELD", detail);
}

function notLookedAt(region: Place): OrthantError {
  return notHeld(`region [${region}] is outside of what the client looks at: call look`);
}
