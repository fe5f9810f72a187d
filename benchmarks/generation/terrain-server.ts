import { CUBE_CHUNKS, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createServer } from "@orthant/server";
import { generationPool } from "@orthant/worker-pool/node";
import { createWorldEngine } from "@orthant/world/engine";
import { endWithParent } from "../child.ts";
import { LatenessWatch } from "../stall/lateness.ts";
import type { TerrainOrder, TerrainReport } from "./orders.ts";

// The process of the server: an untouched world of hills in three dimensions.

const { ref } = terrain({ seed: 7n });
const isInline = process.env["ORTHANT_INLINE"] !== undefined;
const world = await createWorldEngine(
  new MemoryDisk(),
  { shape: CUBE_CHUNKS, generator: ref },
  isInline ? {} : { generation: generationPool() },
);
const server = await createServer({ world, logger: false, auth: { anonymous: true } });
let watch = new LatenessWatch();

endWithParent();
process.on("message", ({ kind }: TerrainOrder) => {
  const lateness = watch.end();
  if (kind === "watch") watch = new LatenessWatch();
  const { user, system } = process.cpuUsage();
  process.send?.({ port: server.port, lateness, cpuUs: user + system } satisfies TerrainReport);
});
