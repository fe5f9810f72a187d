import { setTimeout as delay } from "node:timers/promises";
import { Child } from "./child.ts";
import { atLeast, atMost, type Bar, type Figure, median, ofLimit, type Plot, told } from "./figure.ts";
import {
  CROWD_PROGRAM,
  type CrowdOrder,
  type CrowdReport,
  SERVER_PROGRAM,
  type ServerOrder,
  type ServerReport,
  TICK_MS,
} from "./server/orders.ts";
import { sized } from "./size.ts";

const CROWDS = sized([200, 1_000, 2_000, 4_000], [10]);
const EDITS_PER_SECOND = 200;
const SETTLE_MS = sized(3_000, 300);
const ROUNDS = sized(3, 1);
const ROUND_MS = sized(8_000, 1_000);
const BARE_MS = sized(3_000, 300);
/** Time during which a client does not read, and length of the comparison without that. */
const SLOW_MS = sized(60_000, 2_000);
/** The crowd in which one client does not read. */
const SLOW_CLIENTS = sized(1_000, 10);
const SLOW_MIB_MAX = 8;
const SLOW_OTHERS_BUDGET = 1.1;
const DELIVERY_BUDGET = 0.6;
/** An edit in transit at the end of a round is not seen in it; merging edits of one voxel loses fewer. */
const SEEN_PERCENT = 97;
/** Bytes a second a client in a crowd, with the edits that it sees. */
const CROWD_KB_MAX = 2.5;
/** Beyond this number, clients are served as well as possible. */
const PROMISED_CLIENTS = 1_000;
/** The crowd that half of a core serves, and whose edits others see within two ticks. */
const HALF_CORE_CLIENTS = 2_000;
const HALF_CORE = 0.5;
/** Processor time of the server, in times that of bare sockets. */
const BARE_CPU_MAX = 2.5;
const EDIT_TO_SEEN_MS_MAX = 200;

/**
 * Question: how many players can one process serve, and how close is it to bare sockets?
 * Every player moves at 10 Hz and sees about 50 others; together they make 200 edits a second that all of
 * them see.
 * Budgets: a thousand are served without falling behind; edits are delivered at 0.6 or more of the rate at
 * which bare `ws` sends messages of the size of one edit to as many clients; a client of the crowd takes at most
 * 2.5 kB a second; a client that stops reading costs little and does not disturb the others. Two thousand take at most
 * half of a core, and 99 of 100 edits are seen within 200 ms. Up to two thousand, 99 of 100 ticks take at most the 100 ms
 * until the next one. Four thousand carry no promise.
 */
export async function* serverSuite(): AsyncGenerator<Figure> {
  for (const count of CROWDS) yield* serve(count);
}

async function* serve(count: number): AsyncGenerator<Figure> {
  const server = new Child<ServerOrder, ServerReport>(SERVER_PROGRAM);
  const crowd = new Child<CrowdOrder, CrowdReport>(CROWD_PROGRAM);
  try {
    const empty = await server.ask({ kind: "report" });
    const joinStartMs = performance.now();
    await crowd.ask({ kind: "join", urls: [`ws://127.0.0.1:${empty.port}`], count });
    const joinMs = performance.now() - joinStartMs;
    await crowd.ask({ kind: "joinBare", url: `ws://127.0.0.1:${empty.barePort}`, count });
    const idle = await server.ask({ kind: "report" });
    const perClientKiB = (idle.residentBytes - empty.residentBytes) / count / 1_024;
    const remark = `50 at a time; ${perClientKiB.toFixed(0)} KiB of memory a client`;
    yield told(`server/${count}-join`, joinMs / 1_000, "s for all", remark);

    const rounds: Round[] = [];
    for (let index = 0; index < ROUNDS; index++) rounds.push(await measure(server, crowd, count));
    yield* loadFigures(count, rounds);
    yield await bareCpuFigure(server, crowd, count, rounds);
    if (count === SLOW_CLIENTS) yield* slowReaderFigures(server, crowd, count);
    const { faults } = await crowd.ask({ kind: "leave" });
    if (faults.length > 0)
      yield atMost(`server/${count}-faults`, faults.length, "faults", 0, faults.join("; "));
  } finally {
    crowd.end();
    server.end();
  }
}

