import { Counter, Gauge, type Registry } from "prom-client";

/** Registers a gauge whose value is looked up when it is read. */
export function showGauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

/** Registers a counter of what something else counts. */
export function showCount(registry: Registry, name: string, help: string, count: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(count());
    },
  });
}

/** Registers a counter with a label, of what something else counts by the label's values. */
export function showCounts(
  registry: Registry,
  [name, label]: readonly [name: string, label: string],
  help: string,
  counts: () => Readonly<Record<string, number>>,
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, count] of Object.entries(counts())) this.inc({ [label]: value }, count);
    },
  });
}
