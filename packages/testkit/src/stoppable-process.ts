import { OrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import { type Disk, type DiskLock, GatedDisk } from "@orthant/disk";

interface LockState {
  /** Token of the holder; `undefined` when the lock is free. */
  holder: string | undefined;
  holderProcess: number;
  isContested: boolean;
}

/** The locks of a disk that several processes of a test share. */
export class SharedLocks {
  readonly #locks = new Map<string, LockState>();
  #processes = 0;
  #taken = 0;

  /** Returns the number of a process that starts now. */
  join(): number {
    return ++this.#processes;
  }

  /**
   * Takes a lock for a process, even from a process that started earlier and did not release it, as if that
   * one had been silent for long enough. Throws `ORT_LOCKED` if the holder started later.
   */
  take(path: string, process: number = this.join()): DiskLock {
    const token = String(++this.#taken).padStart(16, "0");
    const lock = getOrAdd(this.#locks, path, () => ({
      holder: undefined,
      holderProcess: 0,
      isContested: false,
    }));
    if (lock.holder !== undefined) {
      if (lock.holderProcess >= process)
        throw new OrthantError("ORT_LOCKED", "another process has it", { path });
      lock.isContested = true;
    }
    lock.holder = token;
    lock.holderProcess = process;
    return {
      token,
      isContested: lock.isContested,
      requireHeld: async () => {
        if (lock.holder !== token) throw new OrthantError("ORT_LOCKED", "the lock was taken away", { path });
      },
      settle: async () => {
        if (lock.holder === token) lock.isContested = false;
      },
      release: async () => {
        if (lock.holder === token) lock.holder = undefined;
      },
    };
  }
}

/** A process of a test, as a disk sees it: it can be stopped before any of its calls, and resumed later. */
export class StoppableProcess {
  readonly disk: Disk;
  /** Number of calls. */
  calls = 0;
  #stopsBefore = Infinity;
  #isStopped = false;
  #goOn: (() => void)[] = [];
  #onStopped: () => void = () => undefined;

  constructor(disk: Disk, locks: SharedLocks) {
    this.disk = new ProcessDisk(disk, locks, (happen) => this.#call(happen));
  }

  /** Resolves when the process stops before its call of this number, counted from 0. */
  stopBefore(call: number): Promise<void> {
    this.#stopsBefore = call;
    return new Promise((resolve) => {
      this.#onStopped = resolve;
    });
  }

  /** Lets it run to its end. */
  goOn(): void {
    this.#isStopped = false;
    this.#stopsBefore = Infinity;
    for (const go of this.#goOn.splice(0)) go();
  }

  async #call<Result>(happen: () => Promise<Result>): Promise<Result> {
    if (this.calls++ === this.#stopsBefore) {
      this.#isStopped = true;
      this.#onStopped();
    }
    while (this.#isStopped) await new Promise<void>((resolve) => this.#goOn.push(resolve));
    return happen();
  }
}

type Call = <Result>(happen: () => Promise<Result>) => Promise<Result>;

class ProcessDisk extends GatedDisk {
  readonly #locks: SharedLocks;
  readonly #process: number;
  readonly #call: Call;

  constructor(disk: Disk, locks: SharedLocks, call: Call) {
    super(disk, (_call, happen) => call(happen));
    this.#locks = locks;
    this.#process = locks.join();
    this.#call = call;
  }

  override async lock(path: string): Promise<DiskLock> {
    const lock = await this.#call(async () => this.#locks.take(path, this.#process));
    const { token, isContested } = lock;
    return {
      ...{ token, isContested },
      requireHeld: () => this.#call(() => lock.requireHeld()),
      settle: () => this.#call(() => lock.settle()),
      release: () => this.#call(() => lock.release()),
    };
  }
}