/** One round under load, and the bare sockets right after it. */
interface Round {
  readonly ms: number;
  readonly server: ServerReport;
  readonly crowd: CrowdReport;
  readonly cpuShare: number;
  readonly frameBytes: number;
  readonly seenShare: number;
  readonly deliveriesPerSecond: number;
  readonly barePerSecond: number;
  readonly framesPerSecond: number;
  readonly deliveriesPerCpuSecond: number;
  readonly barePerCpuSecond: number;
}

/** The part of a round under load. */
interface Load {
  readonly ms: number;
  readonly before: ServerReport;
  readonly after: ServerReport;
  readonly crowd: CrowdReport;
}

async function load(server: ServerChild, crowd: CrowdChild): Promise<Load> {
  await crowd.ask({ kind: "move", editsPerSecond: EDITS_PER_SECOND });
  await delay(SETTLE_MS);
  await crowd.ask({ kind: "reset" });
  const before = await server.ask({ kind: "reset" });
  const startMs = performance.now();
  await delay(ROUND_MS);
  const seen = await crowd.ask({ kind: "report" });
  const ms = performance.now() - startMs;
  const after = await server.ask({ kind: "report" });
  await crowd.ask({ kind: "stop" });
  return { ms, before, after, crowd: seen };
}

async function measure(server: ServerChild, crowd: CrowdChild, count: number): Promise<Round> {
  const { ms, before, after, crowd: seen } = await load(server, crowd);
  await delay(500);
  // Bare sockets get messages of the size of one edit in a frame, one by one, as fast as they accept them.
  const editBytes = Math.max(16, Math.round(seen.frameBytes / Math.max(1, seen.editsSeen)));
  await crowd.ask({ kind: "reset" });
  const beforeBare = await server.ask({ kind: "report" });
  const bare = await server.ask({ kind: "bare", bytes: Math.min(editBytes, 1_024), forMs: BARE_MS });
  await delay(500);
  const arrived = await crowd.ask({ kind: "report" });
  return {
    ms,
    server: after,
    crowd: seen,
    cpuShare: (after.cpuUs - before.cpuUs) / 1_000 / ms,
    frameBytes: seen.frameBytes / Math.max(1, seen.frames),
    seenShare: seen.editsSeen / Math.max(1, seen.editsMade * count),
    deliveriesPerSecond: (seen.editsSeen / ms) * 1_000,
    barePerSecond: (arrived.bareMessages / bare.bareMs) * 1_000,
    framesPerSecond: (seen.frames / ms) * 1_000,
    deliveriesPerCpuSecond: (seen.editsSeen * 1e6) / (after.cpuUs - before.cpuUs),
    barePerCpuSecond: (arrived.bareMessages * 1e6) / (bare.cpuUs - beforeBare.cpuUs),
  };
}

