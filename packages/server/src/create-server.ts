import type { Dimensions } from "@orthant/core";
import { printable, wrongArgument } from "@orthant/core/arguments";
import { Axes } from "@orthant/core/lattice";
import { type GameMessages, PLAIN_DATA } from "@orthant/core/world";
import { type Account, SyncServer } from "@orthant/protocol/server";
import { World } from "@orthant/world";
import { type Logger, pino } from "pino";
import { Registry } from "prom-client";
import { authorizationOf } from "./auth/authorization.ts";
import { Revocations } from "./auth/revocations.ts";
import { checkedServerOptions } from "./checked-options.ts";
import { ErrorOutput } from "./error-output.ts";
import { isLoopback } from "./http/addresses.ts";
import { ConnectionLimiter } from "./http/connection-limiter.ts";
import { hostCheck } from "./http/host-and-origin.ts";
import { metricsRuleOf } from "./http/http-handler.ts";
import { HttpListener } from "./http/http-listener.ts";
import { limitsOf } from "./http/limits.ts";
import { readPage } from "./http/page-files.ts";
import { registerClusterMetrics } from "./metrics/cluster-metrics.ts";
import { ServerMetrics } from "./metrics/server-metrics.ts";
import { movementLimits, reachRule } from "./movement.ts";
import { OrthantServer, type OrthantServerContext } from "./orthant-server.ts";
import type { ServerOptions } from "./server-options.ts";
import { type RuledWorld, syncRulesOf } from "./sync/checked-rules.ts";
import type { GameRules } from "./sync/game-rules.ts";
import { noteGeneration } from "./sync/generation-notice.ts";
import { operationLimitsOf } from "./sync/operation-options.ts";
import { syncWorldOf } from "./sync/sync-world-of.ts";
import { steadyTime } from "./sync/tick-timer.ts";
import { Wire1Listener } from "./wire1/wire1-listener.ts";

const TICK_MS = 100;
const LOOPBACK = "127.0.0.1";

/**
 * Serves a world. Resolves when it listens, throws `ORT_LISTEN` if it cannot, `ORT_ARGUMENT` for bad options.
 */
