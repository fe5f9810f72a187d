import { setTimeout as delay } from "node:timers/promises";
import { ClusterGateway } from "@orthant/cluster";
import { connectNats } from "@orthant/cluster/nats";
import { systemTime } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
} from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type ServerOptions } from "@orthant/server";
import { TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { createWorldEngine } from "@orthant/world/engine";
import { type WebSocket, WebSocketServer } from "ws";
import { endWithParent } from "../child.ts";
import { changedVoxels } from "../rooms/changed-voxels.ts";
import type { ChangedSettings } from "../rooms/orders.ts";
import {
  type ClusterSettings,
  type ServerOrder,
  type ServerReport,
  TICK_MS,
  type UsageOrder,
} from "./orders.ts";
import { usageOf } from "./usage.ts";

/** Number of values up to each bound of a histogram. */
type Buckets = ReadonlyMap<number, number>;

/** Returns the counts of one histogram in a page of metrics. */
function bucketsOf(page: string, name: string): Buckets {
  const lines = page.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"\\} (\\d+)$`, "gm"));
  return new Map(
    Array.from(lines, ([, upTo, count]) => [upTo === "+Inf" ? Infinity : Number(upTo), Number(count)]),
  );
}

/** Returns a quantile of the values counted since `earlier`, assuming an even spread inside each bucket. */
function bucketQuantile(now: Buckets, earlier: Buckets, share: number): number {
  const wanted = ((now.get(Infinity) ?? 0) - (earlier.get(Infinity) ?? 0)) * share;
  let lower = { upTo: 0, count: 0 };
  for (const [upTo, total] of now) {
    const count = total - (earlier.get(upTo) ?? 0);
    if (count >= wanted) {
      if (upTo === Infinity) return lower.upTo;
      return lower.upTo + ((upTo - lower.upTo) * (wanted - lower.count)) / Math.max(1, count - lower.count);
    }
    lower = { upTo, count };
  }
  return Number.NaN;
}

// The process of the server: a shared world, and bare sockets for comparison.

const UNLIMITED = 1_000_000;
/** A bare socket with more unsent bytes than this is skipped until it has fewer, as any sender must do. */
const BARE_BACKLOG_BYTES = 65_536;

endWithParent();

const server = await createServer({
  world: await openWorld(JSON.parse(process.argv[2] ?? "{}") as Partial<ClusterSettings & ChangedSettings>),
  logger: false,
  tickMs: TICK_MS,
  auth: { anonymous: true },
  // All clients come from one address here.
  limits: {
    connectionsMax: UNLIMITED,
    connectionsPerAddress: UNLIMITED,
    httpSocketsPerAddress: UNLIMITED,
    httpRequestsPerSecond: UNLIMITED,
    httpRequestsBurst: UNLIMITED,
    budgetsPerNetwork: UNLIMITED,
  },
});
const bareServer = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
const bareSockets: WebSocket[] = [];
bareServer.on("connection", (socket) => bareSockets.push(socket));

let bareMessages = 0;
let bareMs = 0;
let ticksBefore: Buckets = new Map();

process.on("message", (order: ServerOrder | UsageOrder) => void handle(order));

async function handle(order: ServerOrder | UsageOrder): Promise<void> {
  if (order.kind === "usage" || order.kind === "collect") {
    process.send?.(usageOf(order, server.port));
    return;
  }
  if (order.kind === "reset") ticksBefore = await ticks();
  if (order.kind === "bare") await sendBare(order.bytes, order.forMs);
  if (order.kind === "bareTicks") await tickBare(order.bytes, order.everyMs, order.forMs);
  process.send?.(await report());
}

/** Sends to all in turn, as fast as they accept it; unsent messages do not count. */
async function sendBare(bytes: number, forMs: number): Promise<void> {
  const message = new Uint8Array(bytes);
  const startMs = performance.now();
  bareMessages = 0;
  while (performance.now() - startMs < forMs) {
    for (const socket of bareSockets) {
      if (socket.bufferedAmount > BARE_BACKLOG_BYTES) continue;
      socket.send(message);
      bareMessages++;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  bareMs = performance.now() - startMs;
}

/** Sends one message to each in every interval. */
async function tickBare(bytes: number, everyMs: number, forMs: number): Promise<void> {
  const timer = setInterval(() => {
    const message = new Uint8Array(bytes);
    for (const socket of bareSockets) socket.send(message);
  }, everyMs);
  await delay(forMs);
  clearInterval(timer);
}

async function report(): Promise<ServerReport> {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const now = await ticks();
  return {
    port: server.port,
    barePort: (bareServer.address() as { readonly port: number }).port,
    tickMs: {
      p50: bucketQuantile(now, ticksBefore, 0.5) * 1_000,
      p99: bucketQuantile(now, ticksBefore, 0.99) * 1_000,
    },
    cpuUs: user + system,
    residentBytes: rss,
    usedBytes: heapUsed + external,
    bareMessages,
    bareMs,
  };
}

async function ticks(): Promise<Buckets> {
  const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  return bucketsOf(page, "orthant_tick_seconds");
}

/** Opens a world of this process, or one of a cluster. */
async function openWorld({
  servers,
  world,
  changedCount = 0,
}: Partial<ClusterSettings & ChangedSettings>): Promise<ServerOptions["world"]> {
  const generators = DEFAULT_GENERATORS;
  if (servers !== undefined && world !== undefined) {
    const backbone = await connectNats({ servers, credentials: TEST_CREDENTIALS });
    return (await ClusterGateway.open({ backbone, time: systemTime, generators, world })).served;
  }
  const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n);
  const engine = await createWorldEngine(new MemoryDisk(), { generator }, { generators });
  if (changedCount > 0) await engine.edit(changedVoxels(changedCount));
  return engine;
}
