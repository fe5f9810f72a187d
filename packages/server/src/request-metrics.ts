import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import { REFUSALS, type RefusalName } from "./front-door.ts";
import type { PageMetrics } from "./page-entrance.ts";

/** What every process counts that answers requests. docs/reference/server.md lists the same names. */
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
    // What never happened is there as 0: an alarm can only be set on a number that exists.
    for (const name of REFUSALS) this.#refusals.inc({ name }, 0);
    processRegistry(); // the delay of the event loop is measured from now on
  }

  /** Somebody was not let in, or was thrown out, by the server itself. */
  refused(name: RefusalName): void {
    this.#refusals.inc({ name });
  }

  /** Something of ours, or of the game's, threw. */
  error(): void {
    this.#errors.inc();
  }

  /** All numbers, with those of the process, as Prometheus reads them. */
  async text(): Promise<string> {
    return `${await this.registry.metrics()}\n${await processRegistry().metrics()}`;
  }
}

let sharedProcessRegistry: Registry | undefined;

/** Memory, processor time and event loop delay: one for all servers of a process, because nothing ever stops it. */
function processRegistry(): Registry {
  if (sharedProcessRegistry === undefined) {
    sharedProcessRegistry = new Registry();
    collectDefaultMetrics({ register: sharedProcessRegistry });
  }
  return sharedProcessRegistry;
}
