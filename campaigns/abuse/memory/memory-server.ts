import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { createWorldEngine } from "@orthant/world/engine";
import { collectGarbage } from "../collect-garbage.ts";
import { AUDIENCE, METRICS_BEARER, SECRET } from "../target-settings.ts";
import { LOADED_BYTES_MAX, WATCHED_BYTES_MAX } from "./memory-settings.ts";

// A process that serves a world with little memory for chunks, and with rates so high that only memory bounds an attack.
// It sends its port, and then answers each question with a number of bytes.

const SAMPLE_MS = 100;
const MANY = 1_000_000_000;

const disk = await NodeDisk.create(process.argv[2] ?? "");
const world = await createWorldEngine(disk, {}, { loadedBytesMax: LOADED_BYTES_MAX, durability: "journal" });
const server = await createServer({
  world,
  auth: { secret: SECRET, audience: AUDIENCE },
  metrics: { bearer: METRICS_BEARER },
  rules: { data: "any" },
  limits: {
    watchedBytesMax: WATCHED_BYTES_MAX,
    framesPerSecond: MANY,
    bytesPerSecond: MANY,
    bytesBurst: MANY,
    editsPerSecond: MANY,
    editsBurst: MANY,
    editChunksPerSecond: MANY,
    editDataBytesPerSecond: MANY,
  },
  logger: { level: "error" },
});
let peakBytes = 0;
let peakLoadedBytes = 0;
setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  peakLoadedBytes = Math.max(peakLoadedBytes, world.loadedBytes());
}, SAMPLE_MS).unref();

process.on("disconnect", () => process.exit());
process.on("message", (question) => process.send?.(answerTo(String(question))));
process.send?.(server.port);

function answerTo(question: string): number {
  if (question === "peakBytes") return peakBytes;
  if (question === "peakLoadedBytes") return peakLoadedBytes;
  collectGarbage();
  return process.memoryUsage.rss();
}
