import { generatorRef, PLATFORMS_DEFAULTS, platformsGenerator } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { createServer } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { createWorldEngine, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { anyBlock, anyPosition, LANES, SHARED_LANE } from "./bot-world.ts";

// A program that serves the world in a folder until it is killed. It sends its port when it listens.

/** Edits made in advance, so that the first clients have something to download. */
const OLD_EDITS = 2_000;
/** Limit for all clients, which share one address and reconnect at once. */
const ENOUGH = 1_000;

const [folder = "", port = "0"] = process.argv.slice(2);
const disk = await NodeDisk.create(folder);
const isNew = (await disk.list("")).every(({ name }) => name !== "manifest.json");
const world = isNew ? await createEditedWorld(disk) : await openWorldEngine(disk);
const server = await createServer({
  world,
  port: Number(port),
  acknowledge: "durable",
  auth: { anonymous: true },
  logger: { level: "warn" },
  limits: {
    connectionsPerAddress: ENOUGH,
    httpSocketsPerAddress: ENOUGH,
    httpRequestsPerSecond: ENOUGH,
    httpRequestsBurst: ENOUGH,
    budgetsPerNetwork: ENOUGH,
  },
});
process.on("disconnect", () => process.exit());
process.send?.(server.port);

async function createEditedWorld(empty: NodeDisk): Promise<WorldEngine> {
  const prng = new Prng(OLD_EDITS);
  const edited = await createWorldEngine(empty, {
    generator: generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n),
  });
  await edited.edit(
    Array.from({ length: OLD_EDITS }, () => {
      const [x, y, z, w] = anyPosition(prng);
      // Keeps old edits out of the lanes, which the campaign compares with the clients' edits.
      return { voxel: [x, y, z, w < LANES ? SHARED_LANE : w] as const, block: anyBlock(prng) };
    }),
  );
  await edited.save();
  return edited;
}
