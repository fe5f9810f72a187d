import { OrthantError } from "@orthant/core";
import { ExpectedPlayers, Host } from "@orthant/protocol";
import { type Logger, pino } from "pino";
import { Registry } from "prom-client";
import { authorizationOf } from "./authorization.ts";
import { isLoopback } from "./client-address.ts";
import { registerClusterMetrics } from "./cluster-metrics.ts";
import { FrontDoor } from "./front-door.ts";
import { guardedRules } from "./guarded-rules.ts";
import { hostWorldOf } from "./host-world-of.ts";
import { HttpListener } from "./http-listener.ts";
import { ServerMetrics } from "./metrics.ts";
import { requireOrigins } from "./origin.ts";
import { OrthantServer, type ServerParts } from "./orthant-server.ts";
import { readPageFiles } from "./page-files.ts";
import { limitsOf } from "./server-limits.ts";
import type { ServerOptions } from "./server-options.ts";
import { steadyClock } from "./steady-clock.ts";
import { Wire1Listener } from "./wire1-listener.ts";

const TICK_MS = 100;
const LOOPBACK = "127.0.0.1";

/** Serves a world: listens when the promise resolves. `ORT_LISTEN` when it cannot, `ORT_ARGUMENT` for bad options. */
export async function createServer(options: ServerOptions): Promise<OrthantServer> {
  const { world, port = 0, host: address = LOOPBACK, tickMs = TICK_MS, proxies = 0 } = options;
  requireWholeNumber("proxies", proxies, 0);
  requireWholeNumber("tickMs", tickMs, 1);
  requireOrigins(options.origins ?? []);
  const limits = limitsOf(options.limits);
  const clock = options.clock ?? steadyClock;
  const log = loggerOf(options.logger);
  const expected = new ExpectedPlayers();
  const { authorize, trustsMachine, anonymous } = authorizationOf({
    auth: options.auth,
    hook: options.authorize,
    isLoopback: isLoopback(address) && proxies === 0,
    nowMs: () => options.clock?.nowMs() ?? Date.now(),
    insider: (hello) => expected.accountOf(hello),
    // Not the error itself: the library puts what it read from the token into it.
    onRefused: (why) => log.debug({ why: String(why) }, "credentials refused"),
    onError: (error) => reportError(error, "authorize failed"),
  });
  const files = options.page === undefined ? new Map() : await readPageFiles(options.page);
  const listener = await HttpListener.create(options.tls, limits);
  const door = new FrontDoor(limits, clock);
  const metrics: ServerMetrics = new ServerMetrics(options.metrics?.registry ?? new Registry(), {
    connections: () => door.connectionCount,
    players: () => host.players.length,
    generation: () => world.generation,
    hasFailed: () => world.failure !== undefined,
    wire1: () => wire1?.counts,
  });
  if (options.cluster !== undefined) registerClusterMetrics(metrics.registry, options.cluster);
  let wire1: Wire1Listener | undefined;
  const reportError = (error: unknown, message: string, about: object = {}): void => {
    metrics.error();
    log.error({ err: error, ...about }, message);
  };
  const hostWorld = "hostWorld" in world ? world.hostWorld : await hostWorldOf(world);
  const host: Host = new Host({
    world: hostWorld,
    clock,
    authorize,
    acknowledge: options.acknowledge ?? "applied",
    tickMs,
    limits,
    rules: guardedRules(options.rules ?? {}, (rule, error) =>
      reportError(error, "a rule of the game failed", { rule }),
    ),
    events: { ...metrics.events, onFailure: (error) => reportError(error, "the host failed") },
  });
  const parts: ServerParts = {
    world,
    host,
    listener,
    door,
    metrics,
    log,
    clock,
    limits,
    tickMs,
    proxies,
    originRule: { origins: options.origins, loopbackOnly: trustsMachine },
    trustsMachine,
    bearer: options.metrics?.bearer,
    files,
    closeWorld: options.closeWorld ?? false,
  };
  try {
    if (options.wire1 !== undefined) {
      const onError = reportError;
      const shared = { world: hostWorld, host, expected, clock, limits, log, onError };
      wire1 = await Wire1Listener.listen({ ...shared, options: options.wire1, anonymous });
    }
    return await OrthantServer.listen({ ...parts, wire1 }, port, address);
  } catch (error) {
    await wire1?.close();
    await host.shutdown("the server never listened", 0); // it follows the world, which lives on
    throw error;
  }
}

function requireWholeNumber(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw new OrthantError("ORT_ARGUMENT", `${name} is ${value}, not a whole number from ${min}`);
}

function loggerOf(logger: ServerOptions["logger"]): Logger {
  if (logger === false) return pino({ enabled: false });
  return logger !== undefined && "child" in logger ? logger : pino(logger ?? {});
}
