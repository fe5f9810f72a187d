import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import { REFUSALS, type RefusalName } from "./front-door.ts";
import type { PageMetrics } from "./page-entrance.ts";

/** Metrics of every process that answers requests. docs/reference/server.md lists the same names. */
export class RequestMetrics implements PageMetrics {
  readonly registry: Registry;
  readonly #refusals: Counter;
  readonly #errors: Counter;

  constructor(registry: Registry) {
    this.registry = registry;
    const registers = [registry];
    this.#refusals = new Counter({
      name: "orthant_refusals_total",
      help: "Requests refused and connections dropped, by why.",
      labelNames: ["name"],
      registers,
    });
    this.#errors = new Counter({
      name: "orthant_errors_total",
      help: "Faults in the server or in a game's rules.",
      registers,
    });
    // Exposes counters as 0 before their first event, because alarms need an existing number.
    for (const name of REFUSALS) this.#refusals.inc({ name }, 0);
    processRegistry(); // starts to measure the delay of the event loop
  }

  /** Counts a client that the server itself refused or disconnected. */
  refused(name: RefusalName): void {
    this.#refusals.inc({ name });
  }

  /** Counts an error in our own code, or in the game's. */
  error(): void {
    this.#errors.inc();
  }

  /** Returns all metrics, with those of the process, in the format of Prometheus. */
  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${await processRegistry().metrics()}`;
  }
}

let sharedProcessRegistry: Registry | undefined;

/** Memory, processor time and event loop delay: shared within a process, because it cannot be stopped. */
function processRegistry(): Registry {
  if (sharedProcessRegistry === undefined) {
    sharedProcessRegistry = new Registry();
    collectDefaultMetrics({ register: sharedProcessRegistry });
  }
  return sharedProcessRegistry;
}