export async function createServer<D extends Dimensions = Dimensions, Message = unknown, Sent = unknown>(
  given: ServerOptions<D, Message, Sent>,
): Promise<OrthantServer<D, Sent>> {
  const options = checkedServerOptions(given);
  const { port = 0, host: address = LOOPBACK, tickMs = TICK_MS, proxies = 0 } = options;
  const world = "engine" in options.world ? options.world.engine : options.world;
  const axes = new Axes<D>(world.shape);
  const worldCodec = "dataCodec" in options.world ? options.world.dataCodec : PLAIN_DATA;
  const { dataCodec = worldCodec } = options;
  const limits = limitsOf(options.limits);
  const time = options.time ?? steadyTime;
  const log = loggerOf(options.logger);
  const expected = new Map<bigint, Account>();
  const dayMs = (): number => options.time?.nowMs() ?? Date.now();
  const revocations = new Revocations(dayMs, options.revoked ?? []);
  const { authorize, trustsMachine, anonymous } = authorizationOf({
    auth: options.auth,
    hook: options.authorize,
    isLoopback: isLoopback(address) && proxies === 0,
    nowMs: dayMs,
    insider: ({ clientId }) => expected.get(clientId),
    // Not the error itself: the library includes the token's content in it.
    onRefused: (why) => log.debug({ why: String(why) }, "credentials refused"),
    onError: (error) => reportGameError(error, "authorize failed"),
  });
  const page = options.page === undefined ? undefined : await readPage(options.page);
  const listener = await HttpListener.create(options.tls, limits);
  const limiter = new ConnectionLimiter(limits, time);
  const metrics: ServerMetrics = new ServerMetrics(options.metrics?.registry ?? new Registry(), {
    connections: () => limiter.connectionCount,
    players: () => sync.players.length,
    regions: () => sync.regionCounts,
    generation: () => world.generation,
    loadedBytes: () => syncWorld.loadedBytes?.() ?? 0,
    hasFailed: () => world.failure !== undefined,
    wire1: () => wire1?.counts,
  });
  if (options.cluster !== undefined) registerClusterMetrics(metrics.registry, options.cluster);
  let wire1: Wire1Listener | undefined;
  const reportError = (error: unknown, message: string, about: object = {}): void => {
    metrics.error();
    log.error({ err: error, ...about }, message);
  };
  const errorOutput = new ErrorOutput(time);
  /** Reports an error of a function of the game, whose author must see it also without a log. */
  const reportGameError = (error: unknown, message: string, about: { readonly rule?: string } = {}): void => {
    reportError(error, message, about);
    if (log.isLevelEnabled("error")) return;
    errorOutput.write(about.rule === undefined ? message : `${message}: ${about.rule}`, error);
  };
  const syncWorld = "syncWorld" in world ? world.syncWorld : await syncWorldOf(world);
  noteGeneration(syncWorld, log);
  const { movement } = options;
  const rules = syncRulesOf(
    rulesWith(options.rules, options.messages),
    { axes, world: syncWorld, dataCodec, ...transactionsOf(options.world) },
    (rule, error) => reportGameError(error, "a rule of the game failed", { rule }),
    ({ playerId }, fault) => log.debug({ player: playerId.toString(), fault }, "a message was refused"),
  );
  const sync: SyncServer = new SyncServer({
    world: syncWorld,
    time,
    authorize,
    checkAccount: (account) => revocations.faultOf(account),
    acknowledge: options.acknowledge ?? "applied",
    readOnly: options.readOnly ?? false,
    tickMs,
    ...(options.precision !== undefined && { precision: options.precision }),
    ...(options.entityRates !== undefined && { entityRates: options.entityRates }),
    pause: setImmediate,
    limits,
    operations: operationLimitsOf(options.operations),
    rules: movement === undefined ? rules : { ...rules, ...reachRule(movement, axes) },
    movement: movement && movementLimits(movement, axes, syncWorld),
    events: { ...metrics.events, onFailure: (error) => reportError(error, "the sync server failed") },
  });
  const parts: OrthantServerContext<D> = {
    world,
    axes,
    sync,
    revocations,
    listener,
    limiter,
    metrics,
    log,
    time,
    limits,
    tickMs,
    proxies,
    originRule: { origins: options.origins, loopbackOnly: trustsMachine },
    trustsMachine,
    refusalOfHost: hostCheck(
      { hosts: options.hosts, address, isSecure: listener.isSecure, proxies },
      log,
      time,
    ),
    metricsRule: metricsRuleOf(options.metrics),
    page,
    game: options.onRequest && {
      handler: options.onRequest,
      onError: (error) => reportGameError(error, "onRequest failed"),
    },
    cluster: options.cluster,
    messages: options.messages ?? {},
    closeWorld: options.closeWorld ?? false,
  };
  try {
    if (options.wire1 !== undefined) {
      const onError = reportError;
      const shared = { world: syncWorld, sync, expected, time, limits, log, onError };
      wire1 = await Wire1Listener.listen({ ...shared, options: options.wire1, anonymous });
    }
    return await OrthantServer.listen({ ...parts, wire1 }, port, address);
  } catch (error) {
    await wire1?.close();
    await sync.shutdown("the server never listened", 0); // it listens to the world, which outlives it
    throw error;
  }
}

/** Returns the rules of a game with the validator of its messages. */
function rulesWith<D extends Dimensions>(
  rules: GameRules<D> = {},
  { fromClient }: GameMessages = {},
): GameRules<D> {
  if (fromClient === undefined) return rules;
  if (rules.message === undefined || rules.message === fromClient) return { ...rules, message: fromClient };
  throw wrongArgument(
    "rules.message",
    rules.message,
    "messages.fromClient checks the same messages: give one of them",
  );
}

/** Returns what shows transactions of a world to rules: nothing for a part of a world on several servers. */
function transactionsOf<D extends Dimensions>(
  world: ServerOptions<D>["world"],
): Pick<RuledWorld<D>, "transactionOf"> {
  if ("syncWorld" in world) return {};
  const shown = "engine" in world ? world : new World<D>(world);
  return { transactionOf: (transaction) => shown.shownTransaction(transaction) };
}

function loggerOf(logger: ServerOptions["logger"]): Logger {
  if (logger === false) return pino({ enabled: false });
  if (logger !== undefined && "child" in logger) return logger;
  const streamWrite = logger?.hooks?.streamWrite ?? ((line: string) => line);
  return pino({ ...logger, hooks: { ...logger?.hooks, streamWrite: (line) => streamWrite(safeLine(line)) } });
}

/**
 * Returns a line of JSON that is safe to show on a terminal. JSON keeps C1 controls and direction marks; the
 * escapes of `printable` are also valid in it.
 */
function safeLine(line: string): string {
  return `${printable(line.trimEnd())}\n`;
}
