import {
  type Box,
  type ChunkShape,
  OrthantError,
  type Position,
  positionsLexicographic,
  regionsTouching,
} from "@orthant/core";
import type { InterestArea, SyncClient } from "@orthant/protocol";
import { type Deferred, deferred } from "./deferred.ts";
import { type Interest, interestArea, interestsEqual } from "./interest.ts";
import { RegionWaits } from "./region-waits.ts";

/** What a client looks at, and the promises that wait for it. */
export class ReplicaView {
  readonly #waits = new RegionWaits();
  #interest: Interest | undefined;
  #area: Required<InterestArea> | undefined;
  #syncClient: SyncClient | undefined;
  #completion: Deferred<void> | undefined;
  #ending: OrthantError | undefined;

  constructor(interest: Interest | undefined) {
    this.#interest = interest;
  }

  /** Reads regions from this client from now on. */
  follow(syncClient: SyncClient): void {
    this.#syncClient = syncClient;
  }

  /** Changes the look. An invalid one throws at once if the world's shape is known, or else later. */
  setInterest(interest: Interest): void {
    const shape = this.#syncClient?.world?.shape;
    if (shape !== undefined) {
      const area = interestArea(shape, interest);
      // A game may repeat its look in every frame it draws.
      if (this.#area === undefined || !interestsEqual(shape, this.#area, area)) this.#see(area);
    }
    this.#interest = interest;
  }

  /** Applies the look that was requested before the shape was known. Throws when it is too large. */
  welcomed(shape: ChunkShape): void {
    if (this.#interest !== undefined && this.#area === undefined)
      this.#see(interestArea(shape, this.#interest));
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
    if (this.#interest === undefined) throw notHeld("no interest is set: call setInterest first");
    if (this.#syncClient?.isComplete) return;
    this.#completion ??= deferred<void>();
    await this.#completion.promise;
  }

  /** Resolves when every region of a box of chunks is held. Call it after the client has joined. */
  async holding(box: Box): Promise<SyncClient> {
    const regions = [...positionsLexicographic(regionsTouching(box))];
    for (;;) {
      const syncClient = this.#syncClient;
      if (syncClient === undefined) throw notHeld("the client has not joined");
      const missing = regions.filter((region) => syncClient.clockOf(region) === undefined);
      const [next] = missing;
      if (next === undefined) return syncClient;
      if (this.#ending !== undefined) throw this.#ending;
      const outside = missing.find((region) => !syncClient.wants(region));
      if (outside !== undefined) throw outsideInterest(outside);
      await this.#waits.whenHeld(next);
    }
  }

  #see(area: Required<InterestArea>): void {
    const { boxes, center, motion } = area;
    this.#syncClient?.setInterest({ boxes, center, motion });
    this.#area = area;
    this.#waits.endUnless((region) => this.#syncClient?.wants(region) ?? false, outsideInterest);
  }
}

/** Returns the error for a request that the client cannot answer. */
export function notHeld(detail: string): OrthantError {
  return new OrthantError("ORT_NOT_HELD", detail);
}

function outsideInterest(region: Position): OrthantError {
  return notHeld(`region [${region}] is outside the interest: call setInterest`);
}
