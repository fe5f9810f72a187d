import type { ClusterFolders } from "@orthant/cluster";
import type { Timer, TimeSource } from "@orthant/core";
import { sleep } from "@orthant/core/time";
import { type Disk, GatedDisk } from "@orthant/disk";
import type { Prng } from "@orthant/testkit";
import type { MemoryBackbone, MemoryHub } from "@orthant/testkit/cluster";

/** One life of a process: its time and connection, which pause and end together. */
export class HeldProcess {
  readonly time: HeldTime;
  readonly backbone: MemoryBackbone;

  constructor(time: TimeSource, hub: MemoryHub) {
    this.time = new HeldTime(time);
    this.backbone = hub.connect();
  }

  /** Ends it at an arbitrary point. */
  kill(): void {
    this.backbone.kill();
    this.time.kill();
  }

  pause(): void {
    this.backbone.pause();
    this.time.pause();
  }

  resume(): void {
    this.time.resume();
    this.backbone.resume();
  }
}

/** The time of one process: it may pause, jump and end. */
export class HeldTime implements TimeSource {
  readonly #time: TimeSource;
  #jumpedMs = 0;
  #held: (() => void)[] | undefined;
  #isDead = false;

  constructor(time: TimeSource) {
    this.#time = time;
  }

  nowMs(): number {
    return this.#time.nowMs() + this.#jumpedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.#cancellable(callback, (happen) => this.#time.after(delayMs, happen));
  }

  wait(delayMs: number, callback: () => void): Timer {
    return this.#cancellable(callback, (happen) => this.#time.wait(delayMs, happen));
  }

  /** Runs `act` in the process: now, when it resumes, or never. */
  happen(act: () => void): void {
    if (this.#isDead) return;
    if (this.#held === undefined) act();
    else this.#held.push(act);
  }

  /** Shifts the machine's time. Timers are not affected. */
  jump(byMs: number): void {
    this.#jumpedMs += byMs;
  }

  pause(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const act of held) this.happen(act);
  }

  kill(): void {
    this.#isDead = true;
  }

  /** Makes sure that a held call can still be cancelled. */
  #cancellable(callback: () => void, start: (happen: () => void) => Timer): Timer {
    let isCancelled = false;
    const timer = start(() =>
      this.happen(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }
}

/** Latency of the shared folders. */
export interface FolderPace {
  readonly slowChance: number;
  readonly slowMsMax: number;
}

/** The shared folders as seen by one process: slow at times, and unreachable while it is paused or dead. */
export class HeldFolders implements ClusterFolders {
  readonly #store: ClusterFolders;
  readonly #time: TimeSource;
  readonly #process: HeldTime;
  readonly #prng: Prng;
  readonly #pace: FolderPace;
  #afterRead: (() => void) | undefined;

  constructor(store: ClusterFolders, time: TimeSource, process: HeldTime, prng: Prng, pace: FolderPace) {
    this.#store = store;
    this.#time = time;
    this.#process = process;
    this.#prng = prng;
    this.#pace = pace;
  }

  names(path: string): Promise<readonly string[]> {
    return this.#gate(async () => {
      const names = await this.#store.names(path);
      this.#afterRead?.();
      this.#afterRead = undefined;
      return names;
    });
  }

  /**
   * Calls `act` after the process's next read of a folder, before it gets the result. `undefined` cancels
   * that.
   */
  afterRead(act: (() => void) | undefined): void {
    this.#afterRead = act;
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
      await sleep(this.#time, delayMs);
    }
    await new Promise<void>((resolve) => this.#process.happen(resolve));
  }
}
