import { type IntervalHistogram, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

/** How late the timers of a process were, in milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly longest: number;
  /** The longest time that the garbage collector took at once. */
  readonly longestCollection: number;
}

/** Looks every millisecond how late it is. */
export class LatenessWatch {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: 1 });

  #longestCollection = 0;
  readonly #collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      this.#longestCollection = Math.max(this.#longestCollection, duration);
    }
  });

  constructor() {
    this.#histogram.enable();
    this.#collections.observe({ entryTypes: ["gc"] });
  }

  /** Ends looking, and says how late it was. */
  end(): Lateness {
    this.#histogram.disable();
    this.#collections.disconnect();
    // The histogram has the time from one look to the next, which is a millisecond when nothing is in the way.
    const ms = (nanoseconds: number): number => nanoseconds / 1e6 - 1;
    const share = (percent: number): number => ms(this.#histogram.percentile(percent));
    return {
      p50: share(50),
      p99: share(99),
      p999: share(99.9),
      longest: ms(this.#histogram.max),
      longestCollection: this.#longestCollection,
    };
  }
}
