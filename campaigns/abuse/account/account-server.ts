import { PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core";
import { generatorRef } from "@orthant/core/engine";
import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { createWorldEngine } from "@orthant/world/engine";
import { collectGarbage } from "../collect-garbage.ts";
import { AUDIENCE, METRICS_BEARER, SECRET } from "../target-settings.ts";

// A process that serves a world with the default limits. It sends its port, and then answers each question with a
// number: the memory in use, the most memory that it had, how long it works without a pause, and others.

const SAMPLE_MS = 100;
const TURN_MS = 5;

const world = await createWorldEngine(await NodeDisk.create(process.argv[2] ?? ""), {
  generator: generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n),
});
const server = await createServer({
  world,
  auth: { secret: SECRET, audience: AUDIENCE, anonymous: true },
  metrics: { bearer: METRICS_BEARER },
  logger: { level: "warn" },
});
// In CPU time, so that other programs on the machine do not count.
let turnsMs: number[] = [];
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
    return longest;
  }
  if (question === "peakBytes") {
    const bytes = peakBytes;
    peakBytes = 0;
    return bytes;
  }
  collectGarbage();
  return process.memoryUsage.rss();
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
