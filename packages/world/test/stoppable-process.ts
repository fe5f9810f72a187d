import { type Clock, OrthantError } from "@orthant/core";
import { type Disk, type DiskLock, GatedDisk } from "@orthant/disk";

/** Who has the lock of a disk that several processes of a test share. */
export class SharedLock {
  #holder: string | undefined;
  #isContested = false;
  #taken = 0;

  /** Takes the lock, also from a holder that did not release it: to the taker it was silent for long enough. */
  take(path: string): DiskLock {
    const token = String(++this.#taken).padStart(16, "0");
    if (this.#holder !== undefined) this.#isContested = true;
    this.#holder = token;
    return {
      token,
      isContested: this.#isContested,
      requireHeld: async () => {
        if (this.#holder !== token) throw new OrthantError("ORT_LOCKED", "the lock was taken away", { path });
      },
      settle: async () => {
        if (this.#holder === token) this.#isContested = false;
      },
      release: async () => {
        if (this.#holder === token) this.#holder = undefined;
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

  constructor(disk: Disk, lock: SharedLock) {
    this.disk = new ProcessDisk(disk, lock, (happen) => this.#call(happen));
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
  readonly #lock: SharedLock;
  readonly #call: Call;

  constructor(disk: Disk, lock: SharedLock, call: Call) {
    super(disk, (_call, happen) => call(happen));
    this.#lock = lock;
    this.#call = call;
  }

  override async lock(path: string): Promise<DiskLock> {
    const lock = await this.#call(async () => this.#lock.take(path));
    const { token, isContested } = lock;
    return {
      ...{ token, isContested },
      requireHeld: () => this.#call(() => lock.requireHeld()),
      settle: () => this.#call(() => lock.settle()),
      release: () => this.#call(() => lock.release()),
    };
  }
}

/** A clock on which every pause is over in the next turn, and nothing happens in the background. */
export function hastyClock(): Clock {
  let nowMs = 1_000_000;
  return {
    nowMs: () => ++nowMs,
    after: () => ({ cancel: () => undefined }),
    wait: (_delayMs, callback) => {
      const timer = setImmediate(callback);
      return { cancel: () => clearImmediate(timer) };
    },
  };
}
