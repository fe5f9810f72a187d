/** An operation that waits for its turn. */
interface Waiting {
  readonly account: RunningCount;
  readonly runningMax: number;
  readonly start: () => Promise<void>;
}

/** How many operations of an account run. */
export interface RunningCount {
  running: number;
}

/** Lets operations run in the order of the requests, as many at once as the server and each account may. */
export class OperationQueue {
  readonly #runningMax: number;
  #waiting: Waiting[] = [];
  #running = 0;

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** Starts an operation when it is its turn. `start` must not reject. */
  add(account: RunningCount, runningMax: number, start: () => Promise<void>): void {
    this.#waiting.push({ account, runningMax, start });
    this.#startSome();
  }

  #startSome(): void {
    while (this.#running < this.#runningMax) {
      const index = this.#waiting.findIndex(({ account, runningMax }) => account.running < runningMax);
      const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (next === undefined) return;
      const { account, start } = next;
      this.#running++;
      account.running++;
      void start().finally(() => {
        this.#running--;
        account.running--;
        this.#startSome();
      });
    }
  }
}
