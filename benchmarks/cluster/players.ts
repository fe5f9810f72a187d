import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { NatsConnection } from "@nats-io/transport-node";
import type { NatsCluster } from "@orthant/testkit/nats";
import { Child } from "../child.ts";
import { atMost, type Figure, median, ofLimit, told } from "../figure.ts";
import {
  CROWD_PROGRAM,
  type CrowdOrder,
  type CrowdReport,
  SERVER_PROGRAM,
  type ServerOrder,
  type ServerReport,
} from "../server/orders.ts";
import { sized } from "../size.ts";
import { type BenchmarkCluster, WORLD } from "./nats-cluster-run.ts";

const GATEWAYS = 2;
const PLAYERS = sized(400, 10);
const EDITS_PER_SECOND = 200;
const ROUNDS = sized(5, 1);
const SETTLE_MS = sized(2_000, 500);
const ROUND_MS = sized(6_000, 1_000);
const BARE_MS = sized(2_000, 500);
const BARE_AT_ONCE = 10;
const SUBJECT = "fan";
/** Length of the system's clock tick, its unit of processor time. */
const TICK_US = 10_000;
/** Processor time of an edit at its owner, and in all NATS servers together. */
const OWNER_MS_MAX = 0.5;
const NATS_MS_MAX = 0.5;
/** Processor time of a player at a gateway, as a multiple of that on one server with as many players and edits. */
const GATEWAY_RATIO_MAX = 1.25;

type Gateway = Child<ServerOrder, ServerReport>;
type Crowd = Child<CrowdOrder, CrowdReport>;

/** One round: what the players received, its processor time, and the bare NATS measurement after it. */
interface Round {
  readonly crowd: CrowdReport;
  readonly ms: number;
  readonly gatewaysUs: number;
  readonly ownerUs: number;
  readonly natsUs: number;
  /** Processor time of one server, and the length of its measurement. */
  readonly serverUs: number;
  readonly serverMs: number;
  readonly bareMessages: number;
  readonly bareMs: number;
  readonly bareNatsUs: number;
}

/**
 * Players on two gateways, who move and edit like those of the suite `server`. Baselines, alternating: NATS itself
 * sends messages of the size of one edit to as many connections, without a store, reported per second of processor time on
 * the sending side; and one server with its own world, with the players of one gateway and the edits of all.
 */
export async function* playerFigures(
  connection: NatsConnection,
  nats: NatsCluster,
  cluster: BenchmarkCluster,
): AsyncGenerator<Figure> {
  const settings = { servers: nats.urls, world: WORLD };
  const gateways = Array.from({ length: GATEWAYS }, () => new Child(SERVER_PROGRAM, settings) as Gateway);
  const server = new Child(SERVER_PROGRAM) as Gateway;
  const crowd: Crowd = new Child(CROWD_PROGRAM);
  const guests: Crowd = new Child(CROWD_PROGRAM);
  try {
    const ready = await Promise.all(gateways.map((gateway) => gateway.ask({ kind: "report" })));
    const urls = ready.map(({ port }) => `ws://127.0.0.1:${port}`);
    await crowd.ask({ kind: "join", urls, count: PLAYERS });
    await crowd.ask({ kind: "joinNats", servers: nats.urls, subject: SUBJECT, count: PLAYERS });
    const { port } = await server.ask({ kind: "report" });
    await guests.ask({ kind: "join", urls: [`ws://127.0.0.1:${port}`], count: PLAYERS / GATEWAYS });
    const rounds: Round[] = [];
    for (let index = 0; index < ROUNDS; index++) {
      const alone = await measureServer(server, guests);
      rounds.push({ ...(await measure(connection, nats, cluster, gateways, crowd)), ...alone });
    }
    yield* figures(rounds);
    const { faults } = await crowd.ask({ kind: "leave" });
    if (faults.length > 0)
      yield { ...told("cluster/player-faults", faults.length, "faults", faults.join("; ")), missed: true };
  } finally {
    for (const child of [crowd, guests, server, ...gateways]) child.end();
  }
}

async function measure(
  connection: NatsConnection,
  nats: NatsCluster,
  cluster: BenchmarkCluster,
  gateways: readonly Gateway[],
  crowd: Crowd,
): Promise<Omit<Round, "serverUs" | "serverMs">> {
  await crowd.ask({ kind: "move", editsPerSecond: EDITS_PER_SECOND });
  await delay(SETTLE_MS);
  await crowd.ask({ kind: "reset" });
  const before = await processorUs(nats, cluster, gateways);
  const startMs = performance.now();
  await delay(ROUND_MS);
  const seen = await crowd.ask({ kind: "report" });
  const ms = performance.now() - startMs;
  const after = await processorUs(nats, cluster, gateways);
  await crowd.ask({ kind: "stop" });
  await delay(SETTLE_MS);
  await crowd.ask({ kind: "reset" });
  const natsBefore = natsUs(nats);
  const bareBytes = Math.max(16, Math.round(seen.frameBytes / Math.max(1, seen.editsSeen)));
  const bareMs = await publishBare(connection, bareBytes);
  const { bareMessages } = await crowd.ask({ kind: "report" });
  return {
    ...{ crowd: seen, ms, bareMessages, bareMs, bareNatsUs: natsUs(nats) - natsBefore },
    gatewaysUs: after.gateways - before.gateways,
    ownerUs: after.owner - before.owner,
    natsUs: after.nats - before.nats,
  };
}

