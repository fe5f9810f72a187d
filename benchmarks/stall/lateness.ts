import {
  constants,
  type IntervalHistogram,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";

/** Lateness of a process's timers, in milliseconds. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly longest: number;
  /** Longest pause for garbage collection. */
  readonly longestCollection: number;
  /** Pauses for garbage collection, by kind. */
  readonly collections: readonly Collections[];
}

/** The pauses of one kind of garbage collection. */
export interface Collections {
  readonly kind: string;
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

/** Names of the kinds that the runtime reports. */
const KINDS = new Map<unknown, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weak"],
]);

/** The entry of a collection; the types of Node lack its detail. */
type CollectorEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

const NO_PAUSES: Omit<Collections, "kind"> = { count: 0, totalMs: 0, longestMs: 0 };

/** Measures the lateness every millisecond. */
export class LatenessWatch {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: 1 });

  readonly #pauses = new Map<string, Collections>();
  readonly #collector = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as CollectorEntry;
      const kind = KINDS.get(detail.kind) ?? "other";
      const { count, totalMs, longestMs } = this.#pauses.get(kind) ?? NO_PAUSES;
      const longest = Math.max(longestMs, duration);
      this.#pauses.set(kind, { kind, count: count + 1, totalMs: totalMs + duration, longestMs: longest });
    }
  });

  constructor() {
    this.#histogram.enable();
    this.#collector.observe({ entryTypes: ["gc"] });
  }

  /** Stops measuring and returns the lateness. */
  end(): Lateness {
    this.#histogram.disable();
    this.#collector.disconnect();
    // The histogram has the time between two measurements, which is a millisecond when nothing delays them.
    const ms = (nanoseconds: number): number => nanoseconds / 1e6 - 1;
    const share = (percent: number): number => ms(this.#histogram.percentile(percent));
    return {
      p50: share(50),
      p99: share(99),
      p999: share(99.9),
      longest: ms(this.#histogram.max),
      longestCollection: Math.max(0, ...Array.from(this.#pauses.values(), ({ longestMs }) => longestMs)),
      collections: [...this.#pauses.values()],
    };
  }
}
