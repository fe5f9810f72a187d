import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { createWorldEngine } from "@orthant/world/engine";
import { collectGarbage } from "../collect-garbage.ts";
import { AUDIENCE, METRICS_BEARER, SECRET } from "../target-settings.ts";
import { TARGET_RULES, type TargetRules } from "./target-rules.ts";

// A process that serves a world with the default limits and the rules of a game. It sends its port, and then answers each question with a
// number: the memory in use, the most memory that it had, how long it works without a pause, and others.

const SAMPLE_MS = 100;
const TURN_MS = 5;

const world = await createWorldEngine(await NodeDisk.create(process.argv[2] ?? ""), {
  generator: generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n),
});
const game: TargetRules | undefined = Object.entries(TARGET_RULES).find(
  ([name]) => name === process.argv[3],
)?.[1];
if (game === undefined) throw new Error(`there are no rules ${process.argv[3]}`);
const server = await createServer<4>({
  ...game,
  world,
  auth: { secret: SECRET, audience: AUDIENCE, anonymous: true },
  metrics: { bearer: METRICS_BEARER },
  logger: { level: "warn" },
});
// In CPU time, so that other programs on the machine do not count.
let turnsMs: number[] = [];
let turnsSinceMs = performance.now();
let usedMs = cpuMs();
setInterval(() => {
  const nowMs = cpuMs();
  turnsMs.push(nowMs - usedMs);
  usedMs = nowMs;
}, TURN_MS);
let peakBytes = 0;
let peakConnections = 0;
setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  peakConnections = Math.max(peakConnections, server.connectionCount);
}, SAMPLE_MS).unref();

process.on("disconnect", () => process.exit());
process.on("message", async (question) => process.send?.(await answerTo(String(question))));
process.send?.(server.port);

async function answerTo(question: string): Promise<number> {
  if (question === "peakConnections") {
    const connections = peakConnections;
    peakConnections = 0;
    return connections;
  }
  if (question === "edits") return editsMade();
  if (question === "cpuMs") return cpuMs();
  if (question === "turnMs") {
    const longest = turnsMs.sort((a, b) => a - b)[Math.floor((turnsMs.length - 1) * 0.99)] ?? 0;
    turnsMs = [];
    turnsSinceMs = performance.now();
    return longest;
  }
  if (question === "waitMs") return waitP99Ms();
  if (question === "activeMs") return performance.eventLoopUtilization().active;
  if (question === "peakBytes") {
    const bytes = peakBytes;
    peakBytes = 0;
    return bytes;
  }
  collectGarbage();
  return process.memoryUsage.rss();
}

/** Returns how long a message waits at most for the loop, in CPU time, if it comes at any moment but the worst 1 % of all. */
function waitP99Ms(): number {
  const worstMs = 0.01 * (performance.now() - turnsSinceMs);
  const isWorse = (waitMs: number): boolean =>
    turnsMs.reduce((sum, turnMs) => sum + Math.max(0, turnMs - waitMs), 0) > worstMs;
  let waitMs = 0;
  while (isWorse(waitMs)) waitMs++;
  return waitMs;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function editsMade(): Promise<number> {
  const edits = await server.metrics.getSingleMetric("orthant_edits_total")?.get();
  const made = edits?.values.filter(({ labels }) => labels["outcome"] === "applied") ?? [];
  return made.reduce((sum, { value }) => sum + value, 0);
}
