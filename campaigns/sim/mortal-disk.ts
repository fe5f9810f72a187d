import { type Clock, sleep } from "@orthant/core";
import { GatedDisk, type MemoryDisk } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";

/** How slow a disk is, in virtual time. */
export interface DiskPace {
  /** The chance that an operation takes its time; the others are done at once. */
  readonly slowChance: number;
  readonly slowMsMax: number;
}

/**
 * The disk of one life of a server. Its operations take their time, and from the moment of a crash none of them is
 * made, nor ever answered: whoever was at work is gone.
 */
export class MortalDisk extends GatedDisk {
  readonly #clock: Clock;
  readonly #prng: Prng;
  /** May be changed at any time. */
  pace: DiskPace = { slowChance: 0, slowMsMax: 0 };
  #isDead = false;

  constructor(disk: MemoryDisk, clock: Clock, prng: Prng) {
    super(disk, (_call, happen) => this.#make(happen));
    this.#clock = clock;
    this.#prng = prng;
  }

  /** Ends all work on the disk, in the middle of whatever was done. */
  kill(): void {
    this.#isDead = true;
  }

  /** Makes one operation, in its time, if there is still somebody who wants it. */
  async #make<Result>(operation: () => Promise<Result>): Promise<Result> {
    const { slowChance, slowMsMax } = this.pace;
    if (slowChance > 0 && this.#prng.chance(slowChance)) {
      const delayMs = this.#prng.between(1, slowMsMax);
      await sleep(this.#clock, delayMs);
    }
    if (this.#isDead) return new Promise<never>(() => undefined);
    return operation();
  }
}