/** Measures one server while the players move and edit. */
async function measureServer(server: Gateway, guests: Crowd): Promise<Pick<Round, "serverUs" | "serverMs">> {
  await guests.ask({ kind: "move", editsPerSecond: EDITS_PER_SECOND });
  await delay(SETTLE_MS);
  const before = await server.ask({ kind: "report" });
  const startMs = performance.now();
  await delay(ROUND_MS);
  const after = await server.ask({ kind: "report" });
  const serverMs = performance.now() - startMs;
  await guests.ask({ kind: "stop" });
  await delay(SETTLE_MS);
  return { serverUs: after.cpuUs - before.cpuUs, serverMs };
}

function* figures(rounds: readonly Round[]): Generator<Figure> {
  const middle = (value: (round: Round) => number): number => median(rounds.map(value));
  const perSecond = middle(({ crowd, ms }) => (crowd.editsSeen * 1_000) / ms);
  const ours = middle(({ crowd, gatewaysUs }) => (crowd.editsSeen * 1e6) / gatewaysUs);
  const bare = middle(({ bareMessages, bareNatsUs }) => (bareMessages * 1e6) / bareNatsUs);
  const barePerSecond = middle(({ bareMessages, bareMs }) => (bareMessages * 1_000) / bareMs);
  yield ofLimit(
    "cluster/deliveries",
    middle(
      ({ crowd, gatewaysUs, bareMessages, bareNatsUs }) =>
        crowd.editsSeen / gatewaysUs / (bareMessages / bareNatsUs),
    ),
    "bare NATS fan-out by processor time",
    undefined,
    `${Math.round(perSecond)} edits/s to ${PLAYERS} players on ${GATEWAYS} gateways; ` +
      `${Math.round(ours)} for a second of the processor, bare ${Math.round(bare)} (${Math.round(barePerSecond)}/s)`,
  );
  const share = middle(({ crowd }) => crowd.editsSeen / Math.max(1, crowd.editsMade * PLAYERS));
  const p99 = middle(({ crowd }) => crowd.latencyMs.p99).toFixed(0);
  yield told(
    "cluster/players-see",
    middle(({ crowd }) => crowd.latencyMs.p50),
    "ms at p50",
    `p99 ${p99} ms; a tick is 100 ms; ${(share * 100).toFixed(1)} % of edits seen by all clients within the round`,
  );
  const perEdit = (us: (round: Round) => number): number =>
    middle((round) => us(round) / Math.max(1, round.crowd.editsMade)) / 1_000;
  yield atMost(
    "cluster/owner-cpu",
    perEdit(({ ownerUs }) => ownerUs),
    "ms of the processor an edit",
    OWNER_MS_MAX,
    `${EDITS_PER_SECOND} edits a second`,
  );
  yield atMost(
    "cluster/nats-cpu",
    perEdit((round) => round.natsUs),
    "ms of the processor an edit",
    NATS_MS_MAX,
    "three servers together",
  );
  const gateway = ({ gatewaysUs, ms }: Round): number => gatewaysUs / ms / PLAYERS;
  const server = ({ serverUs, serverMs }: Round): number => (serverUs * GATEWAYS) / serverMs / PLAYERS;
  yield atMost(
    "cluster/gateway-cpu",
    middle((round) => gateway(round) / server(round)),
    "of one server by processor time",
    GATEWAY_RATIO_MAX,
    `${middle(gateway).toFixed(2)} ms a second a player, on a server ${middle(server).toFixed(2)}; ` +
      `${PLAYERS / GATEWAYS} players each, who see ${EDITS_PER_SECOND} edits a second`,
  );
}

async function processorUs(
  nats: NatsCluster,
  cluster: BenchmarkCluster,
  gateways: readonly Gateway[],
): Promise<{ readonly nats: number; readonly owner: number; readonly gateways: number }> {
  const reports = await Promise.all(gateways.map((gateway) => gateway.ask({ kind: "report" })));
  const used = reports.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
  return { nats: natsUs(nats), owner: await cluster.ownerCpuUs(), gateways: used };
}

/** Returns the processor time of the servers, as the system counts it. */
function natsUs({ nodes }: NatsCluster): number {
  let ticks = 0;
  for (const { processId } of nodes) {
    // The fields after the program's name, which may contain blanks: user and system time are fields 14 and
    // 15 of the whole line.
    const fields = readFileSync(`/proc/${processId}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_US;
}

/** Publishes as fast as the server accepts it. */
async function publishBare(connection: NatsConnection, bytes: number): Promise<number> {
  const message = new Uint8Array(bytes);
  const startMs = performance.now();
  while (performance.now() - startMs < BARE_MS) {
    for (let count = 0; count < BARE_AT_ONCE; count++) connection.publish(SUBJECT, message);
    await connection.flush();
  }
  return performance.now() - startMs;
}
