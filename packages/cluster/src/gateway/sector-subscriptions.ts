import type { Position } from "@orthant/core";
import type { Subscription } from "../backbone/backbone.ts";
import { nameOfPosition, sectorOfRegion } from "../shard/sectors.ts";

interface Sector {
  regions: number;
  following: Promise<Subscription>;
  isFailed: boolean;
}

/** Follows each sector that has at least one wanted region, once. */
export class SectorSubscriptions {
  readonly #follow: (sector: string) => Promise<Subscription>;
  readonly #sectors = new Map<string, Sector>();

  constructor(follow: (sector: string) => Promise<Subscription>) {
    this.#follow = follow;
  }

  /** Returns true if some region of a sector is wanted. */
  has(sector: string): boolean {
    return this.#sectors.has(sector);
  }

  /** Adds a wanted region. Resolves when its sector is followed; if that fails, the region stays wanted. */
  async enter(region: Position): Promise<void> {
    const name = nameOfPosition(sectorOfRegion(region));
    const known = this.#sectors.get(name);
    const sector = known ?? { regions: 0, following: this.#follow(name), isFailed: false };
    sector.regions++;
    this.#sectors.set(name, sector);
    if (known === undefined) this.#watchFailure(sector);
    else if (sector.isFailed) this.#followAgain(name, sector);
    await sector.following;
  }

  /** Removes a wanted region. Returns true if it was the last one of its sector. */
  leave(region: Position): boolean {
    const name = nameOfPosition(sectorOfRegion(region));
    const sector = this.#sectors.get(name);
    if (sector === undefined || --sector.regions > 0) return false;
    this.#sectors.delete(name);
    end(sector);
    return true;
  }

  /** Retries sectors that could not be followed. */
  retry(): void {
    for (const [name, sector] of this.#sectors) if (sector.isFailed) this.#followAgain(name, sector);
  }

  /** Stops following. */
  close(): void {
    for (const sector of this.#sectors.values()) end(sector);
    this.#sectors.clear();
  }

  #followAgain(name: string, sector: Sector): void {
    sector.isFailed = false;
    sector.following = this.#follow(name);
    this.#watchFailure(sector);
  }

  #watchFailure(sector: Sector): void {
    sector.following.catch(() => {
      sector.isFailed = true;
    });
  }
}

function end({ following }: Sector): void {
  following.then(
    (subscription) => subscription.end(),
    // A sector that was never followed needs no end.
    () => undefined,
  );
}
