import { parentPort, workerData } from "node:worker_threads";
import { systemTime } from "@orthant/core";
import { LossyNetwork, type NetworkConditions, Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import { CrowdPlayer } from "./crowd-player.ts";

/** The players that a worker plays. */
export interface CrowdOrder {
  readonly port: number;
  readonly seed: number;
  readonly first: number;
  readonly count: number;
}

/** A message to a worker: stop building, or compare what its players see with these tiles. */
export type CrowdQuestion = "stop" | { readonly tiles: ReadonlyMap<string, Uint8Array> };

/** A worker's answer about its players. */
export interface CrowdAnswer {
  readonly setCount: number;
  /** Chunks that players lack or see wrongly. */
  readonly faults: readonly string[];
}

const ACT_MS = 1_000;
const TICK_MS = 50;
const CONDITIONS: NetworkConditions = {
  ...RELIABLE_NETWORK,
  loss: 0.05,
  duplication: 0.05,
  reordering: 0.05,
  delayMsMin: 1,
  delayMsMax: 60,
};

const { port, seed, first, count } = workerData as CrowdOrder;
const network = new LossyNetwork(systemTime, new Prng(seed + first), CONDITIONS);
const players = await Promise.all(
  Array.from({ length: count }, (_, index) =>
    CrowdPlayer.open(port, network, new Prng(seed * 1_000 + first + index), first + index),
  ),
);
const startMs = performance.now();
let turn = 0;
let isBuilding = true;
setInterval(() => {
  for (const { client } of players) client.tick();
  // Players act in turn, not all at once, and each once a second however late the timer is.
  const turns = ((performance.now() - startMs) * players.length) / ACT_MS;
  for (; isBuilding && turn < turns; turn++) players[turn % players.length]?.act();
}, TICK_MS);

parentPort?.on("message", (question: CrowdQuestion) => {
  if (question === "stop") isBuilding = false;
  else parentPort?.postMessage(answerTo(question.tiles));
});

function answerTo(tiles: ReadonlyMap<string, Uint8Array>): CrowdAnswer {
  const setCount = players.reduce((sum, player) => sum + player.setCount, 0);
  return { setCount, faults: players.flatMap((player) => player.faults(tiles)) };
}
