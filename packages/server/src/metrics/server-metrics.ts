import type { RejectionReason } from "@orthant/core/world";
import type { GoodbyeReason } from "@orthant/protocol";
import type { SyncLimits, SyncServerEvents, TickReport } from "@orthant/protocol/server";
import { WIRE1_DROPS, type Wire1Counts } from "@orthant/protocol/wire1";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { REFUSALS, type RefusalName } from "../http/connection-limiter.ts";
import type { HttpMetrics } from "../http/http-handler.ts";
import { showCounts, showGauge } from "./shown-metrics.ts";

/** Metrics of every process that answers requests. docs/reference/server.md lists the same names. */
export class RequestMetrics implements HttpMetrics {
  readonly registry: Registry;
  readonly #refusals: Counter;
  readonly #errors: Counter;

  constructor(registry: Registry) {
    this.registry = registry;
    const registers = [registry];
    this.#refusals = new Counter({
      name: "orthant_refusals_total",
      help: "Refused requests and dropped connections, by name.",
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

/** Values for the gauges. */
interface MetricSources {
  readonly connections: () => number;
  readonly players: () => number;
  readonly regions: () => { readonly watched: number; readonly held: number };
  readonly generation: () => number;
  /** Memory of the world's regions in bytes. */
  readonly loadedBytes: () => number;
  readonly hasFailed: () => boolean;
  /** `undefined` when the server does not listen for Wire v1. */
  readonly wire1: () => Wire1Counts | undefined;
}

const TICK_SECONDS_BUCKETS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5,
];

/** Reasons for goodbyes to clients; docs/reference/limits.md describes each. */
export const GOODBYE_REASONS: readonly GoodbyeReason[] = Object.keys({
  version: true,
  features: true,
  credentials: true,
  malformed: true,
  limit: true,
  replaced: true,
  kicked: true,
  idle: true,
  slow: true,
  shutdown: true,
  failure: true,
} satisfies Record<GoodbyeReason, true>) as GoodbyeReason[];

/** Limits that end a connection; excess of the others waits, or is refused by itself. */
const LIMITS_OF_GOODBYES: Partial<Record<GoodbyeReason, readonly (keyof SyncLimits)[]>> = {
  limit: [
    "bytesBeforeWelcome",
    "handshakeMs",
    "frameBytesMax",
    "framesPerSecond",
    "bytesPerSecond",
    "interestRegionsMax",
    "interestsPerSecond",
    "gameMessagesPerSecond",
    "chunkCoordinateMax",
    "clientsPerPlayer",
    "regionsPerPlayer",
    "budgetsPerNetwork",
    "watchedRegionsMax",
    "watchedBytesMax",
    "heldRegionsMax",
  ],
  idle: ["idleMs"],
  slow: ["slowMs"],
};

/** Outcomes of edits; docs/reference/limits.md describes each refusal. */
export const EDIT_OUTCOMES: readonly EditOutcome[] = Object.keys({
  applied: true,
  unchanged: true,
  duplicate: true,
  role: true,
  rate: true,
  tooMany: true,
  tooLarge: true,
  reach: true,
  vetoed: true,
  world: true,
  block: true,
  data: true,
} satisfies Record<EditOutcome, true>) as EditOutcome[];

type EditOutcome = "applied" | "unchanged" | "duplicate" | RejectionReason;

/** The metrics of a server. docs/reference/server.md lists the same names. */
export class ServerMetrics extends RequestMetrics {
  readonly #goodbyes: Counter;
  readonly #edits: Counter;
  readonly #resyncs: Counter;
  readonly #resyncRegions: Counter;
  readonly #patches: Counter;
  readonly #tickSeconds: Histogram;
  readonly #ticksSkipped: Counter;
  readonly #workSeconds: Counter;
  readonly #ticksCut: Counter;
  readonly #heldBack: Gauge;
  // Plain numbers, because there are tens of thousands of frames a second, and a scrape every few seconds.
  readonly #traffic = { in: { frames: 0, bytes: 0 }, out: { frames: 0, bytes: 0 } };

