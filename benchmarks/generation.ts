import { setTimeout as delay } from "node:timers/promises";
import { Child } from "./child.ts";
import { atMost, type Figure, median, told } from "./figure.ts";
import {
  JOINER_PROGRAM,
  type JoinOrder,
  type JoinReport,
  TERRAIN_PROGRAM,
  type TerrainOrder,
  type TerrainReport,
} from "./generation/orders.ts";
import { sized } from "./size.ts";
import { LatenessWatch } from "./stall/lateness.ts";

const ROUNDS = sized(5, 1);
const RADIUS_CHUNKS = sized(6, 2);
const P99_MS_MAX = 20;
/** Half a tick of a server: a stall of this length is not seen. In the loop, without workers, the longest is 92 ms. */
const LONGEST_MS_MAX = 50;
const SETTLE_MS = sized(1_000, 100);

/**
 * Question: do players notice that a client without the generator joins?
 * The server must generate, encode and send every chunk within 6 chunks of the client. Each round has a new
 * server, because the first client is the worst: nothing is cached, and no code is optimized yet.
 * Budget: the loop of the server is late by less than 20 ms in 99 of 100 cases, and never by more than 50 ms.
 */
export async function* generationSuite(): AsyncGenerator<Figure> {
  const rounds: Round[] = [];
  for (let index = 0; index < ROUNDS; index++) rounds.push(await measure());
  const middle = (value: (round: Round) => number): number => median(rounds.map(value));
  const p99 = middle(({ server }) => server.p99);
  const idle = middle(({ idle: { p99: idleP99 } }) => idleP99);
  yield atMost(
    "generation/join-p99",
    p99,
    "ms",
    P99_MS_MAX,
    `median of ${ROUNDS} joins, each of a new server; p50 ${middle(({ server }) => server.p50).toFixed(1)} ms; ` +
      `this process, which waits, ${idle.toFixed(1)} ms`,
  );
  yield atMost(
    "generation/join-longest",
    middle(({ server }) => server.longest),
    "ms",
    LONGEST_MS_MAX,
    `median of ${ROUNDS} joins; the longest of all ${Math.max(...rounds.map(({ server }) => server.longest)).toFixed(0)} ms; ` +
      `the longest garbage collection ${middle(({ server }) => server.longestCollection).toFixed(1)} ms; ` +
      `this process ${middle(({ idle: { longest } }) => longest).toFixed(1)} ms`,
  );
  yield told(
    "generation/join",
    middle(({ joinMs }) => joinMs),
    "ms until the client holds everything",
    `${rounds[0]?.regions ?? 0} regions; ${middle(({ cpuMs }) => cpuMs).toFixed(0)} ms of the server's processors`,
  );
}

interface Round {
  readonly server: TerrainReport["lateness"];
  readonly idle: TerrainReport["lateness"];
  readonly joinMs: number;
  readonly regions: number;
  readonly cpuMs: number;
}

async function measure(): Promise<Round> {
  const server = new Child<TerrainOrder, TerrainReport>(TERRAIN_PROGRAM);
  const joiner = new Child<JoinOrder, JoinReport>(JOINER_PROGRAM);
  try {
    await server.ask({ kind: "report" });
    await delay(SETTLE_MS);
    const { port, cpuUs } = await server.ask({ kind: "watch" });
    const watch = new LatenessWatch();
    const { joinMs, regions } = await joiner.ask({
      url: `ws://127.0.0.1:${port}`,
      radiusChunks: RADIUS_CHUNKS,
    });
    const idle = watch.end();
    const after = await server.ask({ kind: "report" });
    return { server: after.lateness, idle, joinMs, regions, cpuMs: (after.cpuUs - cpuUs) / 1_000 };
  } finally {
    joiner.end();
    server.end();
  }
}
