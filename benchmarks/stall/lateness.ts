import { type IntervalHistogram, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

/** Lateness of a process's timers, in milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly longest: number;
  /** The longest pause for garbage collection. */
  readonly longestCollection: number;
}

/** Measures the lateness every millisecond. */
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

  /** Stops measuring and returns the lateness. */
  end(): Lateness {
    this.#histogram.disable();
    this.#collections.disconnect();
    // The histogram has the time between two measurements, which is a millisecond when nothing delays them.
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