function* loadFigures(count: number, rounds: readonly Round[]): Generator<Figure> {
  const middle = (value: (round: Round) => number): number => median(rounds.map(value));
  const isPromised = count <= PROMISED_CLIENTS;
  const ratio = middle((round) => round.deliveriesPerCpuSecond / round.barePerCpuSecond);
  const delivered =
    `${rate(middle((round) => round.deliveriesPerSecond))} edits/s delivered in ${rate(middle((round) => round.framesPerSecond))} frames/s ` +
    `of ${middle((round) => round.frameBytes).toFixed(0)} bytes, bare ${rate(middle((round) => round.barePerSecond))} messages/s`;
  yield ofLimit(
    `server/${count}-deliveries`,
    ratio,
    "bare ws",
    isPromised ? DELIVERY_BUDGET : undefined,
    delivered,
    plot("Edits delivered for a second of the processor", "edits", "more", count, [
      { label: "Orthant", role: "ours", value: middle((round) => round.deliveriesPerCpuSecond) },
      { label: "bare ws", role: "limit", value: middle((round) => round.barePerCpuSecond) },
    ]),
  );
  const seen = middle((round) => round.seenShare) * 100;
  const keepsUp = told(
    `server/${count}-keeps-up`,
    seen,
    "% of edits seen by all clients within the round",
    "",
  );
  yield atLeast(keepsUp, isPromised ? SEEN_PERCENT : undefined);
  const [p50, p99] = [middle(({ crowd }) => crowd.latencyMs.p50), middle(({ crowd }) => crowd.latencyMs.p99)];
  yield atMostIn(
    count,
    EDIT_TO_SEEN_MS_MAX,
    `server/${count}-edit-to-seen`,
    p99,
    "ms at p99",
    `p50 ${p50.toFixed(0)} ms; a tick is ${TICK_MS} ms`,
    plot("From an edit until others see it", "ms", "less", count, [
      { label: "p50", role: "ours", value: p50 },
      { label: "p99", role: "ours", value: p99 },
    ]),
  );
  yield told(
    `server/${count}-pose-to-seen`,
    middle(({ crowd }) => crowd.poseMs.p50),
    "ms at p50",
    `p99 ${middle(({ crowd }) => crowd.poseMs.p99).toFixed(0)} ms, of players within a region`,
  );
  yield bytesFigure(`server/${count}-bytes`, count, rounds, isPromised);
  const cpuShare = middle((round) => round.cpuShare);
  const each = `${((cpuShare * 1e6) / count).toFixed(0)} us a second a client`;
  yield atMostIn(count, HALF_CORE, `server/${count}-cpu`, cpuShare, "of a core", each);
  yield tickFigure(
    count,
    { p50: middle(({ server }) => server.tickMs.p50), p99: middle(({ server }) => server.tickMs.p99) },
    `${(middle(({ server }) => server.residentBytes) / 1_048_576).toFixed(0)} MiB`,
  );
}

/** The work of a tick. If it takes longer than the interval, the next one is late, and so is what players see. */
export function tickFigure(count: number, { p50, p99 }: ServerReport["tickMs"], memory: string): Figure {
  const parts = [`server/${count}-tick`, p99, "ms at p99"] as const;
  const remark = `p50 ${p50.toFixed(1)} ms; a tick is ${TICK_MS} ms; ${memory}`;
  return count <= HALF_CORE_CLIENTS ? atMost(...parts, TICK_MS, remark) : told(...parts, remark);
}

/** The processor time of the server beside that of bare sockets with as many messages of the same size. */
async function bareCpuFigure(
  server: ServerChild,
  crowd: CrowdChild,
  count: number,
  rounds: readonly Round[],
): Promise<Figure> {
  const bytes = Math.round(median(rounds.map(({ frameBytes }) => frameBytes)));
  const everyMs = (count * 1_000) / median(rounds.map(({ framesPerSecond }) => framesPerSecond));
  const share = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await server.ask({ kind: "report" });
    const startMs = performance.now();
    await work();
    const ms = performance.now() - startMs;
    return ((await server.ask({ kind: "report" })).cpuUs - before.cpuUs) / 1_000 / ms;
  };
  // The members stay, and take part of the time.
  const idle = await share(() => delay(BARE_MS));
  await crowd.ask({ kind: "moveBare" });
  await delay(SETTLE_MS);
  const bare = (await share(() => server.ask({ kind: "bareTicks", bytes, everyMs, forMs: BARE_MS }))) - idle;
  await crowd.ask({ kind: "stop" });
  const ours = median(rounds.map(({ cpuShare }) => cpuShare));
  const remark = `bare ws takes ${bare.toFixed(2)} of a core to receive and send as many messages`;
  return atMostIn(count, BARE_CPU_MAX, `server/${count}-cpu-of-bare`, ours / bare, "times bare ws", remark);
}

/** Returns a figure with a budget for the crowd that has one, and without for all others. */
function atMostIn(count: number, budget: number, ...[name, value, unit, remark, shown]: ToldParts): Figure {
  if (count !== HALF_CORE_CLIENTS) return told(name, value, unit, remark, shown);
  return atMost(name, value, unit, budget, remark, shown);
}

type ToldParts = Parameters<typeof told>;