  constructor(registry: Registry, sources: MetricSources) {
    const { connections, players, regions, generation, loadedBytes, hasFailed, wire1 } = sources;
    super(registry);
    const registers = [registry];
    const gauge = (name: string, help: string, value: () => number): void =>
      showGauge(registry, name, help, value);
    gauge("orthant_connections", "Open connections.", connections);
    gauge("orthant_players", "Players online.", players);
    gauge("orthant_regions_watched", "Regions that at least one client holds.", () => regions().watched);
    gauge(
      "orthant_regions_held",
      "Regions that clients hold, counted once per client.",
      () => regions().held,
    );
    gauge("orthant_world_generation", "The last saved generation of the world.", generation);
    gauge("orthant_world_loaded_bytes", "Memory of the world's edited chunks and regions.", loadedBytes);
    gauge("orthant_world_failed", "1 when the world could not be saved and rejects edits.", () =>
      hasFailed() ? 1 : 0,
    );
    const traffic = this.#traffic;
    for (const what of ["frames", "bytes"] as const) {
      const help = `WebSocket ${what} received from clients and sent to them.`;
      showCounts(registry, [`orthant_${what}_total`, "direction"], help, () => ({
        in: traffic.in[what],
        out: traffic.out[what],
      }));
    }
    const counter = (name: string, help: string, ...labelNames: readonly string[]): Counter =>
      new Counter({ name, help, labelNames: [...labelNames], registers });
    this.#edits = counter("orthant_edits_total", "Edits, by outcome.", "outcome");
    this.#goodbyes = counter(
      "orthant_goodbyes_total",
      "Connections that the server ended, by reason and limit.",
      "reason",
      "limit",
    );
    this.#resyncs = counter("orthant_resyncs_total", "Resync requests of clients.");
    this.#resyncRegions = counter("orthant_resync_regions_total", "Regions that clients requested again.");
    this.#patches = counter("orthant_patches_total", "Patches sent.");
    this.#ticksSkipped = counter(
      "orthant_ticks_skipped_total",
      "Ticks skipped because earlier ones took too long.",
    );
    this.#heldBack = new Gauge({
      name: "orthant_sessions_held_back",
      help: "Clients whose budget was used up in the last tick.",
      registers,
    });
    this.#tickSeconds = new Histogram({
      name: "orthant_tick_seconds",
      help: "Duration of ticks.",
      buckets: TICK_SECONDS_BUCKETS,
      registers,
    });
    this.#workSeconds = counter(
      "orthant_tick_work_seconds_total",
      "Time spent on interests and on preparing regions.",
    );
    this.#ticksCut = counter("orthant_ticks_cut_total", "Ticks that left work for the next one.");
    registerWire1Metrics(registry, wire1);
    this.#showZeros();
  }

  /** Counts the events of the sync server. */
  readonly events: SyncServerEvents = {
    onGoodbye: (reason, limit) => this.#goodbyes.inc({ reason, limit: limit ?? "" }),
    onEditResult: (outcome) => this.#edits.inc({ outcome }),
    onTick: ({ patches, heldBack, workMs, isWorkCut }: TickReport) => {
      this.#patches.inc(patches);
      this.#workSeconds.inc(workMs / 1_000);
      if (isWorkCut) this.#ticksCut.inc();
      this.#heldBack.set(heldBack);
    },
    onResync: (regions) => {
      this.#resyncs.inc();
      this.#resyncRegions.inc(regions);
    },
  };

  /** Records a tick that took `seconds`, after `skipped` ones that were left out. */
  tick(seconds: number, skipped: number): void {
    this.#tickSeconds.observe(seconds);
    this.#ticksSkipped.inc(skipped);
  }

  /** Counts a frame. */
  frame(direction: "in" | "out", bytes: number): void {
    const traffic = this.#traffic[direction];
    traffic.frames++;
    traffic.bytes += bytes;
  }

  /** Exposes counters as 0 before their first event, because alarms need an existing number. */
  #showZeros(): void {
    for (const outcome of EDIT_OUTCOMES) this.#edits.inc({ outcome }, 0);
    for (const reason of GOODBYE_REASONS) {
      for (const limit of LIMITS_OF_GOODBYES[reason] ?? [""]) this.#goodbyes.inc({ reason, limit }, 0);
    }
  }
}

/** Registers the metrics of Wire v1; all of them are 0 when it is disabled. */
function registerWire1Metrics(registry: Registry, counts: () => Wire1Counts | undefined): void {
  const sessions = (): number => counts()?.sessions ?? 0;
  showGauge(registry, "orthant_wire1_sessions", "Sessions of Wire v1.", sessions);
  const datagrams = ["orthant_wire1_datagrams_total", "direction"] as const;
  showCounts(registry, datagrams, "Datagrams of Wire v1 that were received and sent.", () => ({
    in: counts()?.taken ?? 0,
    out: counts()?.sentDatagrams ?? 0,
  }));
  const dropped = ["orthant_wire1_dropped_total", "reason"] as const;
  showCounts(registry, dropped, "Datagrams of Wire v1 that were dropped, by reason.", () =>
    Object.fromEntries(WIRE1_DROPS.map((reason) => [reason, counts()?.dropped[reason] ?? 0])),
  );
}
