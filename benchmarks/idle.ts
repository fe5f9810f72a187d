import { setTimeout as delay } from "node:timers/promises";
import { atMost, type Figure, readable, told } from "./figure.ts";
import { RestingServer, type RestingUse } from "./idle/resting-server.ts";
import { sized } from "./size.ts";

/** The servers that rest, side by side. */
const CASES = [
  { name: "empty", isSimulated: false, players: 0 },
  { name: "simulated", isSimulated: true, players: 0 },
  { name: "players", isSimulated: false, players: 8 },
] as const;
const MINUTES = sized(10, 0.02);
/** Time for what follows a start: the first save, and its compaction. */
const SETTLE_MS = sized(15_000, 1_000);
const LOOK_MS = 1_000;

/**
 * Question: what does a world cost at rest, with a journal: without players, with a simulation in which nothing happens, and
 * with eight players who do nothing?
 * Budget: without players, no file of the world changes, not even its time.
 * Takes ten minutes. Linux only.
 */
export async function* idleSuite(): AsyncGenerator<Figure> {
  const servers = await Promise.all(CASES.map((one) => RestingServer.start(one)));
  try {
    await delay(SETTLE_MS);
    for (const server of servers) server.look();
    const before = servers.map((server) => server.use());
    for (const endMs = performance.now() + MINUTES * 60_000; performance.now() < endMs; ) {
      await delay(Math.min(LOOK_MS, endMs - performance.now()));
      for (const server of servers) server.look();
    }
    for (const [index, { name, players }] of CASES.entries()) {
      const [server, start] = [servers[index], before[index]];
      if (server === undefined || start === undefined) continue;
      yield* figuresOf(name, players, usedSince(start, server.use()));
    }
  } finally {
    for (const server of servers) await server.end();
  }
}

function* figuresOf(name: string, players: number, use: RestingUse): Generator<Figure> {
  const remark =
    `in ${readable(MINUTES)} minutes; the disk wrote ${use.diskBytes} bytes; ${use.writeCalls} write calls of ` +
    `${use.writtenBytes} bytes, with those to sockets and to wake-up counters`;
  yield players === 0
    ? atMost(`idle/${name}-writes`, use.fileChanges, "changes of files", 0, remark)
    : told(`idle/${name}-writes`, use.fileChanges, "changes of files", remark);
  yield told(`idle/${name}-cpu`, use.cpuMs / MINUTES / 600, "percent of a processor", "");
  if (players === 0) return;
  const perSecond = use.sentBytes / players / (MINUTES * 60);
  yield told(`idle/${name}-sent`, perSecond, "bytes a second to each player", `${players} players`);
}

function usedSince(before: RestingUse, after: RestingUse): RestingUse {
  return {
    cpuMs: after.cpuMs - before.cpuMs,
    writeCalls: after.writeCalls - before.writeCalls,
    writtenBytes: after.writtenBytes - before.writtenBytes,
    diskBytes: after.diskBytes - before.diskBytes,
    fileChanges: after.fileChanges - before.fileChanges,
    sentBytes: after.sentBytes - before.sentBytes,
  };
}
