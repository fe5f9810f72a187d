import type { TimeSource } from "@orthant/core";
import { sleep } from "@orthant/core/time";
import { GatedDisk, type MemoryDisk } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";

/** Speed of a disk, in virtual time. */
export interface DiskPace {
  /** Probability that an operation is slow; the others are immediate. */
  readonly slowChance: number;
  readonly slowMsMax: number;
}

/**
 * The disk of one run of a server. Its operations may be slow. After a crash, no operation runs or ever
 * returns.
 */
export class CrashableDisk extends GatedDisk {
  readonly #time: TimeSource;
  readonly #prng: Prng;
  /** Speed of later operations; may change at any time. */
  pace: DiskPace = { slowChance: 0, slowMsMax: 0 };
  #isDead = false;

  constructor(disk: MemoryDisk, time: TimeSource, prng: Prng) {
    super(disk, (_call, happen) => this.#make(happen));
    this.#time = time;
    this.#prng = prng;
  }

  /** Stops all work on the disk, even between the operations of one task. */
  kill(): void {
    this.#isDead = true;
  }

  /** Runs one operation, sometimes after a delay, unless the disk is dead. */
  async #make<Result>(operation: () => Promise<Result>): Promise<Result> {
    const { slowChance, slowMsMax } = this.pace;
    if (slowChance > 0 && this.#prng.chance(slowChance)) {
      const delayMs = this.#prng.between(1, slowMsMax);
      await sleep(this.#time, delayMs);
    }
    if (this.#isDead) return new Promise<never>(() => undefined);
    return operation();
  }
}
