import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { connectReplica } from "@orthant/client/node";
import { TILE_CHUNKS } from "@orthant/core";
import { generatorRef, TERRAIN_DEFAULTS, terrainGenerator } from "@orthant/core/generate";
import { boxBetween, positionsLexicographic } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type OrthantServer } from "@orthant/server";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { chunksSeenBy } from "./crowd/crowd-player.ts";
import type { CrowdAnswer, CrowdOrder, CrowdQuestion } from "./crowd/crowd-worker.ts";

const PLAYERS = 200;
/** Worker threads. One event loop takes too few datagrams at a time from each of its sockets. */
const WORKERS = 4;
const WORKER_PROGRAM = new URL("./crowd/crowd-worker.js", import.meta.url);
/** Crowds of a full run, each with a different seed. */
const CROWDS = 10;
const DURATION_MS = 30_000;
const CHECK_MS = 2_000;
/** Resends slow down but never stop. A player that lacks anything after this time is at fault. */
const CALM_MS_MAX = 180_000;
/** Part of the world that the WebSocket client checks. */
const OBSERVED = boxBetween([-12, -6, 0, 0], [-4, 2, 1, 1]);

/** Many Wire v1 players on a lossy network, together with a WebSocket client. */
export const wire1CrowdCampaign: Campaign = {
  name: "wire1-crowd",
  summary: "200 players of Wire v1 over UDP with loss, doubling and reordering: all see what the world has",
  goal: CROWDS,
  unit: "crowds",
  resumes: true,
  runsAlone: true,
  leastMinutes: 1,
  async run(options) {
    const failures: string[] = [];
    let crowds = 0;
    // Plays at least one crowd, however short the time.
    while (goesOn(crowds, options) && failures.length < FAILURES_MAX) {
      const seed = options.seed + options.from + crowds;
      const restMs = Math.max(0, (options.endsAtMs ?? Infinity) - performance.now());
      failures.push(...(await playCrowd(seed, Math.min(DURATION_MS, restMs))));
      options.progress(++crowds);
    }
    return { cases: crowds, failures, next: options.from + crowds };
  },
};

/** Plays one crowd. Returns the faults after it. */
async function playCrowd(seed: number, durationMs: number): Promise<readonly string[]> {
  const generator = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, BigInt(seed));
  const world = await createWorldEngine(new MemoryDisk(), { shape: TILE_CHUNKS, generator });
  const limits = { wire1SessionsPerAddress: PLAYERS, budgetsPerNetwork: PLAYERS };
  const server = await createServer({ world, logger: false, wire1: {}, limits, closeWorld: true });
  const workers = Array.from({ length: WORKERS }, (_, index) => startWorker(index, server, seed));
  try {
    const faults = await play(world, server, workers, durationMs);
    return faults.map((fault) => `${fault}; seed ${seed}`);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
    await server.close();
  }
}

function startWorker(index: number, { wire1Port: port = 0 }: OrthantServer, seed: number): Worker {
  const count = PLAYERS / WORKERS;
  const workerData: CrowdOrder = { port, seed, first: index * count, count };
  return new Worker(WORKER_PROGRAM, { workerData });
}

async function play(
  world: WorldEngine,
  server: OrthantServer,
  workers: readonly Worker[],
  durationMs: number,
): Promise<readonly string[]> {
  const observer = connectReplica(server.url, { name: "observer" });
  observer.setInterest({ center: [-256, -64, 0, 0], radiusChunks: 6 });
  await delay(durationMs);
  for (const worker of workers) worker.postMessage("stop" satisfies CrowdQuestion);
  const calmMs = performance.now();
  let { faults, setCount } = await compare(world, workers);
  while (faults.length > 0 && performance.now() - calmMs < CALM_MS_MAX) {
    await delay(CHECK_MS);
    ({ faults, setCount } = await compare(world, workers));
  }
  const tookMs = Math.round(performance.now() - calmMs);
  const failures = faults.slice(0, FAILURES_MAX);
  await observer.complete();
  for (const position of positionsLexicographic(OBSERVED)) {
    const isSame = observer.chunkAt(position)?.equals(await world.chunk(position));
    if (isSame !== true) failures.push(`chunk ${position} of the client over WebSocket is another`);
  }
  await observer.close();
  await report(server, setCount, tookMs);
  return failures;
}

/** Compares what all players see with the world. */
async function compare(world: WorldEngine, workers: readonly Worker[]): Promise<CrowdAnswer> {
  const tiles = new Map<string, Uint8Array>();
  for (let player = 0; player < PLAYERS; player++) {
    for (const [x, y] of chunksSeenBy(player)) {
      const key = `${x} ${y}`;
      if (tiles.has(key)) continue;
      const { buffer } = (await world.chunk([x, y, 0, 0])).voxels();
      tiles.set(key, new Uint8Array(buffer));
    }
  }
  const answers = await Promise.all(
    workers.map(async (worker) => {
      const answered = once(worker, "message");
      worker.postMessage({ tiles } satisfies CrowdQuestion);
      const [answer] = (await answered) as [CrowdAnswer];
      return answer;
    }),
  );
  return {
    setCount: answers.reduce((sum, answer) => sum + answer.setCount, 0),
    faults: answers.flatMap((answer) => answer.faults),
  };
}

async function report(server: OrthantServer, setCount: number, tookMs: number): Promise<void> {
  const lines = (await server.metrics.metrics()).split("\n");
  const figure = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? 0);
  const tickMs = (figure("orthant_tick_seconds_sum") * 1_000) / figure("orthant_tick_seconds_count");
  console.log(
    `wire1-crowd: ${figure("orthant_wire1_sessions")} players set ${setCount} tiles, ` +
      `${figure('orthant_edits_total{outcome="applied"}')} of them changed the world; ` +
      `${figure('orthant_wire1_datagrams_total{direction="in"}')} datagrams came and ` +
      `${figure('orthant_wire1_datagrams_total{direction="out"}')} left; all alike ${tookMs} ms after the last tile; ` +
      `a tick took ${tickMs.toFixed(1)} ms on average, and ${figure("orthant_ticks_skipped_total")} were skipped`,
  );
}
