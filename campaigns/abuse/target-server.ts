import { setTimeout as delay } from "node:timers/promises";
import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { createWorldEngine } from "@orthant/world/engine";
import { collectGarbage } from "./collect-garbage.ts";
import { AUDIENCE, METRICS_BEARER, SECRET, SLOW_NAME, TARGET_LIMITS } from "./target-settings.ts";

// A separate process that serves a world to honest and hostile clients. It reports its port and, on request, its
// memory use after a garbage collection.

const AUTHORIZE_MS = 1_000;

const world = await createWorldEngine(await NodeDisk.create(process.argv[2] ?? ""), {
  generator: generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n),
});
const server = await createServer({
  world,
  authorize: async ({ name, account }) => {
    if (name === SLOW_NAME) await delay(AUTHORIZE_MS);
    return account;
  },
  auth: { secret: SECRET, audience: AUDIENCE, anonymous: true },
  limits: TARGET_LIMITS,
  metrics: { bearer: METRICS_BEARER },
  logger: { level: "error" },
});
process.on("disconnect", () => process.exit());
process.on("message", () => {
  collectGarbage();
  process.send?.(process.memoryUsage().rss);
});
process.send?.(server.port);