/** What a client takes on the wire, and what that consists of. */
function bytesFigure(
  name: string,
  count: number,
  rounds: readonly Pick<Load, "crowd" | "ms">[],
  isPromised: boolean,
): Figure {
  const kb = median(rounds.map(({ crowd, ms }) => crowd.frameBytes / count / ms));
  const [round] = rounds;
  const { bytesByKind = {}, observers = 1 } = round?.crowd ?? {};
  const parts = Object.entries(bytesByKind)
    .map(([kind, bytes]) => ({ kind, kb: bytes / observers / (round?.ms ?? 1) }))
    .filter((part) => part.kb >= 0.005)
    .sort((a, b) => b.kb - a.kb)
    .map((part) => `${part.kind} ${part.kb.toFixed(2)}`);
  const frames = median(rounds.map(({ crowd, ms }) => (crowd.frames / count / ms) * 1_000));
  const remark = `in ${frames.toFixed(1)} frames: ${parts.join(", ")}`;
  return isPromised
    ? atMost(name, kb, "kB a second a client", CROWD_KB_MAX, remark)
    : told(name, kb, "kB a second a client", remark);
}

/** Measures the bytes of a crowd alone, without bare sockets. */
export async function crowdBytes(name: string, count: number): Promise<Figure> {
  const server = new Child<ServerOrder, ServerReport>(SERVER_PROGRAM);
  const crowd = new Child<CrowdOrder, CrowdReport>(CROWD_PROGRAM);
  try {
    const { port } = await server.ask({ kind: "report" });
    await crowd.ask({ kind: "join", urls: [`ws://127.0.0.1:${port}`], count });
    return bytesFigure(name, count, [await load(server, crowd)], true);
  } finally {
    crowd.end();
    server.end();
  }
}

function plot(
  title: string,
  unit: string,
  better: Plot["better"],
  count: number,
  bars: readonly Bar[],
): Plot {
  return { title, unit, better, group: `${count} clients`, bars };
}

/** One client stops reading while the others continue. */
async function* slowReaderFigures(
  server: ServerChild,
  crowd: CrowdChild,
  count: number,
): AsyncGenerator<Figure> {
  await crowd.ask({ kind: "move", editsPerSecond: EDITS_PER_SECOND });
  await delay(SETTLE_MS);
  const before = await watch(server, crowd, SLOW_MS / 2);
  await crowd.ask({ kind: "stopReading" });
  const during = await watch(server, crowd, SLOW_MS);
  await crowd.ask({ kind: "resumeReading" });
  const after = await watch(server, crowd, SLOW_MS / 2);
  await crowd.ask({ kind: "stop" });
  const p99 = (before.p99 + after.p99) / 2;
  // The memory of a busy process fluctuates: compares the lower end of each watch.
  const grownMiB = (during.floorBytes - Math.max(before.floorBytes, after.floorBytes)) / 1_048_576;
  const silence = `${SLOW_MS / 1_000} s without reading`;
  yield atMost(`server/${count}-deaf-client`, grownMiB, "MiB more", SLOW_MIB_MAX, silence);
  yield atMost(
    `server/${count}-deaf-client-others`,
    during.p99 / p99,
    "of the p99 without",
    SLOW_OTHERS_BUDGET,
    `${during.p99.toFixed(0)} ms, ${p99.toFixed(0)} ms`,
  );
}

async function watch(
  server: ServerChild,
  crowd: CrowdChild,
  forMs: number,
): Promise<{ p99: number; floorBytes: number }> {
  await crowd.ask({ kind: "reset" });
  const endMs = performance.now() + forMs;
  const used: number[] = [];
  while (performance.now() < endMs) {
    await delay(1_000);
    used.push((await server.ask({ kind: "report" })).usedBytes);
  }
  const { latencyMs } = await crowd.ask({ kind: "report" });
  return { p99: latencyMs.p99, floorBytes: Math.min(...used) };
}

function rate(perSecond: number): string {
  return perSecond >= 10_000 ? `${(perSecond / 1_000).toFixed(0)}k` : perSecond.toFixed(0);
}

type ServerChild = Child<ServerOrder, ServerReport>;
type CrowdChild = Child<CrowdOrder, CrowdReport>;
