import type { FolderStore } from "@orthant/cluster";
import { type Clock, sleep } from "@orthant/core";
import { type Disk, GatedDisk } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";
import type { HeldClock } from "./held-clock.ts";

/** Latency of the shared folders. */
export interface FolderPace {
  readonly slowChance: number;
  readonly slowMsMax: number;
}

/** The shared folders as seen by one process: slow at times, and unreachable while it is paused or dead. */
export class HeldFolders implements FolderStore {
  readonly #store: FolderStore;
  readonly #clock: Clock;
  readonly #process: HeldClock;
  readonly #prng: Prng;
  readonly #pace: FolderPace;
  #afterLook: (() => void) | undefined;

  constructor(store: FolderStore, clock: Clock, process: HeldClock, prng: Prng, pace: FolderPace) {
    this.#store = store;
    this.#clock = clock;
    this.#process = process;
    this.#prng = prng;
    this.#pace = pace;
  }

  names(path: string): Promise<readonly string[]> {
    return this.#gate(async () => {
      const names = await this.#store.names(path);
      this.#afterLook?.();
      this.#afterLook = undefined;
      return names;
    });
  }

  /**
   * Calls `act` after the process's next read of a folder, before it gets the result. `undefined` cancels
   * that.
   */
  afterLook(act: (() => void) | undefined): void {
    this.#afterLook = act;
  }

  make(path: string): Promise<void> {
    return this.#gate(() => this.#store.make(path));
  }

  move(from: string, to: string): Promise<void> {
    return this.#gate(() => this.#store.move(from, to));
  }

  disk(path: string): Disk {
    return new GatedDisk(this.#store.disk(path), (_call, happen) => this.#gate(happen));
  }

  async #gate<Result>(happen: () => Promise<Result>): Promise<Result> {
    await this.#travel();
    try {
      return await happen();
    } finally {
      await this.#travel();
    }
  }

  /** Delays a request or an answer. A paused or dead process neither sends nor receives. */
  async #travel(): Promise<void> {
    const { slowChance, slowMsMax } = this.#pace;
    if (this.#prng.chance(slowChance)) {
      const delayMs = this.#prng.between(1, slowMsMax);
      await sleep(this.#clock, delayMs);
    }
    await new Promise<void>((resolve) => this.#process.happen(resolve));
  }
}
