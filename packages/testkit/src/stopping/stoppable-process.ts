import { OrthantError } from "@orthant/core";
import { type Disk, type DiskLock, GatedDisk } from "@orthant/disk";

interface LockState {
  /** The token of the holder; `undefined` when the lock is free. */
  holder: string | undefined;
  holderProcess: number;
  isContested: boolean;
}

/** Who has the locks of a disk that several processes of a test share. */
export class SharedLocks {
  readonly #locks = new Map<string, LockState>();
  #processes = 0;
  #taken = 0;

  /** Gives the number of a process that starts now. */
  join(): number {
    return ++this.#processes;
  }

  /**
   * Takes a lock for a process, also from a process that started earlier and did not release it: to the taker it was
   * silent for long enough. A process that started later is not silent: `ORT_LOCKED`.
   */
  take(path: string, process: number = this.join()): DiskLock {
    const token = String(++this.#taken).padStart(16, "0");
    const lock = this.#locks.get(path) ?? { holder: undefined, holderProcess: 0, isContested: false };
    this.#locks.set(path, lock);
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

/** A process of a test, as far as a disk sees it: it can be stopped before any of its calls, and go on later. */
export class StoppableProcess {
  readonly disk: Disk;
  /** How many calls it made. */
  calls = 0;
  #stopsBefore = Infinity;
  #isStopped = false;
  #goOn: (() => void)[] = [];
  #onStopped: () => void = () => undefined;

  constructor(disk: Disk, locks: SharedLocks) {
    this.disk = new ProcessDisk(disk, locks, (happen) => this.#call(happen));
  }

  /** Resolves when the process stands still before its call of this number, counted from 0. */
  stopBefore(call: number): Promise<void> {
    this.#stopsBefore = call;
    return new Promise((resolve) => {
      this.#onStopped = resolve;
    });
  }

  /** Lets it go on, to its end. */
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
